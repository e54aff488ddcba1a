import Testing

@testable import UAFHelper

/// The rules for the order of a registration, in rows of events and the action that follows, and in every sequence of events
/// until no new state appears.
@Suite struct RegistrationMachineTests {
  private struct Run: Hashable {
    var machine: RegistrationMachine
    /// Dropped when the registration ends.
    var witness: RegistrationWitness?
  }

  private static let events: [RegistrationEvent] =
    [
      .began, .permitted, .request(challenge: "first"), .request(challenge: "second"), .refused(isCodeGood: false),
      .refused(isCodeGood: true), .verified, .valueMissing, .valueSet, .frontEndThere, .frontEndGone, .keysMade,
      .keysNoted, .signed, .furtherRequest, .accepted(challenge: "first"), .accepted(challenge: "second"), .believed,
      .kept, .stopped,
    ] + (-1...3).map { .wayChosen(authenticators: $0) }

  @Test func `no sequence of events breaks a rule of the registration, and every registration ends`() {
    var objections: Set<String> = []
    let starts = [false, true].map { replaces in
      Run(
        machine: RegistrationMachine(authenticators: 2, replacesValues: replaces),
        witness: RegistrationWitness(authenticators: 2, replacesValues: replaces))
    }
    let exploration = Exploration(from: starts) { run in
      Self.events.compactMap { event in
        var next = run
        let action = next.machine.received(event)
        guard var witness = run.witness else {
          guard action == .finish(.outOfTurn), next == run else {
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
    #expect(exploration.longestRun != nil, "some registration comes back to where it was")
    print(
      "registration: \(exploration.states) states, depth \(exploration.depth), \(exploration.events) events, "
        + "longest run \(exploration.longestRun ?? -1)")
    // A machine that ends each registration immediately would keep every rule too.
    #expect(exploration.states > 200 && exploration.depth > 30)
  }

  struct Row: CustomTestStringConvertible {
    let testDescription: String
    var replaces = false
    let events: [RegistrationEvent]
    let action: RegistrationAction

    init(_ rule: String, replacing: Bool = false, _ events: [RegistrationEvent], _ action: RegistrationAction) {
      (testDescription, replaces, self.events, self.action) = (rule, replacing, events, action)
    }
  }

  private static let here = RegistrationEvent.request(challenge: "c")
  private static let chosen: [RegistrationEvent] = [.began, here, .wayChosen(authenticators: 1)]
  private static let opened: [RegistrationEvent] = chosen + [.verified]
  private static let made: [RegistrationEvent] = opened + [.frontEndThere, .keysMade]
  private static let sent: [RegistrationEvent] = made + [.keysNoted]
  private static let judged: [RegistrationEvent] = [.began, .permitted, here]
  private static let replaced: [RegistrationEvent] = judged + [.valueMissing, .permitted, .valueSet]

  private static let rows: [Row] = [
    Row("the server is asked first", [.began], .askRequest),
    Row("its request leaves a choice", [.began, here], .chooseWay),
    Row("a value that is set is entered", chosen, .openValue),
    Row("a new one needs a permit that may set it", chosen + [.valueMissing], .checkPermit),
    Row("and is chosen then", chosen + [.valueMissing, .permitted], .setValue),
    Row("keys are made for a front end that is there", opened, .checkFrontEnd),
    Row("a front end that is gone gets none", opened + [.frontEndGone], .finish(.frontEndGone)),
    Row("keys are written down before they are sent", made, .noteKeys),
    Row("and sent then", sent, .sendKeys),
    Row("a yes is checked", sent + [.accepted(challenge: "c")], .believe),
    Row("a yes to another challenge is none", sent + [.accepted(challenge: "d")], .finish(.outOfTurn)),
    Row("keys are kept once the yes is believed", sent + [.accepted(challenge: "c"), .believed], .keep),
    Row("a yes that is not believed keeps nothing", sent + [.accepted(challenge: "c"), .stopped], .finish(.stopped)),
    Row("a refusal keeps nothing", sent + [.refused(isCodeGood: false)], .finish(.refused)),
    Row("a further request is read", sent + [.furtherRequest], .receiveFurther),
    Row(
      "and signed for a front end that is there", sent + [.furtherRequest, here, .wayChosen(authenticators: 1)],
      .checkFrontEnd),
    Row("where values are replaced, the permit is checked first", replacing: true, [.began], .checkPermit),
    Row("then the server judges the code", replacing: true, [.began, .permitted], .askRequest),
    Row(
      "a code that it refuses replaces nothing", replacing: true,
      [.began, .permitted, .refused(isCodeGood: false)], .finish(.refused)),
    Row(
      "a good code counts without an authenticator that suits", replacing: true,
      [.began, .permitted, .refused(isCodeGood: true)], .openValue),
    Row("a known value is not asked for then", replacing: true, judged + [.verified], .finish(.outOfTurn)),
    Row("the server is asked anew once the value is there", replacing: true, replaced + [.frontEndThere], .askRequest),
    Row("and the keys are made", replacing: true, replaced + [.frontEndThere, here], .makeKeys),
  ]

  @Test(arguments: rows)
  func `each sequence of events in a registration leads to the action that its row names`(_ row: Row) {
    var machine = RegistrationMachine(authenticators: 1, replacesValues: row.replaces)
    var action: RegistrationAction?
    for event in row.events { action = machine.received(event) }
    #expect(action == row.action)
  }
}
