import FidoResults
import UAFAdministration
import UAFMessages

extension JSONObject {
  /// A member that is a text; nil if there is none.
  func text(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  /// A member that is a whole number; nil if there is none.
  func integer(_ name: String) -> Int64? {
    if case .integer(let number)? = self[name] { number } else { nil }
  }

  /// Whether a member is true.
  func isTrue(_ name: String) -> Bool { self[name] == .bool(true) }

  /// A member that is an object; nil if there is none.
  func object(_ name: String) -> JSONObject? {
    if case .object(let object)? = self[name] { object } else { nil }
  }

  /// The objects of a list.
  func objects(_ name: String) -> [JSONObject] {
    guard case .array(let values)? = self[name] else { return [] }
    return values.compactMap { if case .object(let object) = $0 { object } else { nil } }
  }

  /// The texts of a list.
  func texts(_ name: String) -> [String] {
    guard case .array(let values)? = self[name] else { return [] }
    return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  // MARK: For people

  /// A number as people read it; 0 if there is none.
  func number(_ name: String) -> String { String(integer(name) ?? 0) }

  /// A time as people read it.
  func time(_ name: String, orElse text: String) -> String { integer(name).map(Terminal.time) ?? text }

  /// What somebody said of themself, as a cell of a table; `-` for nothing.
  ///
  /// It may be anything, also tabs, escape sequences and what a spreadsheet would compute.
  func said(_ name: String, limit: Int = 128) -> String {
    guard let text = text(name), !text.isEmpty else { return "-" }
    return CSVLine.harmless(Text.marked(text, limit: limit))
  }
}
