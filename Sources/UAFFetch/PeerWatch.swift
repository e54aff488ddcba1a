import Glibc

/// Whether the core still has its end of the socket open.
enum PeerWatch {
  /// True once the other end was closed or shut down, even if packets are still to be read: nobody waits for the
  /// answer any more.
  static func isGone(_ descriptor: CInt) -> Bool {
    // POLLRDHUP, which Glibc's module leaves out.
    let closedForReading: Int16 = 0x2000
    var entry = pollfd(fd: descriptor, events: closedForReading, revents: 0)
    // SAFETY: one entry is passed and one is announced.
    guard unsafe poll(&entry, 1, 0) > 0 else { return false }
    return entry.revents != 0
  }

  /// Waits until there is a packet to read, or the other end was closed.
  ///
  /// - Parameter work: what is done first if there is none yet.
  static func awaitPacket(_ descriptor: CInt, after work: () -> Void) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // SAFETY: one entry is passed and one is announced, in both calls.
    guard unsafe poll(&entry, 1, 0) == 0 else { return }
    work()
    while unsafe poll(&entry, 1, -1) < 0, errno == EINTR {}
  }
}
