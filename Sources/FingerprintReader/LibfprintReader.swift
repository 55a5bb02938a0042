import BioauthCore
import CFprint
import CGLib

/// A reader that libfprint drives (`FpDevice`).
///
/// At most one call of libfprint is on its way (`running`). Once the device is gone nothing is asked of it any more
/// but to close, which libfprint wants of its user before it forgets a device.
@MainActor final class LibfprintReader: Reader {
    private(set) var description: ReaderDescription
    var onFinger: (@MainActor (_ present: Bool) -> Void)?
    var onHeat: (@MainActor (_ isHot: Bool) -> Void)?

    let device: GObjectReference<FpDevicePointer>
    private let onRemoved: @MainActor (LibfprintReader) -> Void
    private var running: Call?
    private var isRemoved = false
    /// What was told of the finger during this call.
    private var toldFinger: Bool?
    /// Whether a finger has been there during this call.
    private var hasSeenFinger = false
    private var fingerSignal: SignalConnection?
    private var heatSignal: SignalConnection?
    private var removalSignal: SignalConnection?

    /// - Parameter onRemoved: called as soon as the device is known to be gone, also while an action runs.
    init(_ pointer: FpDevicePointer, onRemoved: @escaping @MainActor (LibfprintReader) -> Void) {
        device = GObjectReference(sharing: pointer)
        description = ReaderDescription(pointer)
        self.onRemoved = onRemoved
        fingerSignal = SignalConnection(to: "notify::finger-status", of: pointer) { [unowned self] _ in
            fingerStatusChanged()
        }
        heatSignal = SignalConnection(to: "notify::temperature", of: pointer) { [unowned self] _ in
            onHeat?(fp_device_get_temperature(device.pointer) == FP_TEMPERATURE_HOT)
        }
        // The signal "removed" would come only after the running action has ended.
        removalSignal = SignalConnection(to: "notify::removed", of: pointer) { [unowned self] _ in
            deviceRemoved()
        }
    }

    func open(done: @escaping @MainActor (Result<Void, ReaderFault>) -> Void) {
        if let refusal = refusal(whenOpen: false) { return later { done(.failure(refusal)) } }
        let device = device.pointer
        start(done) { result in
            var error: UnsafeMutablePointer<GError>?
            let succeeded = fp_device_open_finish(device, result, &error) != 0
            // A cancelled opening reports just that, and may have opened all the same.
            guard succeeded || self.isOpen else {
                // libfprint leaves the device on the bus open, and couldn't open it again.
                closeOnUSB(device)
                return .failure(DeviceError(consuming: error).fault)
            }
            g_clear_error(&error)
            // Drivers may learn how many touches they need only now.
            self.description = ReaderDescription(device)
            return .success(())
        } call: { cancellable, ready, data in
            fp_device_open(device, cancellable, ready, data)
        }
    }

    func close(done: @escaping @MainActor (Result<Void, ReaderFault>) -> Void) {
        if let refusal = refusal(whenOpen: true) { return later { done(.failure(refusal)) } }
        startClosing(done)
    }

    private func startClosing(_ done: @escaping @MainActor (Result<Void, ReaderFault>) -> Void) {
        let device = device.pointer
        start(done) { result in
            var error: UnsafeMutablePointer<GError>?
            guard fp_device_close_finish(device, result, &error) != 0 else {
                return .failure(DeviceError(consuming: error).fault)
            }
            return .success(())
        } call: { cancellable, ready, data in
            fp_device_close(device, cancellable, ready, data)
        }
    }

    func identify(
        gallery: [StoredPrint],
        shown: @escaping @MainActor (Identification) -> Void,
        done: @escaping @MainActor (Result<Void, ReaderFault>) -> Void
    ) {
        if let refusal = refusal(whenOpen: true) { return later { done(.failure(refusal)) } }
        let canIdentify = description.canIdentify
        guard canIdentify || description.canVerify && gallery.count == 1 else {
            return later { done(.failure(.unsupported)) }
        }
        let device = device.pointer
        let touch = Touch(of: Gallery(gallery, for: device)) { [unowned self] in
            if !isRemoved { shown($0) }
        }
        // With an empty gallery libfprint would accept any print that the device stores.
        guard !touch.gallery.isEmpty else { return later { done(.failure(.printInvalid)) } }

        start(done) { result in
            var match: OpaquePointer?
            var error: UnsafeMutablePointer<GError>?
            defer { if let match { g_object_unref(match.object) } }
            let succeeded: Bool
            if canIdentify {
                succeeded = fp_device_identify_finish(device, result, &match, nil, &error) != 0
            } else {
                var isMatch: gboolean = 0
                succeeded = fp_device_verify_finish(device, result, &isMatch, nil, &error) != 0
                if isMatch != 0 { match = OpaquePointer(g_object_ref(touch.gallery.first.object)) }
            }
            if succeeded {
                touch.report(match: match)
                // A reader of images completes a comparison only once the finger has gone; others don't wait for it.
                if fp_device_has_feature(device, FP_DEVICE_FEATURE_CAPTURE) != 0 { self.tellFinger(false) }
                return .success(())
            }
            switch DeviceError(consuming: error) {
            case .retry(let reason):
                touch.report(.retry(reason))
                return .success(())
            case .fault(.printMissing) where touch.isShown || self.hasSeenFinger:
                // So some drivers say that a finger is none of those that the device keeps.
                touch.report(match: nil)
                return .success(())
            case .fault(let fault):
                return .failure(fault)
            }
        } call: { cancellable, ready, data in
            let matched: FpMatchCb = { _, match, _, data, error in
                enterMainActor((match, data!, error)) { match, data, error in
                    Unmanaged<Touch>.fromOpaque(data).takeUnretainedValue().report(match: match, error: error)
                }
            }
            // Reports come before the call ends, and until then its closure keeps the touch alive.
            let told = Unmanaged.passUnretained(touch).toOpaque()
            if canIdentify {
                fp_device_identify(device, touch.gallery.array, cancellable, matched, told, nil, ready, data)
            } else {
                fp_device_verify(device, touch.gallery.first, cancellable, matched, told, nil, ready, data)
            }
        }
    }

    func enroll(
        accountName: String, finger: Finger,
        progress: @escaping @MainActor (_ completed: Int, _ retry: RetryReason?) -> Void,
        done: @escaping @MainActor (Result<StoredPrint, ReaderFault>) -> Void
    ) {
        enroll(labelled: { label($0, accountName: accountName, finger: finger) }, progress: progress, done: done)
    }

    /// - Parameter labelled: writes on a print whose it is.
    func enroll(
        labelled: @escaping (borrowing FpPrintReference) -> Void,
        progress: @escaping @MainActor (_ completed: Int, _ retry: RetryReason?) -> Void,
        done: @escaping @MainActor (Result<StoredPrint, ReaderFault>) -> Void
    ) {
        if let refusal = refusal(whenOpen: true) { return later { done(.failure(refusal)) } }
        let device = device.pointer
        let template = FpPrintReference(sharing: fp_print_new(device)!)
        labelled(template)
        let stages = Stages { [unowned self] completed, retry in
            if !isRemoved { progress(completed, retry) }
        }

        start(done) { result in
            _ = stages
            var error: UnsafeMutablePointer<GError>?
            guard let pointer = fp_device_enroll_finish(device, result, &error) else {
                return .failure(DeviceError(consuming: error).fault)
            }
            // A driver may fill in the template, or return a print of its own that says nothing of whose it is.
            let print = FpPrintReference(owning: pointer)
            labelled(print)
            return writePrint(print)
        } call: { cancellable, ready, data in
            fp_device_enroll(
                device, template.pointer, cancellable,
                { _, completed, _, data, error in
                    enterMainActor((completed, data!, error)) { completed, data, error in
                        Unmanaged<Stages>.fromOpaque(data).takeUnretainedValue().report(Int(completed), error)
                    }
                },
                Unmanaged.passUnretained(stages).toOpaque(), nil, ready, data)
        }
    }

    func cancel() {
        running?.cancel()
    }

    // MARK: Calls

    var isOpen: Bool { fp_device_is_open(device.pointer) != 0 }

    /// Why nothing can be asked of the device now.
    func refusal(whenOpen: Bool) -> ReaderFault? {
        if isRemoved { return .unplugged }
        if running != nil { return .failed("the reader is in the middle of something else") }
        if isOpen != whenOpen { return isOpen ? .alreadyOpen : .notOpen }
        return nil
    }

    /// Starts a call of libfprint.
    ///
    /// - Parameters:
    ///   - done: hears once what `finish` made of the result, or that the device was removed meanwhile.
    ///   - finish: ends the call with the `_finish` function that belongs to it.
    ///   - call: the call itself.
    func start<Value>(
        _ done: @escaping @MainActor (Result<Value, ReaderFault>) -> Void,
        finish: @escaping @MainActor (OpaquePointer) -> Result<Value, ReaderFault>,
        call: (UnsafeMutablePointer<GCancellable>?, @escaping GAsyncReadyCallback, UnsafeMutableRawPointer) -> Void
    ) {
        let started = Call(of: self) { result in
            let outcome = result.map(finish) ?? .failure(.unplugged)
            guard case .failure(let fault) = outcome else { return done(outcome) }
            // libfprint never tells of the removal of a device that went while it looked at it for the first time.
            if hasLeftUSB(self.device.pointer) { self.isGone() }
            switch (fault, self.isRemoved) {
            case (_, true): done(.failure(.unplugged))
            case (.unplugged, false): done(.failure(.failed("the driver took the device for removed")))
            case (_, false): done(.failure(fault))
            }
        }
        running = started
        toldFinger = nil
        hasSeenFinger = false
        let (cancellable, ready, data) = started.arguments()
        call(cancellable, ready, data)
    }

    /// libfprint's call is over, so the next may start, even from within `end`.
    func callReturned(_ end: @MainActor () -> Void) {
        running = nil
        end()
        if isRemoved { closeRemoved() }
    }

    // MARK: What the device tells

    private func fingerStatusChanged() {
        let status = fp_device_get_finger_status(device.pointer).rawValue
        guard let call = running else { return }
        if status & FP_FINGER_STATUS_PRESENT.rawValue != 0 { return tellFinger(true) }
        if status & FP_FINGER_STATUS_NEEDED.rawValue != 0 { return tellFinger(false) }
        // libfprint also forgets the finger as a call ends, wherever the finger is: that it has gone is told only if
        // the call goes on. The call's end was put behind the first turn, so it comes before the second.
        later {
            later { [weak self] in
                guard let self, running === call else { return }
                let isPresent = fp_device_get_finger_status(device.pointer).rawValue & FP_FINGER_STATUS_PRESENT.rawValue
                if isPresent == 0 { tellFinger(false) }
            }
        }
    }

    private func tellFinger(_ isPresent: Bool) {
        guard isPresent != toldFinger else { return }
        toldFinger = isPresent
        if isPresent { hasSeenFinger = true }
        onFinger?(isPresent)
    }

    private func deviceRemoved() {
        isGone()
        if let running {
            // Some drivers wait for ever for a device that is gone, so nobody waits for them.
            running.cancel()
            later { running.end(nil) }
        } else {
            later { self.closeRemoved() }
        }
    }

    /// Notices that the device is gone, where libfprint didn't tell.
    func leaveIfGone() {
        if hasLeftUSB(device.pointer) { deviceRemoved() }
    }

    private func isGone() {
        guard !isRemoved else { return }
        isRemoved = true
        onRemoved(self)
    }

    private func closeRemoved() {
        guard running == nil, isOpen else { return }
        startClosing { _ in }
    }
}

/// What one identification shows, told once.
@MainActor private final class Touch {
    let gallery: Gallery
    private var shown: (@MainActor (Identification) -> Void)?
    var isShown: Bool { shown == nil }

    init(of gallery: consuming Gallery, shown: @escaping @MainActor (Identification) -> Void) {
        self.gallery = gallery
        self.shown = shown
    }

    /// Takes libfprint's word for a match only if the print is one of the gallery.
    func report(match: OpaquePointer?, error: UnsafePointer<GError>? = nil) {
        switch error.map(DeviceError.init) {
        case .retry(let reason): report(.retry(reason))
        case .fault: break  // The call's end tells it.
        case nil: report(match.flatMap { gallery.place(of: $0) }.map(Identification.matched) ?? .noMatch)
        }
    }

    func report(_ identification: Identification) {
        let shown = self.shown
        self.shown = nil
        shown?(identification)
    }
}

/// The touches of one enrolment.
@MainActor private final class Stages {
    private let progress: @MainActor (_ completed: Int, _ retry: RetryReason?) -> Void

    init(_ progress: @escaping @MainActor (_ completed: Int, _ retry: RetryReason?) -> Void) {
        self.progress = progress
    }

    func report(_ completed: Int, _ error: UnsafePointer<GError>?) {
        switch error.map(DeviceError.init) {
        case .retry(let reason): progress(completed, reason)
        case .fault: break  // The call's end tells it.
        case nil: progress(completed, nil)
        }
    }
}

extension ReaderDescription {
    init(_ device: FpDevicePointer) {
        func text(_ string: UnsafePointer<CChar>?) -> String { string.map { String(cString: $0) } ?? "" }
        func has(_ feature: FpDeviceFeature) -> Bool { fp_device_has_feature(device, feature) != 0 }
        let place = USBPlace(of: device)
        self.init(
            driver: text(fp_device_get_driver(device)),
            deviceID: text(fp_device_get_device_id(device)),
            name: text(fp_device_get_name(device)),
            scan: fp_device_get_scan_type(device) == FP_SCAN_TYPE_SWIPE ? .swipe : .press,
            enrollStages: Int(fp_device_get_nr_enroll_stages(device)),
            canIdentify: has(FP_DEVICE_FEATURE_IDENTIFY),
            canVerify: has(FP_DEVICE_FEATURE_VERIFY),
            canList: has(FP_DEVICE_FEATURE_STORAGE_LIST),
            canDelete: has(FP_DEVICE_FEATURE_STORAGE_DELETE),
            isBuiltIn: place?.isPartOfMachine ?? true,
            busPath: place?.path ?? "")
    }
}
