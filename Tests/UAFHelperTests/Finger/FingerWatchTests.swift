import AuthenticatorTypes
import Testing
import UAFWire

@testable import Authenticator
@testable import UAFHelper

/// The time limit of a waiting sensor.
@Suite struct FingerWatchTests {
  /// The clock of the test, and the other ends of the sockets to uaf-finger and to the front end.
  private final class World {
    var now = BootTime(bootID: [1], nanoseconds: 0, wallSeconds: 0)
    let finger: (mine: CInt, theirs: CInt)
    let person: (mine: CInt, theirs: CInt)

    init() throws {
      finger = try PacketSocket.pair()
      person = try PacketSocket.pair()
    }

    func watch() throws -> FingerWatch {
      FingerWatch(
        try FingerProcess(over: try PacketSocket(takingOver: finger.mine)), .fingerprint, for: "mina", at: nil,
        (tries: 3, wait: .seconds(5)),
        now: { [unowned self] in now }, count: { () throws(Ending) in false }, readPrints: { .none })
    }
  }

  @Test func `if nobody touches the sensor in time, it is released, and a later match is ignored`() throws {
    let world = try World()
    let watch = try world.watch()
    let core = try PacketSocket(takingOver: world.person.theirs)
    let person = try PacketSocket(takingOver: world.person.mine)
    let finger = try PacketSocket(takingOver: world.finger.theirs)
    defer { withExtendedLifetime(person) {} }
    #expect(watch.patience == 5000)
    world.now.nanoseconds = 4_999_000_000
    #expect(watch.patience == 1)
    world.now.nanoseconds = 5_000_000_000
    #expect(watch.patience == 0)
    #expect(try watch.next(beside: core).isInterrupted == false)
    #expect(watch.outcome == .timedOut && watch.patience == nil)
    try finger.send(FingerTouch.matched.packet())
    _ = try watch.next(beside: core)
    #expect(watch.outcome == .timedOut && watch.prints == nil)
  }
}
