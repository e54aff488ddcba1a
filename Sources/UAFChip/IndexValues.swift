import SecretMemory

/// The two values that the core derives of what a person enters: one that the index asks for, and one that its share asks for.
struct IndexValues: ~Copyable {
  /// Bytes of each.
  static let length = 32

  private let both: Secret

  /// Takes both, one behind the other; nil for another length.
  init?(_ both: consuming Secret) {
    guard both.count == 2 * Self.length else { return nil }
    self.both = both
  }

  /// Hands the value of the index to `body`.
  borrowing func withIndexValue<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: as for `Secret`: the bytes are lent for the call.
    try unsafe both.withUnsafeBytes { (bytes) throws(Failure) in
      try unsafe body(UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.length)))
    }
  }

  /// Hands the value of the share to `body`.
  borrowing func withShareValue<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: as for `Secret`: the bytes are lent for the call.
    try unsafe both.withUnsafeBytes { (bytes) throws(Failure) in
      try unsafe body(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(Self.length)))
    }
  }
}
