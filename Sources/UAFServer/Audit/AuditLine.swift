import FidoResults
import UAFMessages
import UAFService

/// A row of the audit as it is printed.
enum AuditLine {
  static let titles = "number\ttime\tkind\toutcome\taccount\tactor\taddress\tmachine\tauthenticators\tdetail"

  /// A line for people.
  ///
  /// Strangers choose some of the texts, and whoever can change the store all of them: what is no plain text is replaced.
  ///
  /// - Parameter row: as ``APIShapes`` shows it.
  static func text(_ row: JSONObject) -> String {
    let texts = APIShapes.auditTexts.map { row.said($0, limit: 1024) }
    return ([row.number("number"), row.time("time", orElse: "-")] + texts).joined(separator: "\t")
  }

  /// The whole row as JSON in ASCII, from which its hash can be computed again.
  static func json(_ row: AuditRow) -> String {
    JSONText.ascii(JSONValue.object(APIShapes.auditRow(row)).text)
  }
}
