/// Where a conversation stands, and the table of what may come next (PROTOCOL.md, "What follows what").
public enum ConversationState: Equatable, Sendable {
  case opened, working, asked, paused, finished

  /// The types that may come next.
  public var allowedNext: Set<PacketType> {
    switch self {
    case .opened: [.begin]
    case .working: [.prompt, .info, .error, .ready, .setenv, .finished]
    case .asked: [.answer, .cancelled]
    case .paused: [.resume, .cancelled]
    case .finished: []
    }
  }

  /// Notes a message, in either direction.
  ///
  /// - Throws: ``PacketError/unexpectedType(_:)``; the state is then as before.
  public mutating func advance(_ type: PacketType) throws(PacketError) {
    guard allowedNext.contains(type) else { throw .unexpectedType(type) }
    switch type {
    case .begin, .answer, .cancelled, .resume: self = .working
    case .prompt: self = .asked
    case .ready: self = .paused
    case .finished: self = .finished
    default: break
    }
  }
}
