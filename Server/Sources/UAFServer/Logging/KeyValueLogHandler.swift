import Glibc
import HostSystem
import Logging
import UAFDecoder

/// Writes one line for each event to standard error: `time=… level=… msg=… key=value …`.
///
/// Values with characters that are not plain are quoted. Characters that could control a terminal or begin a new line are
/// escaped, because strangers choose some of the values.
struct KeyValueLogHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var fields = event.metadata ?? [:]
    if !metadata.isEmpty { fields.merge(metadata) { own, _ in own } }
    let line = Self.line(
      time: SecondText.iso8601.text(at: Terminal.now), level: event.level.rawValue, message: event.message.description,
      fields: fields.map { ($0.key, $0.value.description) })
    _ = DescriptorWriter.write(Array(line.utf8), to: STDERR_FILENO)
  }

  /// The line with its line feed; the fields are sorted by their names.
  static func line(time: String, level: String, message: String, fields: [(String, String)]) -> String {
    var line = "time="
    append(time, to: &line)
    line += " level="
    append(level, to: &line)
    line += " msg="
    append(message, to: &line)
    for (name, text) in fields.sorted(by: { $0.0 < $1.0 }) {
      line += " "
      line += name
      line += "="
      append(text, to: &line)
    }
    line += "\n"
    return line
  }

  private static func append(_ text: String, to line: inout String) {
    let isPlain =
      !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != 0x5C }
    line += isPlain ? text : ShownValue.quoted(text, maximumCount: 512)
  }
}
