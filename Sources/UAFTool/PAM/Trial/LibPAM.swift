import CPAM
import Glibc

/// libpam, asked with services of a folder of ours (Linux-PAM 1.4).
struct LibPAM: StackTester {
  /// Where the tool is called from; nil without a terminal.
  let tty: String?

  func cancelled(_ service: String, in folder: String, as user: String) -> CInt {
    // SAFETY: the conversation lives until the handle is ended, inside.
    var conversation = unsafe pam_conv(conv: Self.cancel, appdata_ptr: nil)
    return unsafe authenticate(service, in: folder, as: user, &conversation).code
  }

  func answered(
    _ service: String, in folder: String, as user: String, in surroundings: Surroundings
  ) -> Result<Void, StackRefusal> {
    guard let terminal = surroundings.terminal else {
      return .failure(StackRefusal(code: PAM_CONV_ERR, text: "standard input is no terminal"))
    }
    var person = PAMPerson(terminal: terminal, surroundings: surroundings)
    // SAFETY: person and conversation live until the handle is ended, inside.
    let end = unsafe withUnsafeMutablePointer(to: &person) { person in
      var conversation = unsafe pam_conv(conv: PAMPerson.converse, appdata_ptr: person)
      return unsafe authenticate(service, in: folder, as: user, &conversation)
    }
    return end.code == PAM_SUCCESS ? .success(()) : .failure(end)
  }

  private func authenticate(
    _ service: String, in folder: String, as user: String, _ conversation: UnsafePointer<pam_conv>
  ) -> StackRefusal {
    var handle: OpaquePointer?
    // SAFETY: the texts live for the call, the conversation until after pam_end.
    var code = unsafe pam_start_confdir(service, user, conversation, folder, &handle)
    guard code == PAM_SUCCESS, let handle = unsafe handle else {
      return StackRefusal(code: PAM_ABORT, text: "the stack cannot be read")
    }
    _ = unsafe pam_skip_delays(handle)
    if let tty { _ = unsafe tty.withCString { unsafe pam_set_item(handle, PAM_TTY, $0) } }
    code = unsafe pam_authenticate(handle, 0)
    // SAFETY: libpam's text is a constant of its own, and NUL-terminated.
    let text = unsafe pam_strerror(handle, code).map { unsafe String(cString: $0) } ?? ""
    unsafe pam_end(handle, code)
    return StackRefusal(code: code, text: text)
  }

  /// Says nothing to any question; what needs no answer is taken.
  private static let cancel:
    @convention(c) (
      CInt, UnsafeMutablePointer<UnsafePointer<pam_message>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<pam_response>?>?, UnsafeMutableRawPointer?
    ) -> CInt = { count, messages, responses, _ in
      // SAFETY: libpam lends as many messages as it says, each of them a valid one.
      guard let messages = unsafe messages, let responses = unsafe responses, count > 0 else { return PAM_CONV_ERR }
      for index in 0..<Int(count) {
        guard let style = unsafe messages[index]?.pointee.msg_style, style == PAM_TEXT_INFO || style == PAM_ERROR_MSG
        else { return PAM_CONV_ERR }
      }
      // SAFETY: calloc gives zeroed room for that many, which libpam frees.
      unsafe responses.pointee = calloc(Int(count), MemoryLayout<pam_response>.stride)?
        .assumingMemoryBound(to: pam_response.self)
      return unsafe responses.pointee == nil ? PAM_BUF_ERR : PAM_SUCCESS
    }
}
