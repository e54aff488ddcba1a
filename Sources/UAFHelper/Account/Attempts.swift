import SecretMemory

/// The entries of one call for one authenticator.
@safe final class Attempts {
  /// How many may still be made.
  private(set) var left: Int
  private var last: Secret?

  init(left: Int) {
    self.left = left
    last = nil
  }

  /// Counts one entry.
  func use() { left -= 1 }

  /// Whether this is the same value that was just counted as wrong.
  func isRepetition(_ value: borrowing Secret) -> Bool {
    switch last {
    case .some(let last): last.isEqual(to: value)
    case nil: false
    }
  }

  /// Remembers a wrong value for as long as the call lasts.
  func note(_ value: borrowing Secret) {
    last = value.withBytes { try? Secret(copying: $0) }
  }
}
