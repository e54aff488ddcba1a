import UAFMessages

/// What makes an answer without a status code of UAF a yes: a member and its value, named by root.
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

  /// Whether an answer is an object with the mark, or a list of such objects and of nothing else.
  func isFound(in answer: JSONValue) -> Bool {
    switch answer {
    case .object(let object): isHeld(by: object)
    case .array(let elements):
      !elements.isEmpty
        && elements.allSatisfy { element in
          if case .object(let object) = element { isHeld(by: object) } else { false }
        }
    default: false
    }
  }

  private func isHeld(by object: JSONObject) -> Bool {
    switch object[member] {
    case .string(let text): text.isIdentical(to: value)
    case .integer(let number): String(number) == value
    case .bool(let flag): String(flag) == value
    default: false
    }
  }
}
