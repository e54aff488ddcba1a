import Authenticator
import Foundation
import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

/// Registering where the server knows keys of the account that this machine does not have (1008).
@Suite struct StaleKeyTests {
  private let stale: KeyID

  init() throws { stale = try KeyID(bytes: Array(repeating: 9, count: 32)) }

  private func bench() throws -> HelperBench {
    let bench = try HelperBench()
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    bench.server.knownKeys = [stale]
    return bench
  }

  private func register(_ bench: HelperBench, _ entries: [String] = ["correct", "correct"]) throws -> Transcript {
    try bench.run(bench.registration(), entries)
  }

  @Test func `this machine's lost keys are deregistered by the same code, then a new one is registered`() throws {
    let bench = try bench()
    #expect(try register(bench).result == 0)
    let asked = bench.server.asked
    #expect(asked.map(\.op) == [.registration, .deregistration, .registration])
    let context = asked[1].context
    #expect(context.authCode == "code" && context.deviceID != nil && context.deregisterAll == nil)
    #expect(context.deregisterAAID == nil, "a server that knows no device ids must not take it for more")
    #expect(bench.log.lines.contains { $0.contains("ERROR_ALREADY_REG_USER") })
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test(arguments: [UAFStatusCode.unknownKeyID, .unknownAAID, .notFound, .badRequest])
  func `keys of other machines stay, and do not stop a registration`(_ status: UAFStatusCode) throws {
    let bench = try bench()
    bench.server.deregistrationStatus = status
    #expect(try register(bench).result == 0)
    #expect(bench.server.asked.map(\.op) == [.registration, .deregistration])
    #expect(bench.server.knownKeys == [stale])
  }

  @Test func `nothing is deregistered where the server cannot tell machines apart`() throws {
    for configuration in ["", "[server]\nsend_device = false"] {
      let bench = try bench()
      if configuration.isEmpty {
        bench.device.machineID = []
      } else {
        bench.configuration = bench.configuration.replacing("[server]", with: configuration)
      }
      #expect(try register(bench).result == 0)
      #expect(bench.server.asked.map(\.op) == [.registration])
    }
  }

  @Test func `a fresh account, and one with a key here, deregister nothing`() throws {
    let fresh = try bench()
    fresh.server.knownKeys = []
    #expect(try register(fresh).result == 0)
    fresh.server.knownKeys = [stale]
    #expect(try register(fresh, ["correct"]).result == 0)
    #expect(fresh.server.asked.map(\.op) == [.registration, .registration])
  }

  @Test(arguments: [(UInt32(1401), UInt32(13_006)), (1403, 9000), (1500, 9000)])
  func `a code that deregisters nothing registers nothing`(_ status: UInt32, _ result: UInt32) throws {
    let bench = try bench()
    bench.server.deregistrationStatus = UAFStatusCode(rawValue: status)
    let transcript = try register(bench, [])
    #expect(transcript.result == result && transcript.pamCode == 7 && transcript.prompts.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder + "/state/accounts").isEmpty)
  }
}
