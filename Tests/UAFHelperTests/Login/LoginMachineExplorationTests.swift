import Testing

@testable import UAFHelper

/// Every sequence of events that a login can meet, in any order, until no new state appears.
@Suite struct LoginMachineExplorationTests {
  /// A state machine, and the witness that checks it; the witness is dropped when the login ends.
  private struct Run: Hashable {
    var machine: LoginMachine
    var witness: LoginWitness?
  }

  private static let challenges = ["first", "second"]

  /// All events that a login can meet.
  ///
  /// The machine compares a challenge only with the last one, so two challenges are enough.
  private static let events: [LoginEvent] =
    [
      .began, .questionSent, .textTaken, .resumed, .leftToChoose, .registerAnewChosen, .verified, .frontEndThere,
      .frontEndGone, .signed,
      .furtherRequest, .believed, .lastYesHolds, .stopped,
    ] + challenges.flatMap { [.request(challenge: $0, hasText: false), .request(challenge: $0, hasText: true)] }
    + challenges.map { .accepted(challenge: $0) } + LoginRefusal.allCases.map { .refused($0) }
    + RefusalJudgement.allCases.map { .judged($0) } + (-1...3).map { .wayOpen(signatures: $0) }
    + [false, true].flatMap { [.dropped(isReached: $0), .age(isOld: $0)] }

  private static let allRules: [LoginRules] =
    [
      LoginRules(isApproval: true, authenticators: 2),
      LoginRules(isDivided: true, hidesState: true, authenticators: 2),
      LoginRules(isDivided: true, takesServersText: true, allowsOffline: true, hidesState: true, authenticators: 2),
    ]
    + [false, true].flatMap { divided in
      [false, true].flatMap { text in
        [false, true].map { offline in
          LoginRules(isDivided: divided, takesServersText: text, allowsOffline: offline, authenticators: 2)
        }
      }
    }

  @Test func `no sequence of events breaks a rule of the login, and every login ends`() {
    var objections: Set<String> = []
    let starts = Self.allRules.map { Run(machine: LoginMachine($0), witness: LoginWitness($0)) }
    let exploration = Exploration(from: starts) { run in
      Self.events.compactMap { event in
        var next = run
        let action = next.machine.received(event)
        guard var witness = run.witness else {
          // A login that has ended does nothing more, whatever event comes.
          guard case .finish(let end) = action, end.outcome == .outOfTurn, next == run else {
            objections.insert("does something after its end")
            return next
          }
          return nil
        }
        if let objection = witness.saw(event, then: action) { objections.insert("\(objection): \(event), \(action)") }
        next.witness = if case .finish = action { nil } else { witness }
        return next
      }
    }
    #expect(objections.isEmpty, "\(objections.sorted().prefix(5))")
    #expect(exploration.longestRun != nil, "some login comes back to where it was")
    print(
      "login: \(exploration.states) states, depth \(exploration.depth), \(exploration.events) events, longest run "
        + "\(exploration.longestRun ?? -1)")
    // A machine that ends each login immediately would keep every rule too.
    #expect(exploration.states > 5000 && exploration.depth > 50)
  }

  @Test func `the explored sequences of events reach each way in which a login can end`() {
    var outcomes: Set<LoginEnd.Outcome> = []
    _ = Exploration(from: Self.allRules.map { LoginMachine($0) }) { machine in
      Self.events.compactMap { event in
        var next = machine
        guard case .finish(let end) = next.received(event) else { return next }
        outcomes.insert(end.outcome)
        return nil
      }
    }
    #expect(outcomes.count == 9)
  }
}
