import Testing

@testable import UAFWire

/// The table "What follows what" of docs/protocol.md: each state with each type of packet.
struct ConversationStateTests {
  private static let states: [ConversationState] = [.opened, .working, .asked, .paused, .finished]

  /// The packets that docs/protocol.md allows in each state, and the next state.
  ///
  /// Every other packet is refused.
  private static let table: [(ConversationState, PacketType, ConversationState)] = [
    (.opened, .begin, .working),
    (.working, .prompt, .asked), (.working, .info, .working), (.working, .error, .working),
    (.working, .ready, .paused), (.working, .setenv, .working),
    (.working, .keyring, .working), (.working, .finished, .finished),
    (.asked, .answer, .working), (.asked, .cancelled, .working),
    (.paused, .resume, .working), (.paused, .cancelled, .working),
  ]

  @Test(arguments: states, PacketType.allCases)
  func `each state allows exactly the packets that the table of docs/protocol.md lists`(
    _ state: ConversationState, _ type: PacketType
  ) throws {
    let next = Self.table.first { $0.0 == state && $0.1 == type }?.2
    var current = state
    if let next {
      try current.advance(type)
      #expect(current == next)
    } else {
      #expect(throws: PacketError.unexpectedType(type)) { try current.advance(type) }
      #expect(current == state)
    }
    #expect(state.allowedNext.contains(type) == (next != nil))
  }

  @Test func `refuses a second prompt before the first one is answered`() throws {
    var state = ConversationState.opened
    for type in [PacketType.begin, .prompt] { try state.advance(type) }
    #expect(throws: PacketError.unexpectedType(.prompt)) { try state.advance(.prompt) }
  }

  @Test(arguments: PacketType.allCases) func `refuses every packet after the end of a call`(_ type: PacketType) throws {
    var state = ConversationState.finished
    #expect(throws: PacketError.unexpectedType(type)) { try state.advance(type) }
  }
}
