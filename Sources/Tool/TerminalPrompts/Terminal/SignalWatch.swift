import Glibc
import Synchronization

/// Turns signals into bytes of a pipe, until this value ends: those that would end or suspend this program, and those that
/// report a new size of the terminal.
///
/// So the terminal is restored before any of them takes effect, and no work is done in a signal handler.
struct SignalWatch: ~Copyable {
  /// The reading end of the pipe: each byte is a signal's number.
  let descriptor: CInt
  private let writing: CInt
  private var before: [(number: CInt, action: sigaction)] = []

  private static let watched = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]

  /// - Throws: ``TerminalError/failed(_:)`` if no pipe can be made.
  init() throws(TerminalError) {
    var ends: [CInt] = [-1, -1]
    // SAFETY: room for two descriptors.
    guard unsafe pipe(&ends) == 0 else { throw .failed(errno) }
    descriptor = ends[0]
    writing = ends[1]
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    pipeOfSignals.store(writing, ordering: .sequentiallyConsistent)
    for number in Self.watched {
      var action = sigaction()
      // SAFETY: the handler's union member is the one that SA_SIGINFO, which is not set, leaves in force.
      unsafe action.__sigaction_handler.sa_handler = { passOn($0) }
      action.sa_flags = SA_RESTART
      var old = sigaction()
      // SAFETY: both are of the right type; the handler does nothing but write to a pipe.
      if unsafe sigaction(number, &action, &old) == 0 { before.append((number, old)) }
    }
  }

  deinit {
    for (number, action) in before {
      var action = action
      // SAFETY: the action that was set before the watch began.
      _ = unsafe sigaction(number, &action, nil)
    }
    pipeOfSignals.store(-1, ordering: .sequentiallyConsistent)
    close(writing)
    // A signal that came at the last moment and was not read from the pipe takes effect now.
    while let number = Self.next(from: descriptor) {
      if number != SIGCONT { raise(number) }
    }
    close(descriptor)
  }

  /// The next signal that came; nil if there is none.
  borrowing func next() -> CInt? { Self.next(from: descriptor) }

  private static func next(from descriptor: CInt) -> CInt? {
    var byte: UInt8 = 0
    // SAFETY: room for one byte.
    return unsafe read(descriptor, &byte, 1) == 1 ? CInt(byte) : nil
  }
}

// The pipe to which the handler writes; -1 while no signal is watched. A signal handler can learn of it only through a global.
private let pipeOfSignals = Atomic<CInt>(-1)

/// The signal handler.
///
/// It uses only an atomic load and a write, both of which POSIX allows there.
private func passOn(_ number: CInt) {
  let saved = errno
  var byte = UInt8(truncatingIfNeeded: number)
  // SAFETY: one byte that lives for the call. A full pipe means that a signal is already waiting.
  _ = unsafe write(pipeOfSignals.load(ordering: .sequentiallyConsistent), &byte, 1)
  errno = saved
}
