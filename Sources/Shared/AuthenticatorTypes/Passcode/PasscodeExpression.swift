// Purpose: the only Swift that touches PCRE2. Expressions come from root's configuration, secrets from people:
// compilation and matching are both bounded, so that no expression hangs a login (A22), and the memory that PCRE2 allocates is
// wiped.

import CPCRE2
import Glibc

/// A regular expression that a whole passcode must match.
///
/// Anchored at both ends, `$` at the very end only, UTF-8, `\d` is 0-9, no JIT. A match that reaches a limit is not a match.
@safe public final class PasscodeExpression: @unchecked Sendable {
  // Sendable because PCRE2 never changes a compiled expression and each match brings its own working memory.
  private let code: OpaquePointer

  /// The expression as written.
  public let pattern: String

  /// The longest expression, in bytes.
  public static let maximumLength = 4096

  private static let maximumCompiledSize = 64 * 1024
  private static let matchLimit: UInt32 = 100_000
  private static let depthLimit: UInt32 = 250
  private static let heapLimitKibibytes: UInt32 = 1024

  /// Compiles an expression.
  ///
  /// - Throws: ``PasscodeExpressionError``.
  public init(_ pattern: String) throws(PasscodeExpressionError) {
    self.pattern = pattern
    let bytes = Array(pattern.utf8)
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= Self.maximumLength else { throw .tooLarge }
    let options =
      PCRE2_UTF | PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UCP | PCRE2_NEVER_BACKSLASH_C
    var errorCode: CInt = 0
    var errorOffset = 0
    // SAFETY: PCRE2 reads the pattern's bytes only during the call, and writes the two numbers.
    let compiled = unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe pcre2_compile_8(buffer.baseAddress, buffer.count, options, &errorCode, &errorOffset, nil)
    }
    guard let compiled = unsafe compiled else {
      if errorCode == PCRE2_ERROR_HEAP_FAILED { throw .outOfMemory }
      throw .doesNotCompile(offset: errorOffset, reason: Self.reason(errorCode))
    }
    var size = 0
    // SAFETY: the expression was just compiled, and PCRE2_INFO_SIZE writes a size_t.
    let known = unsafe pcre2_pattern_info_8(compiled, UInt32(PCRE2_INFO_SIZE), &size) == 0
    guard known, size <= Self.maximumCompiledSize else {
      unsafe pcre2_code_free_8(compiled)
      throw .tooLarge
    }
    unsafe code = compiled
  }

  deinit {
    // SAFETY: the expression is only ours, and nothing uses it any longer.
    unsafe pcre2_code_free_8(code)
  }

  /// Whether the whole secret matches; also false if a limit is reached or there is no memory.
  public func matches(_ value: Span<UInt8>) -> Bool {
    // SAFETY: everything that PCRE2 makes here is freed here, in the reverse order; free functions take nil. The value's bytes
    // are read only during the match, and PCRE2 keeps no copy of them (no PCRE2_COPY_MATCHED_SUBJECT).
    guard let memory = unsafe pcre2_general_context_create_8(WipedMemory.allocate, WipedMemory.free, nil) else {
      return false
    }
    defer { unsafe pcre2_general_context_free_8(memory) }
    guard let context = unsafe pcre2_match_context_create_8(memory) else { return false }
    defer { unsafe pcre2_match_context_free_8(context) }
    unsafe pcre2_set_match_limit_8(context, Self.matchLimit)
    unsafe pcre2_set_depth_limit_8(context, Self.depthLimit)
    unsafe pcre2_set_heap_limit_8(context, Self.heapLimitKibibytes)
    guard let data = unsafe pcre2_match_data_create_from_pattern_8(code, memory) else { return false }
    defer { unsafe pcre2_match_data_free_8(data) }
    return unsafe value.withUnsafeBufferPointer { bytes in
      unsafe pcre2_match_8(code, bytes.baseAddress, bytes.count, 0, PCRE2_NO_JIT, data, context) > 0
    }
  }

  /// A lower limit for the characters of every match; 0 if PCRE2 does not know one.
  public var minimumLength: Int {
    var length: UInt32 = 0
    // SAFETY: the expression is compiled, and PCRE2_INFO_MINLENGTH writes a uint32_t.
    let isKnown = unsafe pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_MINLENGTH), &length) == 0
    return isKnown ? Int(length) : 0
  }

  private static func reason(_ code: CInt) -> String {
    var text = [UInt8](repeating: 0, count: 256)
    // SAFETY: PCRE2 writes at most the given number of bytes and returns how many, or a negative number.
    let length = unsafe text.withUnsafeMutableBufferPointer { buffer in
      unsafe pcre2_get_error_message_8(code, buffer.baseAddress, buffer.count)
    }
    return length > 0 ? String(decoding: text.prefix(Int(length)), as: UTF8.self) : "error \(code)"
  }
}

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
    case .empty: "the expression is empty and would refuse every value: write one, or remove the key"
    case .tooLarge:
      "the expression is too large (at most \(PasscodeExpression.maximumLength) bytes, and 64 KiB once compiled): "
        + "shorten it or split it into several"
    case .outOfMemory: "no memory for an expression: free some, or raise the process's address space limit"
    }
  }
}
