import Testing
import UAFWire

@testable import UAFHelper

/// What the waiting sensor leads to, for every sequence of a few events.
struct FingerMachineTests {
  private static let events: [FingerMachine.Event] =
    FingerTouch.allCases.map(FingerMachine.Event.touched) + FingerEnd.Cause.allCases.map(FingerMachine.Event.ended) + [
      .counted(isLocked: false), .counted(isLocked: true), .lost, .timeIsUp,
    ]

  @Test func `a match of the sensor is accepted immediately, and only once`() {
    var machine = FingerMachine(tries: 3)
    #expect(machine.received(.touched(.matched)) == .take)
    #expect(machine.outcome == .matched)
    #expect(machine.received(.touched(.matched)) == .rest)
  }

  @Test func `a touch that does not match is counted before the next touch is compared`() {
    var machine = FingerMachine(tries: 2)
    #expect(machine.received(.touched(.notMatched)) == .count)
    #expect(machine.received(.counted(isLocked: false)) == .compareAgain)
    #expect(machine.received(.touched(.notMatched)) == .count)
    #expect(machine.received(.counted(isLocked: false)) == .stop)
    #expect(machine.outcome == .exhausted)
  }

  @Test func `a lock ends the sensor's wait before all tries are used`() {
    var machine = FingerMachine(tries: 3)
    #expect(machine.received(.touched(.notMatched)) == .count)
    #expect(machine.received(.counted(isLocked: true)) == .stop)
    #expect(machine.outcome == .locked)
  }

  @Test(arguments: [FingerTouch.scanAgain, .tooShort, .notCentred, .liftFirst, .tooFast])
  func `a touch that could not be read is reported, and not counted`(_ touch: FingerTouch) {
    var machine = FingerMachine(tries: 1)
    #expect(machine.received(.touched(touch)) == .tell(touch))
    #expect(machine.received(.touched(.matched)) == .take)
  }

  @Test(arguments: [FingerTouch.matched, .notMatched, .tooShort])
  func `refuses a touch that comes before the last one was counted`(_ touch: FingerTouch) {
    var machine = FingerMachine(tries: 3)
    _ = machine.received(.touched(.notMatched))
    #expect(machine.received(.touched(touch)) == .stop)
    #expect(machine.outcome == .failed(nil))
  }

  @Test func `refuses the result of a count that nobody requested`() {
    var machine = FingerMachine(tries: 3)
    #expect(machine.received(.counted(isLocked: false)) == .stop)
    #expect(machine.outcome == .failed(nil))
  }

  @Test func `after the sensor's wait has ended, no event leads to a match`() {
    for first in Self.events {
      var ended = FingerMachine(tries: 1)
      _ = ended.received(first)
      if ended.outcome == nil { _ = ended.received(.timeIsUp) }
      for second in Self.events {
        var machine = ended
        let before = machine.outcome
        guard before != nil else { continue }
        #expect(machine.received(second) == .rest, "\(first), \(second)")
        #expect(machine.outcome == before)
      }
    }
  }

  @Test func `in every sequence of three events, only a match ends as a match`() {
    for first in Self.events {
      for second in Self.events {
        for third in Self.events {
          var machine = FingerMachine(tries: 2)
          var actions: [FingerMachine.Action] = []
          for event in [first, second, third] { actions.append(machine.received(event)) }
          let matched = machine.outcome == .matched
          #expect(matched == actions.contains(.take), "\([first, second, third])")
          #expect(!matched || [first, second, third].contains(.touched(.matched)))
        }
      }
    }
  }
}
