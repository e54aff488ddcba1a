import Glibc
import Synchronization

/// A terminal that shows nothing of what is typed, until this value ends.
///
/// It is for questions whose entry is complete without Enter. What is typed on is not shown, and answers neither the next
/// question nor the shell. The keys that end or stop a program keep their effect, since nobody reads the terminal between two
/// questions. The terminal is put right before that effect.
package struct MutedTerminal: ~Copyable {
  /// Whether what was typed by the end is thrown away.
  package var discardsRest = false

  private let descriptor: CInt
  private let before: termios
  private let quietMilliseconds: CInt
  private let watched: [CInt]

  private static let flags = tcflag_t(ICANON | ECHO | ECHOE | ECHOK | ECHONL)
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]
  /// So many pieces are thrown away at the most: a key that is stuck does not hold the program.
  private static let pieces = 64

  /// Changes the terminal.
  ///
  /// - Parameter quietMilliseconds: how long nothing may be typed before an entry counts as ended.
  /// - Throws: ``TerminalError/failed(_:)``.
  package init(_ descriptor: CInt, quietMilliseconds: CInt) throws(TerminalError) {
    var settings = termios()
    // SAFETY: `settings` is a termios.
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { throw .failed(errno) }
    let before = settings
    mutedFlags.store(settings.c_lflag & Self.flags, ordering: .sequentiallyConsistent)
    mutedDescriptor.store(descriptor, ordering: .sequentiallyConsistent)
    // Before the change, so that there is no moment in which a signal leaves the terminal muted.
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

  /// Throws away what was typed, and what follows it without a pause.
  package borrowing func discard() {
    for _ in 0..<Self.pieces {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // SAFETY: one entry is passed and one is announced.
      let ready = unsafe poll(&entry, 1, quietMilliseconds)
      // Not read, but dropped by the kernel: it may be part of a value.
      guard ready > 0, tcflush(descriptor, TCIFLUSH) == 0 else { return }
    }
  }

  /// Has the terminal put right before a signal has its effect; one that is ignored, or caught by somebody else, stays so.
  private static func watch(_ number: CInt) -> Bool {
    var action = sigaction()
    // SAFETY: `action` is a sigaction, and only read into.
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    guard unsafe action.__sigaction_handler.sa_handler == nil else { return false }
    // SAFETY: the handler's union member is the one that SA_SIGINFO, which is not set, leaves in force.
    unsafe action.__sigaction_handler.sa_handler = { putRight($0) }
    action.sa_flags = CInt(bitPattern: UInt32(SA_RESETHAND)) | SA_NODEFER
    // SAFETY: of the right type; the handler calls what POSIX allows in one.
    return unsafe sigaction(number, &action, nil) == 0
  }

  private static func forget(_ watched: [CInt]) {
    for number in watched { _ = signal(number, SIG_DFL) }
    mutedDescriptor.store(-1, ordering: .sequentiallyConsistent)
  }
}

// What the handler puts right; -1 while nothing is muted. A handler has no other way to know.
private let mutedDescriptor = Atomic<CInt>(-1)
private let mutedFlags = Atomic<tcflag_t>(0)

/// Puts the terminal right inside a signal handler, and lets the signal have its effect.
///
/// Atomic loads and calls that POSIX allows there.
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
