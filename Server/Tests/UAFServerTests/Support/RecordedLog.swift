import Logging
import Synchronization

/// A log that a test reads.
///
/// Each line has the message, and then the fields ordered by name.
struct RecordedLog: LogHandler {
  private final class Lines: Sendable {
    let list = Mutex<[String]>([])
  }

  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .info
  private let recorded = Lines()

  var lines: [String] { recorded.list.withLock { $0 } }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
    recorded.list.withLock { $0.append("\(event.message)" + fields.joined()) }
  }
}
