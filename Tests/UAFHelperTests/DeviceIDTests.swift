import Authenticator
import Foundation
import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

/// The id by which a server tells machines apart.
@Suite struct DeviceIDTests {
  private static let machineID = Array("0123456789abcdef0123456789abcdef".utf8)

  /// The device id that a registration sends to the server.
  private func identifier(_ bench: HelperBench, machineID: [UInt8] = Self.machineID) throws -> String? {
    bench.device.machineID = machineID
    bench.server.respondStatus = .unauthorized
    _ = try bench.run(bench.registration(), ["correct", "correct"])
    return try #require(bench.server.asked.last).context.deviceID
  }

  private func bench() throws -> HelperBench {
    let bench = try HelperBench()
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    return bench
  }

  @Test func `two machines with the same machine-id but different state folders have different device ids`() throws {
    let (one, other) = (try bench(), try bench())
    #expect(try identifier(one) != identifier(other))
    #expect(try identifier(one) == identifier(one))
  }

  @Test func `a copied state folder gives another device id on a machine with another machine-id`() throws {
    let bench = try bench()
    let other = Array("fedcba9876543210fedcba9876543210".utf8)
    #expect(try identifier(bench) != identifier(bench, machineID: other))
  }

  @Test func `neither the machine-id nor the state folder's random bytes can be computed from the device id`() throws {
    let bench = try bench()
    let identifier = try #require(try identifier(bench))
    #expect(identifier.utf8.count == 32 && identifier != String(decoding: Self.machineID, as: UTF8.self))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: bench.folder + "/state/device.id"))
    #expect(!bytes.map { String($0, radix: 16) }.joined().contains(identifier))
  }

  @Test func `the state folder of an earlier version keeps the device id that servers know, even after init`() throws {
    let (one, other) = (try bench(), try bench())
    for bench in [one, other] {
      try FileManager.default.removeItem(atPath: bench.folder + "/state/device.id")
      #expect(try !StateDirectory.initialise(bench.folder + "/state", owner: getuid()))
    }
    let known = try identifier(one)
    #expect(known == "55dd4c45722f9d3165a9238762e535f6")
    #expect(try identifier(other) == known)
    #expect(try identifier(one, machineID: []) == nil)
  }

  @Test func `with send_device = false nothing that describes the machine is sent`() throws {
    let bench = try bench()
    bench.configuration = bench.configuration.replacing("[server]", with: "[server]\nsend_device = false")
    #expect(try identifier(bench) == nil)
  }

  @Test func `if the file for the device id is cut or open to others, each call ends before anybody is asked`() throws {
    let bench = try bench()
    let path = bench.folder + "/state/device.id"
    _ = unsafe chmod(path, 0o444)
    #expect(try bench.run(bench.registration()).result == 1007)
    _ = unsafe chmod(path, 0o600)
    _ = unsafe truncate(path, 31)
    #expect(try bench.run(bench.registration()).result == 1007)
  }
}
