import CPAM
import Glibc
import SecretMemory
import Wording

/// libpam, which reads the services from a folder that we choose; this needs Linux-PAM 1.4.
package struct LibPAM: StackTester {
  /// The terminal that the tool is called from; nil without one.
  package let tty: String?

  /// - Parameter tty: the terminal that the tool is called from; nil without one.
  package init(tty: String?) { self.tty = tty }

  // Longer than a core waits for its server; a module that takes longer counts as hung.
  private static let patienceSeconds: UInt32 = 120

  /// libpam's code for a person who cancels every prompt; each try has its own process, and ends after 120 s.
  package func cancelled(_ service: String, in folder: String, as user: String) throws(TrialProblem) -> CInt {
    try ended(PAM_TRIED_AUTHENTICATION, service, in: folder, as: user)
  }

  /// libpam's code for whether an account may use the service; this too is tried in a process of its own.
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

  // The offset that is added to the number of the signal that ended the try.
  private static let signals: CInt = 256

  /// Lets a person log in, in this process.
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

  /// Starts the shell of a person with this name, as the password database has it.
  package func session(
    of name: String, shell: String, opening service: String?, in folder: String, needsSudo: Bool
  ) -> SessionFlaw? {
    guard let person = SystemPasswords().sessionPerson(name) else { return .notTried(ENOENT) }
    return SessionTrial(person: person, service: service.map { ($0, folder) }).run(shell: shell, needsSudo: needsSudo)
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

/// A ``StackAnswerer`` in the form of libpam's conversation.
struct PAMPerson {
  let answerer: any StackAnswerer

  /// libpam's conversation with the `PAMPerson` that is passed along.
  static let converse:
    @convention(c) (
      CInt, UnsafeMutablePointer<UnsafePointer<pam_message>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<pam_response>?>?, UnsafeMutableRawPointer?
    ) -> CInt = { count, messages, responses, person in
      // SAFETY: libpam lends as many messages as it says; the person is the one that `LibPAM` handed over.
      guard let messages = unsafe messages, let responses = unsafe responses, count > 0,
        let person = unsafe person?.assumingMemoryBound(to: PAMPerson.self).pointee,
        // SAFETY: calloc gives zeroed room for that many, which libpam frees if the call returns success.
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

  /// Wipes and frees the entries made before the conversation was given up.
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

/// The account that logs in while a stack is tried, and who answers for it.
package struct TrialPerson {
  let name: String
  let answerer: (any StackAnswerer)?

  /// - Parameter answerer: nil if nobody is there to answer: the trial is then refused.
  package init(name: String, answerer: (any StackAnswerer)?) {
    self.name = name
    self.answerer = answerer
  }
}

/// Somebody who answers libpam's prompts while a stack is tried.
package protocol StackAnswerer {
  /// The entry at a prompt; nil if there is none, which ends the trial.
  ///
  /// - Parameters:
  ///   - question: libpam's text without anything that controls a terminal.
  ///   - isShown: whether the entry may be seen.
  func answer(_ question: String, isShown: Bool) -> Secret?
  /// Shows a message that needs no entry; like the prompts, it contains nothing that controls a terminal.
  func hear(_ text: String)
}
