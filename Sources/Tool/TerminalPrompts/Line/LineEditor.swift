import SecretMemory

/// The state of an entry, changed key by key.
///
/// No I/O: it returns what the caller should do.
package struct LineEditor: ~Copyable {
  /// The effect of a key.
  enum Action: Equatable {
    /// The key changed nothing that is visible.
    case none
    /// A byte was accepted.
    case inserted(UInt8)
    /// This many characters were erased. On a terminal that shows the entry, they took this many cells.
    case erased(characters: Int, columns: Int)
    /// The key did nothing: the entry has no room, or there is nothing to erase.
    case refused
    /// The entry is complete.
    case done
    /// The person gives up.
    case cancelled
    /// The person wants to suspend the program.
    case suspended
  }

  private let keys: EditingKeys
  private let length: Int?
  private var value: Secret

  /// An empty entry with room for `capacity` bytes.
  ///
  /// It is complete at `length` characters if that is not nil.
  ///
  /// - Throws: ``TerminalError/outOfMemory``.
  init(keys: EditingKeys, capacity: Int, length: Int? = nil) throws(TerminalError) {
    guard let value = try? Secret(capacity: capacity) else { throw .outOfMemory }
    self.keys = keys
    self.length = length
    self.value = value
  }

  /// Whether the entry has its full length, and its last character is complete.
  var isFull: Bool {
    guard let length else { return false }
    return value.withBytes { Self.characterCount($0) == length }
  }

  /// Whether the entry is shown as typed because it may be a number in a list: at most this many digits and nothing else.
  func isNumber(of digits: Int) -> Bool {
    value.count <= digits && value.withBytes { bytes in bytes.indices.allSatisfy { (0x30...0x39).contains(bytes[$0]) } }
  }

  /// How many characters an entry has; nil if the last one is not complete yet.
  package static func characterCount(_ bytes: Span<UInt8>) -> Int? {
    var characters = 0
    var index = 0
    while index < bytes.count {
      index += byteCount(bytes[index])
      characters += 1
    }
    return index == bytes.count ? characters : nil
  }

  /// Processes one byte from the keyboard.
  mutating func received(_ byte: UInt8) -> Action {
    if byte == 0x0A || byte == 0x0D {
      dropLineEnds()
      return .done
    }
    if keys.cancel.contains(byte) { return .cancelled }
    if keys.suspend == byte { return .suspended }
    if keys.erase.contains(byte) { return erase(all: false) }
    if keys.kill.contains(byte) { return erase(all: true) }
    // No passcode or pattern that was ever set contains a control byte, and NUL cannot even be sent.
    guard byte >= 0x20 else { return .refused }
    return insert(byte)
  }

  /// Processes the end of a line after which the entry continues.
  mutating func endedLine() -> Action { insert(0x0A) }

  private mutating func insert(_ byte: UInt8) -> Action {
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
    var (characters, columns) = (0, 0)
    var count = value.count
    value.withBytes { bytes in
      while count > 0, all || characters == 0 {
        count -= 1
        guard Self.isStart(bytes[count]) || count == 0 else { continue }
        characters += 1
        columns += bytes[count] == 0x0A ? 1 : UTF8Scalar.first(bytes, at: count).map(CharacterWidth.columns) ?? 1
      }
    }
    // SAFETY: what stays is not touched, and refill wipes what lies beyond it.
    unsafe value.refill { _ in count }
    return .erased(characters: characters, columns: columns)
  }

  /// Drops the line ends at the end of the entry.
  private mutating func dropLineEnds() {
    var count = value.count
    value.withBytes { bytes in while count > 0, bytes[count - 1] == 0x0A { count -= 1 } }
    guard count < value.count else { return }
    // SAFETY: what stays is not touched, and refill wipes what lies beyond it.
    unsafe value.refill { _ in count }
  }

  /// Gives away the entry.
  package consuming func finish() -> Secret { value }

  /// Whether a character begins at this byte; the bytes 10xxxxxx continue one.
  static func isStart(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }

  /// How many bytes a character has that begins with this byte; one if no character begins with it.
  private static func byteCount(_ start: UInt8) -> Int {
    switch start {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }
}
