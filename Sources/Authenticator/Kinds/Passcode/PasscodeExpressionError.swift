/// Why an expression cannot be used.
public enum PasscodeExpressionError: Error, Equatable {
  /// It does not compile.
  ///
  /// `offset` counts bytes from its start, `reason` is PCRE2's own text.
  case doesNotCompile(offset: Int, reason: String)
  /// It is empty, so it matches only an empty text.
  case empty
  /// It is longer than ``PasscodeExpression/maximumLength`` bytes, or larger than 64 KiB once compiled.
  case tooLarge
  /// There is no memory.
  case outOfMemory
}

extension PasscodeExpressionError: CustomStringConvertible {
  /// What failed, where, and what to do.
  public var description: String {
    switch self {
    case .doesNotCompile(let offset, let reason):
      "the expression does not compile at position \(offset): \(reason); correct it there"
    case .empty: "the expression is empty and would refuse every value: write one, or leave the key out"
    case .tooLarge:
      "the expression is too large (at most \(PasscodeExpression.maximumLength) bytes, and 64 KiB once compiled): "
        + "shorten it or split it into several"
    case .outOfMemory: "no memory for an expression: free some, or raise the process's address space limit"
    }
  }
}
