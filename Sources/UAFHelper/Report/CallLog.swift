import Authenticator
import UAFWire

/// What one call writes to the log and to the kernel's audit.
final class CallLog {
  private let call: Call
  private let sink: any LogSink
  private let audit: any AuditSink
  /// Records for the kernel's audit, written once the front end knows how the call ended.
  private var records: [AuditRecord] = []

  init(of call: Call, to sink: any LogSink, audit: any AuditSink) {
    self.call = call
    self.sink = sink
    self.audit = audit
  }

  /// Writes a line that says who asked, and a text for people.
  func write(_ event: LogEvent, _ text: String, _ level: LogLevel = .notice) {
    write(event, level) { line in line.add(.detail, text) }
  }

  /// Writes a line that says who asked, and what `parts` adds.
  func write(_ event: LogEvent, _ level: LogLevel, _ parts: (inout LogLine) -> Void) {
    var line = LogLine(event)
    call.caller.describe(in: &line)
    parts(&line)
    sink.write(line, level)
  }

  /// Writes how the call ended.
  func write(_ result: CallOutcome, of success: Success, isUnused: Bool) {
    result.log(success, isUnused: isUnused, to: sink)
  }

  /// Writes how the call ended.
  func write(_ result: CallOutcome, of ending: Ending) { result.log(ending, to: sink) }

  /// Keeps a record for the kernel's audit.
  ///
  /// It is written after the end, because a busy kernel makes writers wait.
  func audit(_ event: AuditEvent, of account: AccountIdentity) {
    records.append(
      AuditRecord(
        event: event, account: account.name, terminal: call.caller.terminal, remoteHost: call.caller.remoteHost))
  }

  /// Writes the records for the kernel's audit.
  ///
  /// A kernel without audit is no failure: only the debug log has it.
  func writeAuditRecords() {
    guard !records.isEmpty else { return }
    let failure = audit.write(records)
    records = []
    guard failure != 0 else { return }
    write(.audit, "the kernel takes no audit records (errno \(failure))", .debug)
  }
}
