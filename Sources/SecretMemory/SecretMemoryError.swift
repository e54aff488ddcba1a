/// Why no memory for a secret could be had.
public enum SecretMemoryError: Error, Equatable {
  /// The system refused the pages.
  case outOfMemory
  /// Negative, or more than ``Secret/maximumCapacity``.
  case capacityOutOfRange
}

extension SecretMemoryError: CustomStringConvertible {
  /// What failed and what to do.
  public var description: String {
    switch self {
    case .outOfMemory: "no memory for a secret: free some, or raise the process's address space limit"
    case .capacityOutOfRange: "a secret's capacity must be 0 to \(Secret.maximumCapacity) bytes"
    }
  }
}
