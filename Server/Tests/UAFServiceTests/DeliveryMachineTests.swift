import Testing

@testable import UAFService

/// Which action follows which event when rows are sent to a sink of the audit.
@Suite struct DeliveryMachineTests {
  private var machine = DeliveryMachine()

  private static func rows(_ numbers: ClosedRange<Int64>) -> [AuditRow] {
    numbers.map {
      AuditRow(link: AuditLink(number: $0, hash: []), event: AuditEntry(time: 1, kind: .login, actor: .person))
    }
  }

  /// Expects the action that follows an event.
  private mutating func expect(
    _ event: DeliveryMachine.Event, _ action: DeliveryMachine.Action, _ notice: DeliveryMachine.Notice?,
    at place: SourceLocation = #_sourceLocation
  ) {
    let found = machine.received(event)
    #expect(found.action == action, sourceLocation: place)
    #expect(found.notice == notice, sourceLocation: place)
  }

  @Test mutating func `after a sink has accepted rows, the instance records them and asks for the next rows`() {
    let rows = Self.rows(1...3)
    #expect(machine.first == .take(limit: 200))
    expect(.taken(rows, last: 3), .send(rows), nil)
    expect(.accepted, .record(through: 3), nil)
    expect(.recorded(true), .take(limit: 200), nil)
    expect(.taken([], last: 3), .wait(seconds: 1), nil)
  }

  @Test
  mutating func `after a refusal by the sink, nothing is recorded, each wait is longer, and the log has one line`() {
    var waits: [Int64] = []
    var notices: [DeliveryMachine.Notice] = []
    for _ in 0..<9 {
      _ = machine.received(.taken(Self.rows(4...5), last: 9))
      let (action, notice) = machine.received(.refused("no"))
      if case .wait(let seconds) = action { waits.append(seconds) }
      if let notice { notices.append(notice) }
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    #expect(notices == [.failed("no")])
  }

  @Test mutating func `a new reason for a sink's failure is logged, and each reason once`() {
    let notices = ["a", "b", "a", "b"].map { reason in
      _ = machine.received(.taken(Self.rows(1...1), last: 1))
      return machine.received(.refused(reason)).notice
    }
    #expect(notices == [.failed("a"), .failed("b"), nil, nil])
  }

  @Test mutating func `the log has one line when a sink is back, with the number of rows that have waited`() {
    _ = machine.received(.taken(Self.rows(4...5), last: 5))
    _ = machine.received(.refused("no"))
    _ = machine.received(.taken(Self.rows(4...6), last: 40))
    expect(.accepted, .record(through: 6), .back(rows: 37))
    _ = machine.received(.recorded(true))
    _ = machine.received(.taken(Self.rows(7...9), last: 40))
    expect(.accepted, .record(through: 9), nil)
    _ = machine.received(.recorded(true))
    _ = machine.received(.taken(Self.rows(10...10), last: 40))
    expect(.refused("again"), .wait(seconds: 1), .failed("again"))
  }

  @Test mutating func `fewer rows are sent to a sink after each refusal, down to one, and more again after a success`()
  {
    for limit in [200, 100, 50, 25, 12, 6, 3, 1, 1] {
      #expect(machine.first == .take(limit: limit))
      _ = machine.received(.taken(Self.rows(1...1), last: 1))
      _ = machine.received(.refused("no"))
    }
    _ = machine.received(.taken(Self.rows(1...1), last: 1))
    _ = machine.received(.accepted)
    expect(.recorded(true), .take(limit: 2), nil)
  }

  @Test
  mutating func `an instance sends nothing while another holds the sink, and leaves the rows to one that took over`() {
    expect(.heldElsewhere(delivered: 0), .wait(seconds: 1), nil)
    _ = machine.received(.taken(Self.rows(1...2), last: 2))
    _ = machine.received(.accepted)
    expect(.recorded(false), .wait(seconds: 1), nil)
  }

  @Test
  mutating func `the log says once that a sink is back if another instance has sent the rows refused here`() {
    for (event, waited) in [
      (DeliveryMachine.Event.heldElsewhere(delivered: 9), Int64(6)), (.taken([], last: 12), 9),
    ] {
      machine = DeliveryMachine()
      _ = machine.received(.taken(Self.rows(4...5), last: 9))
      expect(.refused("no"), .wait(seconds: 1), .failed("no"))
      expect(.heldElsewhere(delivered: 3), .wait(seconds: 1), nil)
      expect(event, .wait(seconds: 1), .back(rows: waited))
      expect(event, .wait(seconds: 1), nil)
      #expect(machine.first == .take(limit: 200))
    }
  }

  @Test mutating func `the log does not say that a sink is back while it has accepted none of the refused rows`() {
    _ = machine.received(.taken(Self.rows(4...5), last: 9))
    _ = machine.received(.refused("no"))
    _ = machine.received(.taken(Self.rows(4...4), last: 9))
    expect(.refused("another"), .wait(seconds: 2), .failed("another"))
    expect(.heldElsewhere(delivered: 3), .wait(seconds: 1), nil)
    expect(.storeFailed, .wait(seconds: 4), nil)
  }

  @Test mutating func `a failing store is not logged as a failure of the sink, and the instance tries again later`() {
    expect(.storeFailed, .wait(seconds: 1), nil)
    expect(.storeFailed, .wait(seconds: 2), nil)
  }
}
