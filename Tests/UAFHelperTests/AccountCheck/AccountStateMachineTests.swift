import Authenticator
import Testing
import UAFConfiguration

@testable import UAFHelper

/// Every starting state with every sequence of events, compared with a second version of the rules.
@Suite struct AccountStateMachineTests {
  private static let now: Int64 = 1000
  private static let demands: [AccountCheck] = [.refusesBlocked, .demandsActive]
  /// Each statement that can be stored, including that of a lock that has ended.
  private static let stored: [AccountStanding?] = [
    nil, .active, .disabled, .locked(until: now + 1), .locked(until: now),
  ]
  private static let events: [AccountStateMachine.Event] =
    [.begun, .notTold, .machineUnknown]
    + [AccountStanding.active, .disabled, .locked(until: now - 1)].map(AccountStateMachine.Event.told)
    + [.judged(.holds(age: .seconds(5))), .judged(.refused(.tooOld))]

  /// One run of the state machine: its starting state, its events, and the action that it took for each event.
  private struct Walk {
    let demand: AccountCheck
    let mayAsk: Bool
    let isDeregistered: Bool
    let stored: AccountStanding?
    var events: [AccountStateMachine.Event] = []
    var actions: [AccountStateMachine.Action] = []

    /// The action that ended the run; nil if the run has not ended.
    var end: AccountStateMachine.Action? {
      actions.first { if case .ask = $0 { false } else if case .judge = $0 { false } else { true } }
    }
  }

  private static let walks: [Walk] = demands.flatMap { demand in
    [(true, false), (true, true), (false, false), (false, true)].flatMap { mayAsk, isDeregistered in
      stored.flatMap { stored -> [Walk] in
        var walks = [Walk(demand: demand, mayAsk: mayAsk, isDeregistered: isDeregistered, stored: stored)]
        for _ in 0..<3 { walks = walks.flatMap { walk in events.map { continued(walk, $0) } } }
        return walks
      }
    }
  }

  private static func continued(_ walk: Walk, _ event: AccountStateMachine.Event) -> Walk {
    var walk = walk
    walk.events.append(event)
    var machine = AccountStateMachine(
      walk.demand, mayAsk: walk.mayAsk, stored: walk.stored, isDeregistered: walk.isDeregistered, wallSeconds: now)
    walk.actions = walk.events.map { machine.take($0) }
    return walk
  }

  @Test func `account_check asks the server at most once, and only as its first action`() {
    for walk in Self.walks {
      #expect(!walk.actions.dropFirst().contains(.ask))
      #expect((walk.actions.first == .ask) == (walk.mayAsk && walk.events.first == .begun))
    }
  }

  @Test
  func `account_check lets an account in only by the server's answer, a valid earlier one, or if root demands none`() {
    for walk in Self.walks {
      switch walk.end {
      case .allow(.told):
        #expect(walk.mayAsk && walk.events.starts(with: [.begun, .told(.active)]))
      case .allow(.remembered):
        let isUnknown = walk.isDeregistered && walk.mayAsk && walk.events.starts(with: [.begun, .machineUnknown])
        #expect((walk.demand == .demandsActive || isUnknown) && walk.stored == .active)
        #expect(walk.events.contains(.judged(.holds(age: .seconds(5)))))
      case .allow(.notKnown):
        #expect(walk.demand == .refusesBlocked && !Self.blocks(walk.stored))
      default: break
      }
    }
  }

  @Test func `account_check refuses a disabled or locked account until a newer statement, whatever root demands`() {
    for walk in Self.walks where Self.blocks(walk.stored) {
      if case .allow(let ground) = walk.end { #expect(ground == .told, "\(walk)") }
    }
  }

  @Test func `account_check distinguishes a disabled account from a locked one, and ignores a lock that has ended`() {
    func end(_ stored: AccountStanding?) -> AccountStateMachine.Action {
      var machine = AccountStateMachine(.refusesBlocked, mayAsk: false, stored: stored, wallSeconds: Self.now)
      return machine.take(.begun)
    }
    #expect(
      Self.stored.map(end) == [
        .allow(.notKnown), .allow(.notKnown), .refuse(.disabled), .refuse(.locked), .allow(.notKnown),
      ])
  }

  @Test
  func `account_check refuses an account without keys if the server forgot the machine, unless it was just active`() {
    for walk in Self.walks
    where walk.isDeregistered && walk.mayAsk && walk.events.starts(with: [.begun, .machineUnknown]) {
      if case .allow(let ground) = walk.end { #expect(ground == .remembered(age: .seconds(5)), "\(walk)") }
    }
    var machine = AccountStateMachine(
      .refusesBlocked, mayAsk: true, stored: nil, isDeregistered: true, wallSeconds: Self.now)
    #expect([machine.take(.begun), machine.take(.machineUnknown)] == [.ask, .refuse(.notKnown)])
    machine = AccountStateMachine(.refusesBlocked, mayAsk: true, stored: nil, wallSeconds: Self.now)
    #expect([machine.take(.begun), machine.take(.machineUnknown)] == [.ask, .allow(.notKnown)])
  }

  @Test func `account_check follows the server's current answer, whatever statement is stored`() {
    for demand in Self.demands {
      for stored in Self.stored {
        for (said, action) in [
          (AccountStanding.active, AccountStateMachine.Action.allow(.told)), (.disabled, .refuse(.disabled)),
          (.locked(until: Self.now - 1), .refuse(.locked)),
        ] {
          var machine = AccountStateMachine(demand, mayAsk: true, stored: stored, wallSeconds: Self.now)
          #expect(machine.take(.begun) == .ask)
          #expect(machine.take(.told(said)) == action)
        }
      }
    }
  }

  @Test func `account_check=required refuses an account about which nothing is known`() {
    for walk in Self.walks where walk.demand == .demandsActive && walk.stored == nil {
      if case .allow(let ground) = walk.end { #expect(ground == .told) }
    }
  }

  @Test func `account_check refuses events in the wrong order, and every event after its end`() {
    for walk in Self.walks {
      guard let end = walk.actions.firstIndex(where: { $0 == walk.end }) else { continue }
      #expect(walk.actions[(end + 1)...].allSatisfy { $0 == .refuse(.notKnown) }, "\(walk)")
      if walk.events.first != .begun { #expect(walk.actions.allSatisfy { $0 == .refuse(.notKnown) }) }
    }
  }

  private static func blocks(_ stored: AccountStanding?) -> Bool {
    switch stored {
    case .disabled: true
    case .locked(let until): until > now
    case .active, nil: false
    }
  }
}
