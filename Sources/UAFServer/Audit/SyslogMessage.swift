import FidoResults
import UAFMessages
import UAFService

/// A row of the audit as a syslog message (RFC 5424), in the frame that TLS needs (RFC 5425, section 4.3).
enum SyslogMessage {
  /// The id of the structured data.
  ///
  /// 32473 is the number for examples (RFC 5612): nobody else's data has it by right.
  static let dataID = "uafAudit@32473"

  /// Facility 13, log audit, and severity 5, notice (RFC 5424, section 6.2.1).
  private static let notice = 13 * 8 + 5
  private static let warning = 13 * 8 + 4
  private static let critical = 13 * 8 + 2

  /// A message after its length in bytes and a space.
  ///
  /// - Parameter host: the name of the machine that sends.
  static func frame(_ row: AuditRow, host: String) -> [UInt8] {
    let message = Array(text(row, host: host).utf8)
    return Array("\(message.count) ".utf8) + message
  }

  /// The message.
  ///
  /// A text without content has no parameter.
  static func text(_ row: AuditRow, host: String) -> String {
    let event = row.event
    let header = [
      "<\(priority(event))>1", SecondText.iso8601.text(at: event.time), printable(host, limit: 255), "uaf-server", "-",
      printable(event.kind.rawValue, limit: 32),
    ].joined(separator: " ")
    let names = ["kind", "outcome", "account", "actor", "address", "machine", "authenticators", "detail"]
    var data = "number=\"\(row.number)\" hash=\"\(Base64URL.encode(row.link.hash))\""
    for (name, text) in zip(names, event.texts) where !text.isEmpty { data += " \(name)=\"\(escaped(text))\"" }
    return "\(header) [\(dataID) \(data)]"
  }

  private static func priority(_ event: AuditEntry) -> Int {
    if event.kind == .broken || event.kind == .unsigned { return critical }
    return event.outcome == AuditEntry.done ? notice : warning
  }

  /// What may stand in the header: printable ASCII without spaces; "-" for nothing.
  private static func printable(_ text: String, limit: Int) -> String {
    let kept = text.unicodeScalars.filter { (0x21...0x7E).contains($0.value) }.prefix(limit)
    return kept.isEmpty ? "-" : String(String.UnicodeScalarView(kept))
  }

  /// A value of a parameter (RFC 5424, section 6.3.3).
  ///
  /// Control characters could begin a line of their own where the receiver writes to a file, and others turn around what stands
  /// beside them: they are written as their numbers.
  static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in Text.marked(text).unicodeScalars {
      if scalar == "\"" || scalar == "\\" || scalar == "]" { escaped.append("\\") }
      escaped.append(scalar)
    }
    return String(escaped)
  }
}
