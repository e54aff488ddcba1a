import FidoResults
import UAFConfiguration
import UAFWire

extension Session {
  /// Says how it ended, to the log and to the front end.
  func finish(_ success: Success) throws(Ending) {
    defer { writeAuditRecords() }
    var finished = Finished(pamCode: 0, result: success.result.code)
    finished.text = success.detail ?? success.text?.text(in: language)
    finished.document = success.document
    if begin.wantsToken { finished.token = success.token }
    finished.staleValue = success.valueIsStale
    let name = settings.general.exportToken
    if begin.operation == .authenticate, !name.isEmpty, let token = success.token, token.utf8.count <= WireLimit.token {
      try frontEnd.send(.setenv(name: name, value: token))
    }
    Outcome(caller: caller, operation: begin.operation, result: success.result, code: .success)
      .log(success, isUnused: frontEnd.isGone, to: surroundings.log)
    do throws(Ending) { try frontEnd.send(.finished(finished)) } catch {
      noteUntaken()
      throw error
    }
  }

  /// Logs a success that the front end did not read, because it had ended.
  ///
  /// The module closes its end right after the last message. uafctl may go on for a while, and runs nothing after it.
  func noteDelivery() {
    if !caller.isTool, frontEnd.leftUnread(timeoutMilliseconds: 1000) { noteUntaken() }
  }

  private func noteUntaken() {
    var line = LogLine(.conversation)
    caller.describe(in: &line)
    line.add(.unused, "yes")
    line.add(.detail, "the front end did not take the success")
    surroundings.log.write(line, .warning)
  }

  /// Says how it ended, to the person, the log and the front end.
  func finish(_ ending: Ending) throws(Ending) {
    defer { writeAuditRecords() }
    let context = PAMContext(
      stage: begin.operation == .change || begin.operation == .reset ? .password : .authentication,
      // A server that is away leaves to a stack's next lines only who has proved something here.
      tlsHandshakeCompleted: ending.handshakeCompleted || !ending.hasProved, spokenByServer: ending.isServers,
      hideState: hidesState, nouserok: arguments.nouserok && begin.operation == .authenticate,
      neverHadRow: ending.neverHadRow, isRootsFault: ending.isRootsFault)
    let code = ending.leavesToOthers ? .ignore : ending.result.pamCode(context)
    Outcome(caller: caller, operation: begin.operation, result: ending.result, code: code)
      .log(ending, to: surroundings.log)
    let text = text(of: ending)
    var finished = Finished(pamCode: UInt8(truncatingIfNeeded: code.rawValue), result: ending.result.code)
    finished.text = text
    // A PAM host shows nothing of its own beside its "try again": what is wrong is said here, once.
    if !caller.isTool, code != .ignore, frontEnd.state == .working { try frontEnd.send(.error(text)) }
    try frontEnd.send(.finished(finished))
  }

  private func text(of ending: Ending) -> String {
    var ending = ending
    // Root's own uafctl hears what is wrong with a file or a name: nobody has entered anything too often, and no unlocking helps.
    if ending.detail == nil, caller.isRoot, caller.isTool { ending.detail = ending.forRoot }
    if ending.detail == nil, hidesState, [.locked, .lockedForGood, .notRegistered, .wrongValue].contains(ending.result)
    {
      return PromptText.wrong(hiddenKind, triesLeft: nil).text(in: language)
    }
    return ending.told(in: language, toTool: caller.isTool)
  }
}
