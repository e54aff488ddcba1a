import Authenticator
import Foundation
import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

/// Servers that respond with a further request (step-up) instead of a verdict.
@Suite struct FurtherRequestTests {
  @Test func `a login signs each further request with the next counter, and asks the person nothing more`() throws {
    let bench = try HelperBench.registered()
    bench.server.furtherRequests = 4
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 0 && transcript.prompts.count == 1)
    #expect(bench.server.counters == [1, 2, 3, 4, 5])
  }

  @Test func `a login with too many further requests is refused`() throws {
    let bench = try HelperBench.registered()
    bench.server.furtherRequests = 5
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 9999 && transcript.pamCode == 7)
  }

  @Test func `a login is refused if the server refuses the response to a further request`() throws {
    let bench = try HelperBench.registered()
    bench.server.furtherRequests = 1
    bench.server.respondStatus = .init(rawValue: 1493)
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 9999 && transcript.pamCode == 7)
  }

  @Test func `a registration signs with the new key before storing it, and stores its counter`() throws {
    let bench = try HelperBench()
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    bench.server.furtherRequests = 2
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(bench.server.counters == [1, 2, 3])
  }

  @Test func `a registration stores nothing if the server refuses the response to a further request`() throws {
    let bench = try HelperBench()
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    bench.server.furtherRequests = 1
    bench.server.respondStatus = .init(rawValue: 1492)
    let transcript = try bench.run(bench.registration(), ["correct", "correct"])
    #expect(transcript.result == 2002 && transcript.pamCode == 7)
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder + "/state/accounts") == ["4242.made"])
  }

  @Test func `a second registration can sign a further request with the earlier key`() throws {
    let bench = try HelperBench.registered()
    bench.server.policyKeys = [try #require(bench.server.registered)]
    bench.server.furtherRequests = 1
    bench.configuration = bench.configuration.replacing("[state]", with: "enrolment = \"open\"\n[state]")
    bench.server.marks = false
    var begin = bench.registration()
    begin.payload = nil
    #expect(try bench.run(begin, ["correct"]).result == 0)
    bench.server.policyKeys = nil
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(bench.server.counters == [1, 1], "the old key's first signature, then the new one's")
  }
}
