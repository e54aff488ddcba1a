/// One line of the log: `event=...`, then `key=value` parts in the order of ``LogKey``, each once at most.
///
/// No value can be mistaken for another part, or for another line. Bytes outside visible ASCII, and `%`, `"` and `=`, are written
/// as `%XX`; text for people stands in quotes, where `\u{X}` stands for quotes, backslashes, an `=` right after a letter, a digit
/// or `_`, and for control characters and invisible ones.
struct LogLine: CustomStringConvertible {
  /// What it is about.
  let event: LogEvent
  private var values: [LogKey: String] = [:]
  /// Longest value in bytes, before escaping.
  private static let valueLimit = 256

  /// Begins a line with what happened.
  init(_ event: LogEvent) { self.event = event }

  /// The line, without its end.
  var description: String {
    LogKey.allCases.reduce("event=\(event.rawValue)") { line, key in
      values[key].map { "\(line) \(key.rawValue)=\($0)" } ?? line
    }
  }

  /// Sets a part, if there is a value for it.
  mutating func add(_ key: LogKey, _ value: String?) {
    guard let value else { return }
    if key.isQuoted { values[key] = Self.quoted(value) } else { add(key, Array(value.utf8)) }
  }

  /// Sets a part whose value comes from outside.
  mutating func add(_ key: LogKey, _ value: [UInt8]?) {
    guard let value else { return }
    guard !key.isQuoted else { return add(key, String(decoding: value, as: UTF8.self)) }
    var text = ""
    for byte in value.prefix(Self.valueLimit) {
      if (0x21...0x7e).contains(byte), !Array("%\"=".utf8).contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    values[key] = text
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    var followsWord = false
    for scalar in text.unicodeScalars.prefix(4 * valueLimit) {
      // A key is a word right before its "=": what looks like one must not be found in here.
      if isHidden(scalar) || scalar == "\"" || scalar == "\\" || scalar == "=" && followsWord {
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        result.unicodeScalars.append(scalar)
      }
      followsWord = scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_"
    }
    return result + "\""
  }

  /// A log is read on terminals: bidirectional and invisible code points would make a line look like another one.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
    default: scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}
