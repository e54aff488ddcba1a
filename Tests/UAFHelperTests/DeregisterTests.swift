import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

@Suite struct DeregisterTests {
  private func deregister(_ bench: HelperBench, _ operation: UAFWire.Operation = .deregister) throws -> Transcript {
    var begin = bench.begin(operation)
    begin.service = Array("uafctl".utf8)
    return try bench.run(begin, ["correct"])
  }

  @Test func `proves the account with the token of a fresh authentication`() throws {
    let bench = try HelperBench.registered()
    #expect(try deregister(bench).result == 0)
    #expect(bench.server.asked.map(\.op) == [.registration, .authentication, .deregistration])
    #expect(bench.server.asked[1].context.proofFor == .deregistration)
    #expect(bench.server.asked[2].context.proof == "token-of-the-server")
    #expect(try bench.run(bench.begin()).result == 1009)
  }

  @Test func `leaves it to a server without tokens whether it wants a proof`() throws {
    let bench = try HelperBench.registered()
    bench.server.token = nil
    #expect(try deregister(bench, .deregisterAll).result == 0)
    #expect(bench.server.asked[2].context.proof == nil && bench.server.asked[2].context.deregisterAll == true)
    #expect(try bench.run(bench.begin()).result == 1009)
  }

  @Test func `an order that names other keys changes nothing here, and is no success`() throws {
    let bench = try HelperBench.registered()
    bench.server.knownKeys = [try KeyID(bytes: Array(repeating: 9, count: 32))]
    let transcript = try deregister(bench)
    #expect(transcript.result == 1001 && transcript.pamCode == 7)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `a server that refuses to deregister leaves the key in use`() throws {
    let bench = try HelperBench.registered()
    bench.server.deregistrationStatus = .init(rawValue: 1401)
    #expect(try deregister(bench).result == 15_007)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `asks for the value first, and a wrong one reaches no server's order`() throws {
    let bench = try HelperBench.registered()
    var begin = bench.begin(.deregister)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["wrong1"]).result == 3012)
    #expect(!bench.server.asked.map(\.op).contains(.deregistration))
  }
}
