import Testing

@testable import UAFWire

/// The table "What follows what" of docs/protocol.md, every state against every type.
struct ConversationStateTests {
  private static let states: [ConversationState] = [.opened, .working, .asked, .paused, .finished]

  /// What docs/protocol.md allows, and the next state; everything absent here is refused.
  private static let table: [(ConversationState, PacketType, ConversationState)] = [
    (.opened, .begin, .working),
    (.working, .prompt, .asked), (.working, .info, .working), (.working, .error, .working),
    (.working, .ready, .paused), (.working, .setenv, .working), (.working, .finished, .finished),
    (.asked, .answer, .working), (.asked, .cancelled, .working),
    (.paused, .resume, .working), (.paused, .cancelled, .working),
  ]

  @Test(arguments: states, PacketType.allCases) func `allows exactly the messages of the table for each state and type`(
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

  @Test func `refuses a second question while one is open`() throws {
    var state = ConversationState.opened
    for type in [PacketType.begin, .prompt] { try state.advance(type) }
    #expect(throws: PacketError.unexpectedType(.prompt)) { try state.advance(.prompt) }
  }

  @Test(arguments: PacketType.allCases) func `refuses everything after the end`(_ type: PacketType) throws {
    var state = ConversationState.finished
    #expect(throws: PacketError.unexpectedType(type)) { try state.advance(type) }
  }
}
