import Testing

@testable import ServerTesting
@testable import UAFService

/// The position up to which a sink has received the audit, in each store.
@Suite(.onEachStore) struct AuditDeliveryTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  @Test func `the store keeps a sink's position and holder under the sink's name`() async throws {
    var place = AuditDelivery(sink: "webhook")
    let isTaken = place.take(by: "민아의 것", now: 100)
    #expect(isTaken)
    let isRecorded = place.record(through: 7, by: "민아의 것")
    #expect(isRecorded)
    try await server.store.write { [place] records in
      try records.auditDeliveries.keep(AuditDelivery(sink: "syslog"))
      try records.auditDeliveries.keep(AuditDelivery(sink: "webhook"))
      try records.auditDeliveries.keep(place)
    }
    let places = try await server.store.read { try $0.auditDeliveries.all() }
    #expect(
      places == [
        AuditDelivery(sink: "syslog"),
        AuditDelivery(sink: "webhook", delivered: 7, holder: "민아의 것", heldUntil: 160),
      ])
    #expect(
      try await server.store.read { try $0.auditDeliveries.delivery(to: "other") } == AuditDelivery(sink: "other"))
  }

  @Test func `a failed transaction leaves a sink's position unchanged`() async throws {
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await server.store.write { records in
        try records.auditDeliveries.keep(AuditDelivery(sink: "syslog", delivered: 9))
        throw Failure()
      }
    }
    #expect(try await server.store.read { try $0.auditDeliveries.all() }.isEmpty)
  }

  @Test func `while one instance holds a sink, no other instance sends to it, until the hold has expired`() {
    var place = AuditDelivery(sink: "syslog")
    let isFirst = place.take(by: "a", now: 100)
    #expect(isFirst)
    let isSecond = place.take(by: "b", now: 159)
    #expect(!isSecond)
    #expect(place.isHeld(by: "a", now: 130) && !place.isHeld(by: "a", now: 131) && !place.isHeld(by: "b", now: 100))
    let isNext = place.take(by: "b", now: 160)
    #expect(isNext)
    let isLate = place.record(through: 3, by: "a")
    #expect(!isLate)
    #expect(place.delivered == 0)
  }

  @Test func `an instance whose clock was a year ahead loses its hold of a sink to the next instance`() {
    var place = AuditDelivery(sink: "syslog", delivered: 3, holder: "a", heldUntil: 40_000_000)
    let isTaken = place.take(by: "b", now: 100)
    #expect(isTaken)
    #expect(place.delivered == 3)
  }

  @Test func `a sink's position is moved back if rows were cut off, and never forward for that reason`() {
    var place = AuditDelivery(sink: "syslog", delivered: 9, holder: "a", heldUntil: 160)
    let isAhead = place.goBack(to: 9)
    #expect(!isAhead)
    let isCut = place.goBack(to: 4)
    #expect(isCut && place.delivered == 4)
  }

  @Test func `recording an earlier row late does not move a sink's position back`() {
    var place = AuditDelivery(sink: "syslog", delivered: 9, holder: "a", heldUntil: 160)
    let isRecorded = place.record(through: 4, by: "a")
    #expect(isRecorded)
    #expect(place.delivered == 9)
  }
}
