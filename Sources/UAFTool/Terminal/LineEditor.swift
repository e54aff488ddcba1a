import SecretMemory

/// What becomes of an entry, key by key.
///
/// No I/O: it says what is to be done.
struct LineEditor: ~Copyable {
  /// What a key led to.
  enum Action: Equatable {
    /// Nothing to see.
    case none
    /// A byte was taken.
    case inserted(UInt8)
    /// So many characters went away.
    case erased(Int)
    /// The key did nothing: no room, or nothing to erase.
    case refused
    /// The entry is complete.
    case done
    /// The person gives up.
    case cancelled
    /// The person wants the program to stop for now.
    case suspended
  }

  private let keys: EditingKeys
  private var value: Secret

  /// An empty entry with room for `capacity` bytes.
  ///
  /// - Throws: ``ToolError/outOfMemory``.
  init(keys: EditingKeys, capacity: Int) throws(ToolError) {
    guard let value = try? Secret(capacity: capacity) else { throw .outOfMemory }
    self.keys = keys
    self.value = value
  }

  /// Takes one byte from the keyboard.
  mutating func received(_ byte: UInt8) -> Action {
    if byte == 0x0A || byte == 0x0D { return .done }
    if keys.cancel.contains(byte) { return .cancelled }
    if keys.suspend == byte { return .suspended }
    if keys.erase.contains(byte) { return erase(all: false) }
    if keys.kill.contains(byte) { return erase(all: true) }
    // Neither can be part of a value that was ever set, and NUL cannot even be sent.
    guard byte >= 0x20 else { return .refused }
    guard value.count < value.capacity else { return .refused }
    let count = value.count
    // SAFETY: there is room for one byte more.
    unsafe value.refill { buffer in
      unsafe buffer[count] = byte
      return count + 1
    }
    return .inserted(byte)
  }

  private mutating func erase(all: Bool) -> Action {
    guard value.count > 0 else { return .refused }
    var erased = 0
    var count = value.count
    value.withBytes { bytes in
      while count > 0, all || erased == 0 {
        count -= 1
        // A character begins at any byte but 10xxxxxx.
        if bytes[count] & 0xC0 != 0x80 || count == 0 { erased += 1 }
      }
    }
    // SAFETY: what stays is not touched, and refill wipes what lies beyond it.
    unsafe value.refill { _ in count }
    return .erased(erased)
  }

  /// The entry.
  consuming func finish() -> Secret { value }
}
