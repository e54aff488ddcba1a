import SecretMemory

/// The entries of one call.
struct Attempts: ~Copyable {
  /// How many may still be made.
  var left: Int
  /// What was wrong with the last one.
  var error: String?
  /// Tries left before a lock, where that is told.
  var remaining: Int?
  private var last: Secret?

  init(left: Int) {
    self.left = left
    last = nil
  }

  /// Whether this is the very value that was just counted as wrong.
  borrowing func isRepetition(_ value: borrowing Secret) -> Bool {
    switch last {
    case .some(let last): last.isEqual(to: value)
    case nil: false
    }
  }

  /// Remembers a wrong value for as long as the call lasts.
  mutating func note(_ value: borrowing Secret) {
    last = value.withBytes { try? Secret(copying: $0) }
  }
}
