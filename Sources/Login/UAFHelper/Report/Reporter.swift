import Authenticator
import AuthenticatorTypes
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
  /// - Throws: ``Ending`` if the front end is gone.
  func finish(_ success: Success) throws(Ending) {
    defer { log.writeAuditRecords() }
    var finished = PAMExit.finished(success)
    finished.text =
      success.detail?.text(in: policy.language) ?? success.text?.text(in: policy.language, codes: policy.codeUse)
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

  /// Logs a success as unused if the front end ended without reading it.
  ///
  /// The module closes its socket right after the last message, so this does not wait long. uafctl may run longer; for it,
  /// nothing is logged, because nothing depends on its having read the result.
  func noteDelivery() {
    if !call.caller.isTool, frontEnd.leftUnread(timeoutMilliseconds: 1000) { noteUntaken() }
  }

  private func noteUntaken() {
    log.write(.conversation, .warning) { line in
      line.add(.unused, "yes")
      line.add(.detail, "the front end did not read the success")
    }
  }

  /// Reports an ending to the person, the log and the front end.
  ///
  /// - Throws: ``Ending`` if the front end is gone.
  func finish(_ ending: Ending) throws(Ending) {
    defer { log.writeAuditRecords() }
    let context = context(of: ending)
    let code = PAMExit.code(of: ending, in: context)
    log.write(outcome(ending.result, code), of: ending)
    let text = text(of: ending)
    // A PAM host itself only says "try again", so the reason is sent as an error message, once.
    if !call.caller.isTool, code != .ignore, frontEnd.state == .working { try frontEnd.send(.error(text)) }
    try frontEnd.send(.finished(PAMExit.finished(ending, in: context, text: text)))
  }

  private func outcome(_ result: FidoResult, _ code: PAMCode) -> CallOutcome {
    CallOutcome(
      caller: call.caller, operation: call.begin.operation, result: result, code: code,
      policyVersion: policy.configuration.policyVersion)
  }

  /// What the PAM code depends on in addition to the result.
  private func context(of ending: Ending) -> PAMContext {
    let operation = call.begin.operation
    return PAMContext(
      stage: operation == .change || operation == .reset ? .password : .authentication,
      // A PAM stack may fall back because the server is unreachable only if the person has entered a correct secret.
      mustNotReportUnavailable: ending.server.handshakeCompleted || !ending.hasProved,
      spokenByServer: ending.server.hasSpoken,
      hideState: policy.hidesState, nouserok: policy.arguments.nouserok != nil && call.isLogin,
      neverHadRow: ending.circumstance == .neverRegistered,
      leavesToOthers: ending.circumstance == .nothingToChange)
  }

  private func text(of ending: Ending) -> String {
    let caller = call.caller
    // Root's uafctl shows the details about a damaged file or a changed name. "Locked" would be misleading, because unlocking
    // does not help.
    if let detail = ending.detail ?? (caller.isRoot && caller.isTool ? ending.forRoot : nil) {
      return detail.text(in: policy.language)
    }
    if policy.hidesState, ending.showsRegistration {
      return PromptText.wrong(policy.hiddenKind, triesLeft: nil).text(in: policy.language)
    }
    return ending.told(in: policy.language, toTool: caller.isTool, codes: policy.codeUse)
  }
}

/// The writer of one call's lines in the log and records in the kernel's audit.
final class CallLog {
  private let call: Call
  private let sink: any LogSink
  private let audit: any AuditSink
  /// The records for the kernel's audit.
  ///
  /// They are written only after the front end was told how the call ended.
  private var records: [AuditRecord] = []

  init(of call: Call, to sink: any LogSink, audit: any AuditSink) {
    self.call = call
    self.sink = sink
    self.audit = audit
  }

  /// Writes a line about an event, with the caller and a text for people.
  func write(_ event: LogEvent, _ text: String, _ level: LogLevel = .notice) {
    write(event, level) { line in line.add(.detail, text) }
  }

  /// Writes a line about an event, with the caller and the parts that `parts` adds.
  func write(_ event: LogEvent, _ level: LogLevel, _ parts: (inout LogLine) -> Void) {
    var line = LogLine(event)
    call.caller.describe(in: &line)
    parts(&line)
    sink.write(line, level)
  }

  /// Writes that the call succeeded.
  func write(_ result: CallOutcome, of success: Success, isUnused: Bool) {
    result.log(success, isUnused: isUnused, to: sink)
  }

  /// Writes how the call ended without success.
  func write(_ result: CallOutcome, of ending: Ending) { result.log(ending, to: sink) }

  /// Adds a record for the kernel's audit.
  ///
  /// The record is written only after the call has ended, because a busy kernel makes writers wait.
  func audit(_ event: AuditEvent, of account: AccountIdentity) {
    records.append(
      AuditRecord(
        event: event, account: account.name, terminal: call.caller.terminal, remoteHost: call.caller.remoteHost))
  }

  /// Writes the records for the kernel's audit.
  ///
  /// If the kernel has no audit, that is not a failure, and only logged at the level debug.
  func writeAuditRecords() {
    guard !records.isEmpty else { return }
    let failure = audit.write(records)
    records = []
    guard failure != 0 else { return }
    write(.audit, "the kernel accepts no audit records (errno \(failure))", .debug)
  }
}

/// How an operation ended, for the log; the form is the same for every outcome.
struct CallOutcome {
  /// The caller; nil if *begin* has fields that this peer is not permitted to send.
  let caller: CallerIdentity?
  let operation: Operation
  let result: FidoResult
  let code: PAMCode
  /// The version of the server's policy that applied; nil if none did.
  var policyVersion: Int64?

  /// Writes the line of a success; `unused=yes` means that the front end had ended before it read the result.
  func log(_ success: Success, isUnused: Bool = false, to sink: any LogSink) {
    var line = line
    line.add(.type, Self.names(success.types))
    if let age = success.offlineAge {
      line.add(.offline, "yes")
      line.add(.age, String(age.components.seconds))
    }
    if isUnused { line.add(.unused, "yes") }
    sink.write(line, isUnused ? .warning : .notice)
  }

  /// Writes the line of an ending without success and, if there was an incident, a second line for that.
  func log(_ ending: Ending, to sink: any LogSink) {
    if let incident = ending.incident {
      var line = LogLine(incident)
      describe(ending, in: &line)
      if case .overreach(let peer, _) = ending.circumstance { line.add(.peer, String(peer)) }
      line.add(.detail, ending.log)
      sink.write(line, .error)
    }
    var line = line
    if caller == nil { describe(ending, in: &line) }
    line.add(.type, Self.names(ending.types))
    if ending.circumstance == .unusedAnswer { line.add(.unused, "yes") }
    line.add(.detail, ending.log)
    let level: LogLevel =
      switch code {
      case .success, .ignore: .notice
      case .systemError, .serviceError: .error
      default: .warning
      }
    sink.write(line, level)
  }

  /// Adds the caller and the account.
  ///
  /// If the caller was refused, the account is the peer's own.
  private func describe(_ ending: Ending, in line: inout LogLine) {
    caller?.describe(in: &line)
    if caller == nil, case .overreach(_, let name) = ending.circumstance { line.add(.account, name) }
  }

  private var line: LogLine {
    var line = LogLine(LogEvent(operation))
    line.add(.result, String(result.code))
    line.add(.name, result.name)
    line.add(.pam, String(code.rawValue))
    caller?.describe(in: &line)
    line.add(.policy, policyVersion.map { String($0) })
    return line
  }

  private static func names(_ types: [AuthenticatorType]) -> String? {
    types.isEmpty ? nil : types.map(\.rawValue).joined(separator: ",")
  }
}

/// Translates the end of an operation into a PAM code; nothing else does.
enum PAMExit {
  /// The PAM code of an ending, according to the table of results.
  static func code(of ending: Ending, in context: PAMContext = PAMContext()) -> PAMCode {
    var context = context
    context.isRootsFault = ending.circumstance == .rootsFault
    return ending.result.pamCode(context)
  }

  /// The last message of a conversation that ends without success.
  static func finished(_ ending: Ending, in context: PAMContext = PAMContext(), text: String) -> Finished {
    var finished = Finished(
      pamCode: UInt8(truncatingIfNeeded: code(of: ending, in: context).rawValue), result: ending.result.code)
    finished.text = text
    return finished
  }

  /// The last message of a conversation that ends with success.
  static func finished(_ success: Success) -> Finished {
    Finished(pamCode: UInt8(PAMCode.success.rawValue), result: success.result.code)
  }
}

extension Duration {
  /// The duration in whole seconds, for a text.
  ///
  /// It is rounded up, so that a lock that still applies is never shown as 0.
  var secondsTold: Int {
    let (seconds, attoseconds) = components
    return Int(clamping: max(1, seconds + (attoseconds > 0 ? 1 : 0)))
  }
}
