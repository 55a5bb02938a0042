import Foundation
import LocalAuthentication

func ask() async {
    let context = LAContext()
    do {
        try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "open the vault")
        print("open")
    } catch LAError.userCancel {
        print("another time, then")
    } catch {
        print(error.localizedDescription)
    }
}
