import Glibc

/// Turns the bytes that a terminal sends into keys.
///
///     key   = byte / ESC "O" final / ESC "[" parameters final
///     mouse = ESC "[<" buttons ";" column ";" row ( "M" / "m" )        (mode 1006)
///
/// ESC alone is dropped, because no prompt uses it. So no prompt has to wait to find out whether a sequence follows it.
struct KeyDecoder {
  private enum State {
    case plain, escape, shifted
    case sequence
    /// In a mouse report of a terminal without mode 1006: this many more bytes, which could be mistaken for characters, are
    /// skipped.
    case oldMouse(Int)
  }

  private var state = State.plain
  private var parameters: [UInt8] = []

  // The longest parameters of a mouse report, "<255;9999;9999", have 14 bytes.
  private static let longest = 16

  /// Processes one byte; returns the key that this byte completes.
  ///
  /// A control byte in the middle of a sequence ends the sequence and has its own effect, so that Ctrl-C always works.
  mutating func received(_ byte: UInt8) -> Key? {
    switch state {
    case .oldMouse(let left):
      state = left > 1 ? .oldMouse(left - 1) : .plain
      return left > 1 ? nil : .other
    case _ where byte == 0x1B:
      state = .escape
      return nil
    case .plain:
      return .byte(byte)
    case _ where byte < 0x20:
      state = .plain
      return .byte(byte)
    case .escape:
      return afterEscape(byte)
    case .shifted:
      state = .plain
      return Self.arrow(byte) ?? .other
    case .sequence:
      return inSequence(byte)
    }
  }

  private mutating func afterEscape(_ byte: UInt8) -> Key? {
    switch byte {
    case UInt8(ascii: "["):
      parameters = []
      state = .sequence
      return nil
    case UInt8(ascii: "O"):
      state = .shifted
      return nil
    default:
      state = .plain
      return .byte(byte)
    }
  }

  private mutating func inSequence(_ byte: UInt8) -> Key? {
    guard (0x40...0x7E).contains(byte) else {
      // One more byte than allowed is kept, so that a sequence that is too long is not mistaken for a shorter one.
      if parameters.count <= Self.longest { parameters.append(byte) }
      return nil
    }
    state = .plain
    guard parameters.count <= Self.longest else { return .other }
    if let arrow = Self.arrow(byte) { return arrow }
    guard byte | 0x20 == UInt8(ascii: "m") else { return .other }
    if parameters.isEmpty, byte == UInt8(ascii: "M") {
      state = .oldMouse(3)
      return nil
    }
    return Self.mouse(parameters, isRelease: byte == UInt8(ascii: "m")).map(Key.mouse) ?? .other
  }

  private static func arrow(_ final: UInt8) -> Key? {
    switch final {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    default: nil
    }
  }

  private static func mouse(_ parameters: [UInt8], isRelease: Bool) -> MouseEvent? {
    guard parameters.first == UInt8(ascii: "<") else { return nil }
    let numbers = parameters.dropFirst().split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { number($0) }
    guard numbers.count == 3, let buttons = numbers[0], let column = numbers[1], let row = numbers[2] else {
      return nil
    }
    // The bits 4, 8 and 16 are Shift, Alt and Ctrl, and 32 is a movement. The other bits are the button; the left one is 0.
    guard buttons & ~(4 | 8 | 16 | 32) == 0, column > 0, row > 0 else { return nil }
    let kind: MouseEvent.Kind = isRelease ? .release : buttons & 32 != 0 ? .drag : .press
    return MouseEvent(kind: kind, column: column, row: row)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...4).contains(digits.count) else { return nil }
    var value = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int(digit & 0x0F)
    }
    return value
  }
}

/// A pressed key.
enum Key: Equatable {
  /// A byte of a character, or of a control key.
  case byte(UInt8)
  case up, down, left, right
  /// An event of the mouse's left button.
  case mouse(MouseEvent)
  /// A key that no prompt uses.
  case other
}

/// An event of the mouse, and the cell of the terminal where it happened.
struct MouseEvent: Equatable {
  /// What happened with the left button.
  enum Kind: Equatable {
    case press, drag, release
  }

  let kind: Kind
  /// The column of the cell, from 1.
  let column: Int
  /// The row of the cell, from 1.
  let row: Int
}

/// The keys that edit an entry: those from the terminal's settings, and those that keyboards always send.
struct EditingKeys: Equatable {
  /// These keys erase the last character.
  var erase: Set<UInt8> = [0x08, 0x7F]
  /// These keys erase the whole entry.
  var kill: Set<UInt8> = [0x15]
  /// These keys give up: Ctrl-C, Ctrl-D, Ctrl-\.
  var cancel: Set<UInt8> = [0x03, 0x04, 0x1C]
  /// Suspends the program: Ctrl-Z.
  var suspend: UInt8 = 0x1A

  /// The usual keys.
  init() {}

  /// The usual keys and those of `settings`.
  ///
  /// A key that is switched off in `settings` (0) stays off.
  init(_ settings: termios) {
    var settings = settings
    // SAFETY: c_cc is an array of NCCS bytes.
    let keys = unsafe withUnsafeBytes(of: &settings.c_cc) { unsafe Array($0) }
    func key(_ index: CInt) -> UInt8? { keys[Int(index)] == 0 ? nil : keys[Int(index)] }
    erase.formUnion([VERASE].compactMap(key))
    kill.formUnion([VKILL].compactMap(key))
    cancel.formUnion([VINTR, VEOF, VQUIT].compactMap(key))
    suspend = key(VSUSP) ?? suspend
  }
}
