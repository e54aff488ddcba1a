/// How an exchange ended (*response*, field 1).
public enum FetchOutcome: UInt8, CaseIterable, Sendable {
  case answered = 0
  case nameNotResolved = 1
  case refused = 2
  case timedOut = 3
  case tlsFailed = 4
  case certificateRefused = 5
  case tooLarge = 6
  case connectionLost = 7
  case unacceptableRequest = 8
  case other = 9
  /// This machine lacked a thread, a descriptor, memory or a port.
  case ownMeans = 10
  /// A connection came about, and no handshake in time.
  case stalled = 11
  /// No way leads to the server.
  case unreachable = 12
  /// The proxy did not let the request through.
  case proxyRefused = 13
}
