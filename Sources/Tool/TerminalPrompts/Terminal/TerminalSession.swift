import Glibc
import HostSystem

/// A terminal that passes on each key, and the signals that would end or suspend this program, until this value ends.
///
/// Then the terminal is restored, whatever the reason for the end.
struct TerminalSession: ~Copyable {
  /// Something that happened at the terminal.
  enum Event {
    case key(Key)
    case signal(CInt)
    /// The terminal was hung up: it is gone.
    case end
  }

  private let silence: SilentTerminal
  private let signals: SignalWatch
  private let terminal: CInt
  private let isAlternate: Bool
  private var decoder = KeyDecoder()

  /// The keys that edit an entry on this terminal.
  var keys: EditingKeys { silence.keys }

  /// - Parameter alternate: whether to use the ``AlternateScreen``.
  /// - Throws: ``TerminalError/failed(_:)``.
  init(_ terminal: CInt, alternate: Bool = false) throws(TerminalError) {
    let signals = try SignalWatch()
    silence = try SilentTerminal(terminal)
    self.signals = signals
    self.terminal = terminal
    isAlternate = alternate
    if alternate { show(AlternateScreen.enter) }
  }

  // The terminal is restored before a signal that waits takes effect, in whichever order the members of this value are
  // destroyed.
  deinit {
    if isAlternate { show(AlternateScreen.leave) }
    silence.restore()
  }

  /// Waits for the next event; a signal comes before a key.
  ///
  /// - Throws: ``TerminalError/failed(_:)``.
  mutating func next() throws(TerminalError) -> Event {
    while true {
      if let number = signals.next() { return .signal(number) }
      var entries = [
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
      ]
      // SAFETY: two entries are passed, and the count is two.
      let ready = unsafe poll(&entries, 2, -1)
      guard ready > 0 else {
        guard errno == EINTR else { throw .failed(errno) }
        continue
      }
      guard entries[1].revents != 0 else { continue }
      var byte: UInt8 = 0
      // SAFETY: room for one byte.
      let count = unsafe Glibc.read(terminal, &byte, 1)
      if count == 1 {
        guard let key = decoder.received(byte) else { continue }
        return .key(key)
      }
      // A terminal that was hung up reads as an end of file or fails with EIO.
      if count == 0 || errno != EINTR { return .end }
    }
  }

  /// Whether more input comes within this many milliseconds.
  borrowing func hasMore(within milliseconds: CInt) -> Bool {
    var entry = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    // SAFETY: one entry is passed, and the count is one.
    return unsafe poll(&entry, 1, milliseconds) > 0 && entry.revents & Int16(POLLIN) != 0
  }

  /// Shows `text`.
  func show(_ text: String) { _ = DescriptorWriter.write(Array(text.utf8), to: terminal) }

  /// Shows one byte unchanged.
  func show(_ byte: UInt8) { _ = DescriptorWriter.write([byte], to: terminal) }
}

/// What a terminal can show, and whether its owner wants colours.
package struct TerminalDisplay {
  /// Whether the terminal can do no more than write lines (`TERM=dumb`, or no TERM).
  package var isDumb = true
  /// Whether the terminal shows more than ASCII.
  package var isUTF8 = false
  /// Whether the owner wants colours.
  package var usesColours = false

  /// A terminal that can do no more than write lines of ASCII, by default.
  package init(isDumb: Bool = true, isUTF8: Bool = false, usesColours: Bool = false) {
    self.isDumb = isDumb
    self.isUTF8 = isUTF8
    self.usesColours = usesColours
  }
}

/// The terminal's second screen, with mouse reports.
///
/// It is emptied before the terminal returns to the first screen, and terminals keep no scrollback of it. So a stroke that was
/// drawn there cannot be seen afterwards.
package enum AlternateScreen {
  /// Selects the second screen (1049) without a cursor, and reports of movements with a button held (1002), in the form without
  /// limits (1006).
  package static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?1002h\u{1B}[?1006h"
  /// Undoes ``enter``.
  static let leave = "\u{1B}[2J\u{1B}[H\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?25h\u{1B}[?1049l"

  /// The terminal's size; 80 by 24 if it is not known.
  package static func size(of terminal: CInt) -> (columns: Int, rows: Int) {
    var size = winsize()
    // SAFETY: TIOCGWINSZ fills exactly one winsize.
    let isKnown = unsafe ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
    return isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
  }
}

/// Why no entry could be read.
package enum TerminalError: Error, Equatable {
  /// The terminal cannot be used; the system's error number.
  case failed(CInt)
  /// There is no locked memory for an entry.
  case outOfMemory
}
