import FidoResults
import UAFMessages
import UAFService

/// A row of the audit as it is printed.
enum AuditLine {
  static let titles = "number\ttime\tkind\toutcome\taccount\tactor\taddress\tmachine\tauthenticators\tdetail"

  /// A line for people.
  ///
  /// Strangers choose some of the texts, and whoever can change the store all of them: what is no plain text is replaced.
  static func text(_ row: AuditRow) -> String {
    let texts = row.event.texts.map { text in
      let cleaned = Text.cleaned(text, limit: 1024)
      return cleaned.isEmpty ? "-" : cleaned
    }
    return ([String(row.number), Terminal.time(row.event.time)] + texts).joined(separator: "\t")
  }

  /// The whole row as JSON in ASCII, from which its hash can be computed again.
  static func json(_ row: AuditRow) -> String {
    let (event, texts) = (row.event, row.event.texts)
    var object: JSONObject = ["number": .integer(row.number), "time": .integer(event.time)]
    let names = ["kind", "outcome", "account", "actor", "address", "machine", "authenticators", "detail"]
    for (name, text) in zip(names, texts) { object.set(name, .string(text)) }
    object.set("hash", .string(Base64URL.encode(row.link.hash)))
    return ascii(JSONValue.object(object).text)
  }

  /// JSON whose characters beyond ASCII, and DEL, are escaped.
  private static func ascii(_ json: String) -> String {
    var text = ""
    for scalar in json.unicodeScalars {
      if scalar.value < 0x7F {
        text.unicodeScalars.append(scalar)
      } else {
        for unit in UTF16.encode(scalar) ?? .init() {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return text
  }
}
