import Logging

/// A log in which a test waits for a message.
struct LoggedLines: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .info
  let lines: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  init() { (lines, continuation) = AsyncStream.makeStream() }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { continuation.yield("\(event.message)") }
}
