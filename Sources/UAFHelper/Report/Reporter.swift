import FidoResults
import UAFConfiguration
import UAFWire

/// Reports how a call ended: to the person, the log, the kernel's audit and the front end.
@safe final class Reporter {
  private let call: Call
  private let policy: CallPolicy
  private let log: CallLog
  private let frontEnd: FrontEnd

  init(of call: Call, _ policy: CallPolicy, _ log: CallLog, to frontEnd: FrontEnd) {
    self.call = call
    self.policy = policy
    self.log = log
    self.frontEnd = frontEnd
  }

  /// Reports a success to the log and to the front end.
  ///
  /// - Throws: ``Ending``: the front end went away.
  func finish(_ success: Success) throws(Ending) {
    defer { log.writeAuditRecords() }
    var finished = PAMExit.finished(success)
    finished.text = success.detail ?? success.text?.text(in: policy.language)
    finished.document = success.document
    if call.begin.wantsToken { finished.token = success.token }
    finished.staleValue = success.valueIsStale
    let name = policy.settings.general.exportToken
    if call.isLogin, !name.isEmpty, let token = success.token, token.utf8.count <= WireLimit.token {
      try frontEnd.send(.setenv(name: name, value: token))
    }
    log.write(outcome(success.result, .success), of: success, isUnused: frontEnd.isGone)
    do throws(Ending) { try frontEnd.send(.finished(finished)) } catch {
      noteUntaken()
      throw error
    }
  }

  /// Logs a success that the front end did not read, because it had ended.
  ///
  /// The module closes its socket right after the last message. uafctl may run longer, but nothing depends on it then.
  func noteDelivery() {
    if !call.caller.isTool, frontEnd.leftUnread(timeoutMilliseconds: 1000) { noteUntaken() }
  }

  private func noteUntaken() {
    log.write(.conversation, .warning) { line in
      line.add(.unused, "yes")
      line.add(.detail, "the front end did not take the success")
    }
  }

  /// Reports an ending to the person, the log and the front end.
  ///
  /// - Throws: ``Ending``: the front end went away.
  func finish(_ ending: Ending) throws(Ending) {
    defer { log.writeAuditRecords() }
    let context = context(of: ending)
    let code = PAMExit.code(of: ending, in: context)
    log.write(outcome(ending.result, code), of: ending)
    let text = text(of: ending)
    // A PAM host says only "try again": the reason is sent as an error message, once.
    if !call.caller.isTool, code != .ignore, frontEnd.state == .working { try frontEnd.send(.error(text)) }
    try frontEnd.send(.finished(PAMExit.finished(ending, in: context, text: text)))
  }

  private func outcome(_ result: FidoResult, _ code: PAMCode) -> CallOutcome {
    CallOutcome(
      caller: call.caller, operation: call.begin.operation, result: result, code: code,
      policyVersion: policy.configuration.policyVersion)
  }

  /// What the PAM code depends on besides the result.
  private func context(of ending: Ending) -> PAMContext {
    let operation = call.begin.operation
    return PAMContext(
      stage: operation == .change || operation == .reset ? .password : .authentication,
      // The stack may go on without the server only for a person who has entered a correct value.
      tlsHandshakeCompleted: ending.server.handshakeCompleted || !ending.hasProved,
      spokenByServer: ending.server.hasSpoken,
      hideState: policy.hidesState, nouserok: policy.arguments.nouserok && call.isLogin,
      neverHadRow: ending.circumstance == .neverRegistered,
      leavesToOthers: ending.circumstance == .nothingToChange)
  }

  private func text(of ending: Ending) -> String {
    let caller = call.caller
    // Root's uafctl gets what is wrong with a file or a name. "Locked" would mislead: unlocking does not help.
    if let detail = ending.detail ?? (caller.isRoot && caller.isTool ? ending.forRoot : nil) { return detail }
    if policy.hidesState, ending.showsRegistration {
      return PromptText.wrong(policy.hiddenKind, triesLeft: nil).text(in: policy.language)
    }
    return ending.told(in: policy.language, toTool: caller.isTool)
  }
}
