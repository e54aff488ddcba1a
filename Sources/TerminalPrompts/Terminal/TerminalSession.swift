import Glibc
import HostSystem

/// A terminal that hands over each key, and the signals that would end or stop this program, until this value ends.
///
/// Then the terminal is as it was, whatever ended it.
struct TerminalSession: ~Copyable {
  /// What happened.
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

  // Before a signal that was held back has its effect, in whichever order the members end.
  deinit {
    if isAlternate { show(AlternateScreen.leave) }
    silence.restore()
  }

  /// Waits for what comes next; signals come first.
  ///
  /// - Throws: ``TerminalError/failed(_:)``.
  mutating func next() throws(TerminalError) -> Event {
    while true {
      if let number = signals.next() { return .signal(number) }
      var entries = [
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
      ]
      // SAFETY: two entries are passed and two are announced.
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

  /// Shows `text`.
  func show(_ text: String) { _ = DescriptorWriter.write(Array(text.utf8), to: terminal) }

  /// Shows one byte as it came.
  func show(_ byte: UInt8) { _ = DescriptorWriter.write([byte], to: terminal) }
}
