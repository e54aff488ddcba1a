import Authenticator
import Glibc
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import UAFHelper

/// Which server address each operation uses: http to this machine, and addresses for single operations.
@Suite struct ServerAddressTests {
  private func bench(_ server: String) throws -> HelperBench {
    let bench = try HelperBench()
    let state = try #require(bench.configuration.firstRange(of: "[state]")?.lowerBound)
    bench.configuration = "[server]\n\(server)\n" + bench.configuration[state...]
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    return bench
  }

  private func registration(_ bench: HelperBench, at server: String) -> Begin {
    var begin = bench.registration()
    begin.payload = Array(bench.server.payload(server: server).encoded.utf8)
    return begin
  }

  private static let plain = """
    allow_insecure = true
    request_url = "http://127.0.0.1:8080/uaf/get"
    response_url = "http://127.0.0.1:8080/uaf/respond"
    """

  @Test func `with allow_insecure a registration, a login and a deregistration use http to this machine`() throws {
    let bench = try bench(Self.plain)
    let transcript = try bench.run(registration(bench, at: "http://127.0.0.1:8080"), ["correct", "correct"])
    #expect(transcript.result == 0, "\(bench.log.lines)")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    var begin = bench.begin(.deregister)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["correct"]).result == 0)
    #expect(bench.server.requests.allSatisfy { $0.url.hasPrefix("http://127.0.0.1:8080/uaf/") })
  }

  @Test(arguments: ["https://127.0.0.1:8080", "http://127.0.0.1:8081", "http://localhost:8080"])
  func `refuses a payload whose scheme, port or host is that of a different server`(_ server: String) throws {
    let bench = try bench(Self.plain)
    let transcript = try bench.run(registration(bench, at: server))
    #expect(transcript.result == 1001 && bench.server.asked.isEmpty)
  }

  @Test func `refuses a payload that names http if the configuration names https`() throws {
    let bench = try bench(Self.plain.replacing("http:", with: "https:"))
    #expect(try bench.run(registration(bench, at: "http://127.0.0.1:8080")).result == 1001)
  }

  private static let own = """
    [server.registration]
    request_url = "https://localhost:8001/get"
    response_url = "https://localhost:8001/respond"
    [server.authentication]
    request_url = "https://localhost:8002/get"
    response_url = "https://localhost:8002/respond"
    [server.deregistration]
    request_url = "https://localhost:8003/get"
    """

  @Test func `without general addresses, each operation uses the addresses of its own section`() throws {
    let bench = try bench(Self.own)
    let transcript = try bench.run(registration(bench, at: "https://localhost:8001"), ["correct", "correct"])
    #expect(transcript.result == 0, "\(bench.log.lines)")
    var begin = bench.begin(.deregister)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["correct"]).result == 0)
    let hosts = bench.server.requests.map { String($0.url.split(separator: "/")[1]) }
    #expect(hosts == [8001, 8001, 8002, 8002, 8003].map { "localhost:\($0)" })
  }

  @Test func `refuses a payload of a server at which the machine only authenticates`() throws {
    let bench = try bench(Self.own)
    #expect(try bench.run(registration(bench, at: "https://localhost:8002")).result == 1001)
    #expect(bench.server.asked.isEmpty)
  }
}
