import Glibc

/// A terminal that hands over each key as it is pressed and shows none, until this value ends.
struct SilentTerminal: ~Copyable {
  private let descriptor: CInt
  private let before: termios

  /// The keys that edit there.
  var keys: EditingKeys { EditingKeys(before) }

  /// Changes the terminal; what was typed before the question is thrown away.
  ///
  /// - Throws: ``TerminalError/failed(_:)``.
  init(_ descriptor: CInt) throws(TerminalError) {
    var settings = termios()
    // SAFETY: `settings` is a termios.
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { throw .failed(errno) }
    let before = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ECHOE | ECHOK | ECHONL | ISIG | IEXTEN)
    settings.c_iflag &= ~tcflag_t(ISTRIP)
    // SAFETY: c_cc is an array of NCCS bytes, of which VMIN and VTIME are two. One byte is waited for, without end.
    unsafe withUnsafeMutableBytes(of: &settings.c_cc) { keys in
      unsafe keys[Int(VMIN)] = 1
      unsafe keys[Int(VTIME)] = 0
    }
    guard Self.set(descriptor, settings, TCSAFLUSH) else { throw .failed(errno) }
    self.descriptor = descriptor
    self.before = before
  }

  deinit { restore() }

  /// Puts the terminal right again, as this value's end does.
  borrowing func restore() { _ = Self.set(descriptor, before, TCSADRAIN) }

  private static func set(_ descriptor: CInt, _ settings: termios, _ when: CInt) -> Bool {
    var settings = settings
    while true {
      // SAFETY: `settings` is a termios.
      if unsafe tcsetattr(descriptor, when, &settings) == 0 { return true }
      guard errno == EINTR else { return false }
    }
  }
}
