import Authenticator
import FidoResults
import UAFWire

/// How an operation ended, for the log: the same shape for every outcome.
struct CallOutcome {
  /// Who asked; nil where *begin* has fields that this peer may not send.
  let caller: CallerIdentity?
  let operation: Operation
  let result: FidoResult
  let code: PAMCode
  /// The server's policy that counted, by its version; nil for none.
  var policyVersion: Int64?

  /// Writes the line of a success; `unused=yes` says that the front end had ended before it read the result.
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

  /// Writes the line of any other end, and a further one for an incident.
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

  /// Who asked.
  ///
  /// Where the caller was refused, the account of the peer.
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
