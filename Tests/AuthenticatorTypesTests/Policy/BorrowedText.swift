import SecretMemory

@testable import AuthenticatorTypes

// The expectation macro cannot take an expression with a Span, so tests pass arrays and texts to the functions here.

extension PasscodeExpression {
  func accepts(_ bytes: [UInt8]) -> Bool { matches(bytes.span) }
  func accepts(_ text: String) -> Bool { accepts(Array(text.utf8)) }
}

extension PasscodeFormat {
  static func canStore(_ bytes: [UInt8]) -> Bool { (try? normalised(bytes: bytes)) != nil }
  /// The normalised form of the bytes; nil if they are refused.
  static func normalised(bytes: [UInt8]) throws -> [UInt8]? {
    guard let form = normalised(try Secret(copying: bytes.span)) else { return nil }
    return form.withBytes { span in span.indices.map { span[$0] } }
  }

  static func canStore(_ text: String) -> Bool { canStore(Array(text.utf8)) }
}

extension PasscodeUIType {
  func accepts(text: String) -> Bool {
    let bytes = Array(text.utf8)
    return accepts(bytes.span)
  }
}

extension PasscodePolicy {
  func problems(_ bytes: [UInt8]) -> [PasscodeProblem] { check(bytes.span) }
  func problems(_ text: String) -> [PasscodeProblem] { problems(Array(text.utf8)) }
  func keys(_ text: String) -> [String] { problems(text).map(\.key) }
}
