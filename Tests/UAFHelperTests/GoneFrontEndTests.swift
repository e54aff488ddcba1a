import Authenticator
import Testing
import UAFClient
import UAFWire

@testable import UAFHelper

/// Logins whose host is killed after the person has entered the passcode.
@Suite struct GoneFrontEndTests {
  private func lines(_ bench: HelperBench, since count: Int) -> [String] {
    bench.log.lines.dropFirst(count).map { "\($0)" }
  }

  @Test(arguments: ["", "[service.login]\ntransaction = true"])
  func `after the front end has disappeared, nothing is signed or sent`(_ configuration: String) throws {
    let bench = try HelperBench.registered(configuration)
    let (answered, count) = (bench.server.answered, bench.log.lines.count)
    bench.server.onFinish = { [unowned bench] in bench.hangUp() }
    try bench.run(bench.begin(), ["correct"])
    #expect(bench.server.answered == answered && bench.server.confirmed.isEmpty)
    let told = lines(bench, since: count)
    #expect(told.contains { $0.contains("event=authenticate result=7010") && !$0.contains("unused") }, "\(told)")
    #expect(!told.contains { $0.contains("result=0") }, "\(told)")
  }

  /// The log line of a call whose front end disappears at a prompt, after this many seconds.
  private func lastLine(after seconds: Int64, _ operation: UAFWire.Operation = .authenticate) throws -> String {
    let bench = try HelperBench.registered()
    bench.server.onGet = { [unowned bench] in bench.now.nanoseconds += seconds * 1_000_000_000 }
    try bench.run(bench.begin(operation, "timeout=30"), entries: [.gone])
    // The next line only says that nobody received the result.
    return try #require(
      bench.log.lines.last { $0.contains("event=authenticate result=70") && !$0.contains("finished:") })
  }

  @Test(arguments: [30, 31, 600] as [Int64])
  func `a host that disappears after the module's timeout= is logged with 7011, which the person has seen`(
    seconds: Int64
  ) throws {
    let line = try lastLine(after: seconds)
    #expect(line.contains("result=7011 name=Biometry_System_Cancel pam=4"), "\(line)")
    #expect(line.contains("timeout of 30 s"), "\(line)")
  }

  @Test(arguments: [0, 5, 28] as [Int64])
  func `a host that disappears before the module's timeout= is logged with 7010`(seconds: Int64) throws {
    let line = try lastLine(after: seconds)
    #expect(line.contains("result=7010") && !line.contains("timeout of"), "\(line)")
  }

  @Test func `a correct entry clears the count even if the front end has disappeared`() throws {
    let bench = try HelperBench.registered()
    try bench.run(bench.begin(), ["wrong"])
    bench.server.onFinish = { [unowned bench] in bench.hangUp() }
    try bench.run(bench.begin(), ["correct"])
    bench.server.onFinish = nil
    #expect(try bench.triesLeft() == 3)
  }

  @Test func `a success that no front end receives is logged as unused`() throws {
    let bench = try HelperBench.registered()
    let count = bench.log.lines.count
    bench.server.onRespond = { [unowned bench] in bench.hangUp() }
    try bench.run(bench.begin(), ["correct"])
    let told = lines(bench, since: count).filter { $0.contains("result=0") }
    #expect(told.count == 1 && told[0].contains("unused=yes"), "\(told)")
  }

  @Test func `a response that was sent and whose verdict no front end receives is logged as unused`() throws {
    let bench = try HelperBench.registered()
    let count = bench.log.lines.count
    bench.server.onRespond = { [unowned bench] in
      bench.hangUp()
      // The front end has disappeared, so this is the result of the exchange.
      bench.server.lateFailure = .unavailable
    }
    try bench.run(bench.begin(), ["correct"])
    let told = lines(bench, since: count).filter { $0.contains("event=authenticate") }
    #expect(told.first?.contains("unused=yes") == true && !told.contains { $0.contains("result=0") }, "\(told)")
  }

  @Test func `a success that the front end receives is not logged as unused`() throws {
    let bench = try HelperBench.registered()
    let count = bench.log.lines.count
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(!lines(bench, since: count).contains { $0.contains("unused") })
  }

  @Test func `once the front end has disappeared, no deregistration is requested`() throws {
    let bench = try HelperBench.registered()
    bench.server.onRespond = { [unowned bench] in bench.hangUp() }
    let asked = bench.server.asked.count
    try bench.run(bench.begin(.deregister), ["correct"])
    bench.server.onRespond = nil
    // Only the proof was requested, and no order to deregister.
    #expect(bench.server.asked.count == asked + 1)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }
}
