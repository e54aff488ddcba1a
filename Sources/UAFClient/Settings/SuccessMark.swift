import UAFMessages

/// The configured mark of a success in answers without a status code of UAF: a member and its value.
public struct SuccessMark: Equatable, Sendable {
  /// The member's name.
  public let member: String

  /// Its text; of a whole number or a truth value, the JSON form.
  public let value: String

  /// Makes a mark.
  public init(member: String, value: String) {
    self.member = member
    self.value = value
  }

  /// Whether an object has the mark.
  func isHeld(by object: JSONObject) -> Bool { text(in: object)?.isIdentical(to: value) ?? false }

  /// The value that an object has in place of the mark's value; nil without the member, or if it has no single value.
  func otherValue(in object: JSONObject) -> String? {
    guard let text = text(in: object), !text.isIdentical(to: value) else { return nil }
    return text
  }

  private func text(in object: JSONObject) -> String? {
    switch object[member] {
    case .string(let text): text
    case .integer(let number): String(number)
    case .bool(let flag): String(flag)
    default: nil
    }
  }
}
