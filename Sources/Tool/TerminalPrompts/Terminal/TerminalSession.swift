import Glibc
import HostSystem

/// A terminal that passes on each key, and the signals that would end or stop this program, until this value ends.
///
/// After that, the terminal is restored, whatever ended it.
struct TerminalSession: ~Copyable {
  /// An event.
  enum Event {
    case key(Key)
    case signal(CInt)
    /// The terminal was hung up.
    case end
  }

  private let silence: SilentTerminal
  private let signals: SignalWatch
  private let terminal: CInt
  private let isAlternate: Bool
  private var decoder = KeyDecoder()

  /// The keys that edit there.
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

  // This happens before a blocked signal takes effect, in whichever order the members end.
  deinit {
    if isAlternate { show(AlternateScreen.leave) }
    silence.restore()
  }

  /// Waits for the next event; signals come first.
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
      // A terminal that was hung up reads as an end, or as EIO.
      if count == 0 || errno != EINTR { return .end }
    }
  }

  /// Whether more is typed or pasted within this many milliseconds.
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

/// What a terminal can show, and what its owner wants to see.
package struct TerminalDisplay {
  /// Whether it can do no more than write lines (`TERM=dumb`, or none).
  package var isDumb = true
  /// Whether it shows more than ASCII.
  package var isUTF8 = false
  /// Whether colours are wanted.
  package var usesColours = false

  /// A terminal that can do no more than write lines of ASCII, by default.
  package init(isDumb: Bool = true, isUTF8: Bool = false, usesColours: Bool = false) {
    self.isDumb = isDumb
    self.isUTF8 = isUTF8
    self.usesColours = usesColours
  }
}

/// The terminal's second screen, with the mouse.
///
/// It is emptied before it is left, and no terminal keeps its lines for scrolling back: a stroke that was drawn there
/// cannot be seen afterwards.
package enum AlternateScreen {
  /// The second screen (1049) without a cursor; movements while a button is held (1002), in the form without limits (1006).
  package static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?1002h\u{1B}[?1006h"
  /// Restores everything.
  static let leave = "\u{1B}[2J\u{1B}[H\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?25h\u{1B}[?1049l"

  /// The terminal's size; 80 by 24 if it is not known.
  package static func size(of terminal: CInt) -> (columns: Int, rows: Int) {
    var size = winsize()
    // SAFETY: TIOCGWINSZ fills exactly one winsize.
    let isKnown = unsafe ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
    return isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
  }
}

/// Why an entry could not be asked for.
package enum TerminalError: Error, Equatable {
  /// The terminal cannot be used; the system's error number.
  case failed(CInt)
  /// There is no locked memory for an entry.
  case outOfMemory
}
