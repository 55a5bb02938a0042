import BioauthCore
import CFprint
import CGLib

/// Prints that a reader keeps itself.
extension LibfprintReader {
    func list(done: @escaping @MainActor (Result<[StoredPrint], ReaderFault>) -> Void) {
        if let refusal = refusal(whenOpen: true) { return later { done(.failure(refusal)) } }
        guard description.canList else { return later { done(.failure(.unsupported)) } }
        let device = device.pointer
        start(done) { result in
            var error: UnsafeMutablePointer<GError>?
            guard let prints = fp_device_list_prints_finish(device, result, &error) else {
                return .failure(DeviceError(consuming: error).fault)
            }
            defer { g_ptr_array_unref(prints) }
            var kept: [StoredPrint] = []
            for index in 0..<Int(prints.pointee.len) {
                let print = FpPrintReference(sharing: OpaquePointer(prints.pointee.pdata[index]!))
                // One that can't be written down can't be told from another, nor be named to be deleted.
                if case .success(let written) = writePrint(print) { kept.append(written) }
            }
            return .success(kept)
        } call: { cancellable, ready, data in
            fp_device_list_prints(device, cancellable, ready, data)
        }
    }

    func delete(_ print: StoredPrint, done: @escaping @MainActor (Result<Void, ReaderFault>) -> Void) {
        if let refusal = refusal(whenOpen: true) { return later { done(.failure(refusal)) } }
        guard description.canDelete else { return later { done(.failure(.unsupported)) } }
        let device = device.pointer
        guard let print = readPrint(print), fp_print_compatible(print.pointer, device) != 0 else {
            return later { done(.failure(.printInvalid)) }
        }
        start(done) { result in
            var error: UnsafeMutablePointer<GError>?
            guard fp_device_delete_print_finish(device, result, &error) != 0 else {
                return .failure(DeviceError(consuming: error).fault)
            }
            return .success(())
        } call: { cancellable, ready, data in
            // libfprint keeps the print until it is done.
            fp_device_delete_print(device, print.pointer, cancellable, ready, data)
        }
    }
}
