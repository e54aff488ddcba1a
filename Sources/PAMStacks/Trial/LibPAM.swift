import CPAM
import Glibc

/// libpam with services of a folder that we choose (Linux-PAM 1.4).
package struct LibPAM: StackTester {
  /// Where the tool is called from; nil without a terminal.
  package let tty: String?

  /// - Parameter tty: where the tool is called from; nil without a terminal.
  package init(tty: String?) { self.tty = tty }

  // Longer than a core waits for its server; a module that takes longer hangs.
  private static let patienceSeconds: UInt32 = 120

  /// libpam's code for somebody who cancels every question; each try has its own process, and ends after 120 s.
  package func cancelled(_ service: String, in folder: String, as user: String) throws(TrialProblem) -> CInt {
    try ended(PAM_TRIED_AUTHENTICATION, service, in: folder, as: user)
  }

  /// libpam's code for an account; in its own process too.
  package func account(_ service: String, in folder: String, as user: String) throws(TrialProblem) -> CInt {
    try ended(PAM_TRIED_ACCOUNT, service, in: folder, as: user)
  }

  private func ended(
    _ tried: pam_tried, _ service: String, in folder: String, as user: String
  ) throws(TrialProblem) -> CInt {
    // SAFETY: the texts live for the call.
    let end = unsafe pam_try_cancelling(tried, service, user, folder, tty, Self.patienceSeconds)
    guard end >= 0 else { throw .notTried(errno) }
    guard end < Self.signals else { throw .crashed(service: service, signal: end - Self.signals) }
    return end
  }

  // What is added to the number of the signal that ended the try.
  private static let signals: CInt = 256

  /// Has a person log in, in this process.
  package func answered(
    _ service: String, in folder: String, as user: String, account: Bool, by answerer: (any StackAnswerer)?
  ) -> Result<Void, StackRefusal> {
    guard let answerer else { return .failure(.noTerminal) }
    var person = PAMPerson(answerer: answerer)
    // SAFETY: person and conversation live until the handle is ended, inside.
    let end = unsafe withUnsafeMutablePointer(to: &person) { person in
      var conversation = unsafe pam_conv(conv: PAMPerson.converse, appdata_ptr: person)
      return unsafe authenticate(service, in: folder, as: user, account: account, &conversation)
    }
    return end.map { .failure($0) } ?? .success(())
  }

  private func authenticate(
    _ service: String, in folder: String, as user: String, account: Bool, _ conversation: UnsafePointer<pam_conv>
  ) -> StackRefusal? {
    var handle: OpaquePointer?
    // SAFETY: the texts live for the call, the conversation until after pam_end.
    var code = unsafe pam_start_confdir(service, user, conversation, folder, &handle)
    guard code == PAM_SUCCESS, let handle = unsafe handle else {
      return .unreadable
    }
    _ = unsafe pam_skip_delays(handle)
    if let tty { _ = unsafe tty.withCString { unsafe pam_set_item(handle, PAM_TTY, $0) } }
    code = unsafe pam_authenticate(handle, 0)
    if code == PAM_SUCCESS, account {
      code = unsafe pam_acct_mgmt(handle, 0)
      // The secret is right; the service only wants it to be changed.
      if code == PAM_NEW_AUTHTOK_REQD { code = PAM_SUCCESS }
    }
    // SAFETY: libpam's text is a constant of its own, and NUL-terminated.
    let text = unsafe pam_strerror(handle, code).map { unsafe String(cString: $0) } ?? ""
    unsafe pam_end(handle, code)
    return code == PAM_SUCCESS ? nil : .code(code, text: text)
  }
}
