import Authenticator
import Testing
import UAFClient
import UAFWire

@testable import UAFHelper

/// Logins whose host is killed after its person has entered the value.
@Suite struct GoneFrontEndTests {
  private func lines(_ bench: HelperBench, since count: Int) -> [String] {
    bench.log.lines.dropFirst(count).map { "\($0)" }
  }

  @Test(arguments: ["", "[service.login]\ntransaction = true"])
  func `signs and sends nothing after the front end has disappeared`(_ configuration: String) throws {
    let bench = try HelperBench.registered(configuration)
    let (answered, count) = (bench.server.answered, bench.log.lines.count)
    bench.server.onFinish = { [unowned bench] in bench.hangUp() }
    try bench.run(bench.begin(), ["correct"])
    #expect(bench.server.answered == answered && bench.server.confirmed.isEmpty)
    let told = lines(bench, since: count)
    #expect(told.contains { $0.contains("event=authenticate result=7010") && !$0.contains("unused") }, "\(told)")
    #expect(!told.contains { $0.contains("result=0") }, "\(told)")
  }

  /// The front end disappears at a prompt, after this many seconds of the call.
  private func lastLine(after seconds: Int64, _ operation: UAFWire.Operation = .authenticate) throws -> String {
    let bench = try HelperBench.registered()
    bench.server.onGet = { [unowned bench] in bench.now.nanoseconds += seconds * 1_000_000_000 }
    try bench.run(bench.begin(operation, "timeout=30"), entries: [.gone])
    // A line after it says that nobody read the end.
    return try #require(
      bench.log.lines.last { $0.contains("event=authenticate result=70") && !$0.contains("finished:") })
  }

  @Test(arguments: [30, 31, 600] as [Int64])
  func `a host that closes after the module's timeout= has passed is logged as the person sees it: 7011`(
    seconds: Int64
  ) throws {
    let line = try lastLine(after: seconds)
    #expect(line.contains("result=7011 name=Biometry_System_Cancel pam=4"), "\(line)")
    #expect(line.contains("timeout of 30 s"), "\(line)")
  }

  @Test(arguments: [0, 5, 28] as [Int64])
  func `a host that closes before its timeout has passed is logged as 7010`(seconds: Int64) throws {
    let line = try lastLine(after: seconds)
    #expect(line.contains("result=7010") && !line.contains("timeout of"), "\(line)")
  }

  @Test func `a correct entry still clears the count`() throws {
    let bench = try HelperBench.registered()
    try bench.run(bench.begin(), ["wrong"])
    bench.server.onFinish = { [unowned bench] in bench.hangUp() }
    try bench.run(bench.begin(), ["correct"])
    bench.server.onFinish = nil
    #expect(try bench.triesLeft() == 3)
  }

  @Test func `logs a success that nobody waits for as unused`() throws {
    let bench = try HelperBench.registered()
    let count = bench.log.lines.count
    bench.server.onRespond = { [unowned bench] in bench.hangUp() }
    try bench.run(bench.begin(), ["correct"])
    let told = lines(bench, since: count).filter { $0.contains("result=0") }
    #expect(told.count == 1 && told[0].contains("unused=yes"), "\(told)")
  }

  @Test func `logs an answer as unused if nobody waits for its verdict`() throws {
    let bench = try HelperBench.registered()
    let count = bench.log.lines.count
    bench.server.onRespond = { [unowned bench] in
      bench.hangUp()
      // The result of the exchange once the front end has disappeared.
      bench.server.lateFailure = .unavailable
    }
    try bench.run(bench.begin(), ["correct"])
    let told = lines(bench, since: count).filter { $0.contains("event=authenticate") }
    #expect(told.first?.contains("unused=yes") == true && !told.contains { $0.contains("result=0") }, "\(told)")
  }

  @Test func `does not log a success as unused if it is used`() throws {
    let bench = try HelperBench.registered()
    let count = bench.log.lines.count
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(!lines(bench, since: count).contains { $0.contains("unused") })
  }

  @Test func `asks for no deregistration for a front end that has disappeared`() throws {
    let bench = try HelperBench.registered()
    bench.server.onRespond = { [unowned bench] in bench.hangUp() }
    let asked = bench.server.asked.count
    try bench.run(bench.begin(.deregister), ["correct"])
    bench.server.onRespond = nil
    // Only the request of the proof: no order for a deregistration was requested.
    #expect(bench.server.asked.count == asked + 1)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }
}
