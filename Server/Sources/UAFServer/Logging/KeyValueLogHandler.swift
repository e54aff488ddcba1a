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
      fields: fields)
    _ = DescriptorWriter.write(line, to: STDERR_FILENO)
  }

  /// The line in UTF-8, with its line feed; fields in the order of their names.
  ///
  /// A login has two lines, so they are made without an array of fields or texts in between.
  static func line(time: String, level: String, message: String, fields: Logger.Metadata) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(256)
    append("time", time, to: &line)
    append(" level", level, to: &line)
    append(" msg", message, to: &line)
    for name in fields.keys.sorted() {
      guard let value = fields[name] else { continue }
      line.append(UInt8(ascii: " "))
      if case .string(let text) = value { append(name, text, to: &line) } else { append(name, "\(value)", to: &line) }
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  private static func append(_ name: String, _ text: String, to line: inout [UInt8]) {
    line.append(contentsOf: name.utf8)
    line.append(UInt8(ascii: "="))
    let isPlain =
      !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != 0x5C }
    if isPlain {
      line.append(contentsOf: text.utf8)
    } else {
      line.append(contentsOf: ShownValue.quoted(text, maximumCount: 512).utf8)
    }
  }
}
