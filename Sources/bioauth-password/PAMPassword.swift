import BioauthCore
import CLinux
import CPam
import Glibc

/// A password put to PAM, under the service of this program and no other.
enum PAMPassword {

    enum Outcome {
        case right
        case wrong
        /// PAM could not say, or the account may not be used: a word for the log.
        case unavailable(String)
    }

    /// Runs `pam_authenticate` and `pam_acct_mgmt`.
    ///
    /// Right means that a module asked for a password, got this one and was content, and that the account may be
    /// used: one that has expired, or whose password must be changed first, opens nothing elsewhere either.
    ///
    /// - Parameters:
    ///   - user: the account's canonical name.
    ///   - secret: without NUL; lent for the call. PAM gets one copy, which is PAM's to wipe.
    ///   - directory: where the service's file is.
    static func check(user: String, secret: UnsafeRawBufferPointer, directory: String) -> Outcome {
        // Without its file PAM takes `other`, and whatever is in there; a finger, perhaps.
        let service = Settings.passwordService
        guard access("\(directory)/\(service)", R_OK) == 0 else { return .unavailable("no \(directory)/\(service)") }

        var answer = Answer(secret: secret)
        return withUnsafeMutablePointer(to: &answer) { answer in
            var conversation = pam_conv(conv: converse, appdata_ptr: answer)
            var handle: OpaquePointer?
            var result = pam_start_confdir(service, user, &conversation, directory, &handle)
            guard result == PAM_SUCCESS, let handle else { return .unavailable("pam_start: \(words(result))") }
            defer { pam_end(handle, result) }

            let flags = Int32(PAM_DISALLOW_NULL_AUTHTOK | PAM_SILENT)
            result = pam_authenticate(handle, flags)
            switch result {
            case PAM_SUCCESS: break
            case PAM_AUTH_ERR, PAM_USER_UNKNOWN, PAM_MAXTRIES, PAM_CRED_INSUFFICIENT: return .wrong
            default: return .unavailable("pam_authenticate: \(words(result))")
            }
            // Something else than a password let it in.
            guard answer.pointee.given else { return .unavailable("no module asked for a password") }
            result = pam_acct_mgmt(handle, flags)
            return result == PAM_SUCCESS ? .right : .unavailable("pam_acct_mgmt: \(words(result))")
        }
    }

    private static func words(_ result: Int32) -> String {
        pam_strerror(nil, result).map { String(cString: $0) } ?? String(result)
    }
}

/// What the conversation has to say: the secret, to the first question that is asked without echo.
private struct Answer {
    let secret: UnsafeRawBufferPointer
    var given = false
}

private func converse(
    count: Int32, messages: UnsafeMutablePointer<UnsafePointer<pam_message>?>?,
    responses: UnsafeMutablePointer<UnsafeMutablePointer<pam_response>?>?, context: UnsafeMutableRawPointer?
) -> Int32 {
    guard (1...PAM_MAX_NUM_MSG).contains(count), let messages, let responses, let context,
        let replies = calloc(Int(count), MemoryLayout<pam_response>.stride)?
            .bindMemory(to: pam_response.self, capacity: Int(count))
    else { return PAM_CONV_ERR }
    let answer = context.assumingMemoryBound(to: Answer.self)
    for at in 0..<Int(count) {
        let result = reply(to: messages[at]?.pointee.msg_style ?? 0, answer, &replies[at].resp)
        guard result == PAM_SUCCESS else {
            discard(replies, count)
            return result
        }
    }
    responses.pointee = replies
    return PAM_SUCCESS
}

private func reply(
    to style: Int32, _ answer: UnsafeMutablePointer<Answer>, _ response: inout UnsafeMutablePointer<CChar>?
) -> Int32 {
    switch style {
    case PAM_TEXT_INFO, PAM_ERROR_MSG:
        return PAM_SUCCESS
    case PAM_PROMPT_ECHO_OFF where !answer.pointee.given:
        // Freed by PAM, as pam_conv(3) has it.
        let secret = answer.pointee.secret
        guard let copy = calloc(secret.count + 1, 1) else { return PAM_BUF_ERR }
        UnsafeMutableRawBufferPointer(start: copy, count: secret.count).copyMemory(from: secret)
        response = copy.assumingMemoryBound(to: CChar.self)
        answer.pointee.given = true
        return PAM_SUCCESS
    default:
        // A second question is after something else than the password: a code, a new password.
        return PAM_CONV_ERR
    }
}

private func discard(_ replies: UnsafeMutablePointer<pam_response>, _ count: Int32) {
    for at in 0..<Int(count) {
        guard let response = replies[at].resp else { continue }
        clinux_wipe(response, strlen(response))
        free(response)
    }
    free(replies)
}
