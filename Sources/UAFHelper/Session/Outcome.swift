import FidoResults
import UAFWire

/// How an operation ended, for the log: the same shape for every outcome.
struct Outcome {
  let caller: Caller
  let operation: Operation
  let result: FidoResult
  let code: PAMCode
  /// How long ago the server had said yes, for a login without it.
  var offlineAge: Duration?

  /// Writes the line.
  func log(detail: String?, to sink: any LogSink) {
    var line = LogLine(event: "\(operation)")
    line.add("result", String(result.code))
    line.add("name", result.name)
    line.add("pam", String(code.rawValue))
    caller.describe(in: &line)
    if let offlineAge {
      line.add("offline", "yes")
      line.add("age", String(offlineAge.components.seconds))
    }
    if let detail { line.addText("detail", detail) }
    let level: LogLevel =
      switch code {
      case .success, .ignore: .notice
      case .systemError, .serviceError: .error
      default: .warning
      }
    sink.write(line.description, level)
  }
}
