import Glibc
import Testing
import UAFCrypto
import UAFWire

@testable import Authenticator
@testable import UAFHelper

/// A value that was set when `kdf_cost` was another.
@Suite struct CostTests {
  /// What the value of mina is sealed at, as a power of two.
  private func cost(_ bench: HelperBench) throws -> Int? {
    let directory = try StateDirectory(bench.folder + "/state", owner: getuid())
    let account = try AccountFile.open(in: directory, uid: 4242, name: Array("mina".utf8)) { $0 }
    return try account?.authenticator(.passcode)?.cost.logN
  }

  private func registered() throws -> HelperBench {
    let bench = try HelperBench.registered()
    bench.configuration = bench.configuration.replacing("kdf_cost = 10", with: "kdf_cost = 11")
    return bench
  }

  @Test func `is sealed at today's cost by the next login, once, and opens as before`() throws {
    let bench = try registered()
    #expect(try cost(bench) == 10)
    for _ in 0..<2 {
      #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
      #expect(try cost(bench) == 11)
    }
    #expect(try bench.run(bench.begin(), ["wrong1"]).result == 3012)
    #expect(try bench.triesLeft() == 2)
  }

  @Test func `stays as it is by a wrong value, and a change seals it by itself`() throws {
    let bench = try registered()
    try bench.run(bench.begin(), ["wrong1"])
    #expect(try cost(bench) == 10)
    #expect(try bench.run(bench.begin(.change), ["correct", "another1", "another1"]).result == 7110)
    #expect(try cost(bench) == 11)
    #expect(try bench.run(bench.begin(), ["another1"]).result == 0)
  }
}
