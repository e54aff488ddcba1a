import CPAM
import Glibc
import SecretMemory
import Wording

/// A ``StackAnswerer`` in the form of libpam's conversation.
struct PAMPerson {
  let answerer: any StackAnswerer

  /// libpam's conversation with the `PAMPerson` that is handed along.
  static let converse:
    @convention(c) (
      CInt, UnsafeMutablePointer<UnsafePointer<pam_message>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<pam_response>?>?, UnsafeMutableRawPointer?
    ) -> CInt = { count, messages, responses, person in
      // SAFETY: libpam lends as many messages as it says; the person is the one that `LibPAM` handed over.
      guard let messages = unsafe messages, let responses = unsafe responses, count > 0,
        let person = unsafe person?.assumingMemoryBound(to: PAMPerson.self).pointee,
        // SAFETY: calloc gives zeroed room for that many, which libpam frees if it is told of success.
        let answers = unsafe calloc(Int(count), MemoryLayout<pam_response>.stride)?
          .assumingMemoryBound(to: pam_response.self)
      else { return PAM_CONV_ERR }
      for index in 0..<Int(count) {
        let answered = unsafe messages[index].map { unsafe person.answer($0.pointee, into: &answers[index].resp) }
        guard answered == true else {
          unsafe Self.discard(answers, count: Int(count))
          return PAM_CONV_ERR
        }
      }
      unsafe responses.pointee = unsafe answers
      return PAM_SUCCESS
    }

  private func answer(_ message: pam_message, into place: inout UnsafeMutablePointer<CChar>?) -> Bool {
    // SAFETY: a message's text is NUL-terminated, and lives for the conversation.
    let text = unsafe message.msg.map { unsafe ShownText.lines(String(cString: $0)) } ?? ""
    let style = unsafe message.msg_style
    guard style == PAM_PROMPT_ECHO_OFF || style == PAM_PROMPT_ECHO_ON else {
      answerer.hear(text)
      return true
    }
    guard let value = answerer.answer(text, isShown: style == PAM_PROMPT_ECHO_ON) else { return false }
    // SAFETY: room for the value and a NUL, which calloc put there; libpam wipes and frees it.
    unsafe place = value.withBytes { bytes in
      let copy = unsafe calloc(bytes.count + 1, 1)?.assumingMemoryBound(to: CChar.self)
      if let copy = unsafe copy {
        for index in bytes.indices { unsafe copy[index] = CChar(bitPattern: bytes[index]) }
      }
      return unsafe copy
    }
    return unsafe place != nil
  }

  /// Wipes and frees what was entered before the conversation was given up.
  private static func discard(_ answers: UnsafeMutablePointer<pam_response>, count: Int) {
    for index in 0..<count {
      // SAFETY: each text is ours and NUL-terminated, or not there.
      guard let text = unsafe answers[index].resp else { continue }
      unsafe explicit_bzero(text, strlen(text))
      unsafe free(text)
    }
    unsafe free(answers)
  }
}
