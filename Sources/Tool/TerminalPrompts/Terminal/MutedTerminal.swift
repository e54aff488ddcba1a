import Glibc
import Synchronization

/// A terminal that does not show what is typed, until this value ends.
///
/// It is for prompts whose entry is complete without Enter. Further keys are not shown, and get neither into the next prompt
/// nor to the shell. Keys that end or suspend a program still do so, because nothing reads the terminal between two prompts.
/// The terminal is restored before they take effect.
package struct MutedTerminal: ~Copyable {
  /// Whether keys that were not read are discarded at the end.
  package var discardsRest = false

  private let descriptor: CInt
  private let before: termios
  private let quietMilliseconds: CInt
  private let watched: [CInt]

  private static let flags = tcflag_t(ICANON | ECHO | ECHOE | ECHOK | ECHONL)
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]
  /// How often keys are discarded at most, so that a stuck key does not block the program.
  private static let pieces = 64

  /// Changes the terminal.
  ///
  /// - Parameter quietMilliseconds: how long nothing must be typed before the person counts as having stopped.
  /// - Throws: ``TerminalError/failed(_:)``.
  package init(_ descriptor: CInt, quietMilliseconds: CInt) throws(TerminalError) {
    var settings = termios()
    // SAFETY: `settings` is a termios.
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { throw .failed(errno) }
    let before = settings
    mutedFlags.store(settings.c_lflag & Self.flags, ordering: .sequentiallyConsistent)
    mutedDescriptor.store(descriptor, ordering: .sequentiallyConsistent)
    // This comes before the change, so that at no moment a signal can leave the terminal muted.
    let watched = Self.signals.filter(Self.watch)
    settings.c_lflag &= ~Self.flags
    // SAFETY: `settings` is a termios.
    guard unsafe tcsetattr(descriptor, TCSADRAIN, &settings) == 0 else {
      let failure = errno
      Self.forget(watched)
      throw .failed(failure)
    }
    self.descriptor = descriptor
    self.quietMilliseconds = quietMilliseconds
    self.before = before
    self.watched = watched
  }

  deinit {
    if discardsRest { discard() }
    var settings = before
    // SAFETY: `settings` is a termios.
    _ = unsafe tcsetattr(descriptor, discardsRest ? TCSAFLUSH : TCSADRAIN, &settings)
    Self.forget(watched)
  }

  /// Discards the keys that were typed, and those that follow without a pause.
  package borrowing func discard() {
    for _ in 0..<Self.pieces {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // SAFETY: one entry is passed, and the count is one.
      let ready = unsafe poll(&entry, 1, quietMilliseconds)
      // The kernel drops the input unread, because it may be part of a passcode.
      guard ready > 0, tcflush(descriptor, TCIFLUSH) == 0 else { return }
    }
  }

  /// Has the terminal restored before a signal takes effect.
  ///
  /// A signal that is ignored or has a different handler is left alone.
  private static func watch(_ number: CInt) -> Bool {
    var action = sigaction()
    // SAFETY: `action` is a sigaction, and only read into.
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    guard unsafe action.__sigaction_handler.sa_handler == nil else { return false }
    // SAFETY: the handler's union member is the one that SA_SIGINFO, which is not set, leaves in force.
    unsafe action.__sigaction_handler.sa_handler = { putRight($0) }
    action.sa_flags = CInt(bitPattern: UInt32(SA_RESETHAND)) | SA_NODEFER
    // SAFETY: of the right type; the handler calls only functions that POSIX allows in a handler.
    return unsafe sigaction(number, &action, nil) == 0
  }

  private static func forget(_ watched: [CInt]) {
    for number in watched { _ = signal(number, SIG_DFL) }
    mutedDescriptor.store(-1, ordering: .sequentiallyConsistent)
  }
}

// The terminal that the handler restores; -1 while nothing is muted. A signal handler can learn of it only through a global.
private let mutedDescriptor = Atomic<CInt>(-1)
private let mutedFlags = Atomic<tcflag_t>(0)

/// Restores the terminal inside a signal handler, and lets the signal take effect.
///
/// It uses only atomic loads and calls that POSIX allows in a signal handler.
private func putRight(_ number: CInt) {
  let saved = errno
  let descriptor = mutedDescriptor.load(ordering: .sequentiallyConsistent)
  var settings = termios()
  // SAFETY: `settings` is a termios.
  if descriptor >= 0, unsafe tcgetattr(descriptor, &settings) == 0 {
    settings.c_lflag |= mutedFlags.load(ordering: .sequentiallyConsistent)
    _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &settings)
  }
  errno = saved
  raise(number)
}

/// A terminal that passes on each key immediately and does not show it, until this value ends.
struct SilentTerminal: ~Copyable {
  private let descriptor: CInt
  private let before: termios

  /// The keys that edit an entry on this terminal.
  var keys: EditingKeys { EditingKeys(before) }

  /// Changes the terminal; keys that were typed before the prompt are discarded.
  ///
  /// - Throws: ``TerminalError/failed(_:)``.
  init(_ descriptor: CInt) throws(TerminalError) {
    var settings = termios()
    // SAFETY: `settings` is a termios.
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { throw .failed(errno) }
    let before = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ECHOE | ECHOK | ECHONL | ISIG | IEXTEN)
    settings.c_iflag &= ~tcflag_t(ISTRIP)
    // SAFETY: c_cc is an array of NCCS bytes, of which VMIN and VTIME are two. They are set to wait for one byte without a limit.
    unsafe withUnsafeMutableBytes(of: &settings.c_cc) { keys in
      unsafe keys[Int(VMIN)] = 1
      unsafe keys[Int(VTIME)] = 0
    }
    guard Self.set(descriptor, settings, TCSAFLUSH) else { throw .failed(errno) }
    self.descriptor = descriptor
    self.before = before
  }

  deinit { restore() }

  /// Restores the terminal, as the end of this value does too.
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
