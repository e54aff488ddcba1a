import Authenticator
import Foundation
import Testing
import UAFWire

@testable import UAFHelper

/// What happens if another account of the machine makes entries, for example with su.
@Suite struct OtherUserTests {
  private func begin(_ bench: HelperBench, by caller: UInt32?) -> Begin {
    var begin = bench.begin()
    begin.service = Array("su".utf8)
    begin.callerUID = caller
    return begin
  }

  private func told(_ bench: HelperBench) throws -> [String: Any] {
    let text = try #require(try bench.run(bench.begin(.status)).finished.document)
    let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    return try #require((document["authenticators"] as? [[String: Any]])?.first)
  }

  @Test func `wrong entries by other users lock su for other users, and affect no login of the person`() throws {
    let bench = try HelperBench.registered("max_lock_count = 0")
    for round in 0..<5 {
      let result = try bench.run(begin(bench, by: 1000), ["wrong\(round)"])
      #expect(result.result == (round < 4 ? 3012 : 3013) && result.pamCode == (round < 4 ? 7 : 11))
    }
    for caller in [UInt32(1000), 1001] {
      let result = try bench.run(begin(bench, by: caller))
      #expect(result.result == 3013 && result.pamCode == 11)
    }
    for caller in [nil, 0, 4242] as [UInt32?] {
      #expect(try bench.run(begin(bench, by: caller), ["correct"]).result == 0)
    }
  }

  @Test func `entries by other users are refused during the person's own lock, and cannot end it`() throws {
    let bench = try HelperBench.registered()
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [wrong]) }
    #expect(try bench.run(begin(bench, by: 1000)).result == 3013)
    #expect(try bench.run(begin(bench, by: 4242)).result == 3013)
  }

  @Test func `entries by other users never cause a permanent lock, whatever root has configured`() throws {
    let bench = try HelperBench.registered(
      "max_lock_count = 0\n[lock.remote]\nretry_count_to_lock = 1\nmax_lock_count = 0")
    for round in 0..<12 {
      #expect(try bench.run(begin(bench, by: 1000), ["wrong\(round)"]).result == 3013)
      #expect(try bench.run(begin(bench, by: 1000)).result == 3013)
      bench.now.nanoseconds += 86_400_000_000_000
    }
    let counter = try #require(try told(bench)["otherUser"] as? [String: Any])
    #expect(counter["permanent"] as? Bool == false && counter["remainingTries"] as? Int == 1)
  }

  @Test func `status shows the entries of other users only if some were counted`() throws {
    let bench = try HelperBench.registered()
    #expect(try told(bench)["otherUser"] == nil)
    try bench.run(begin(bench, by: 1000), ["wrong1"])
    let counter = try #require(try told(bench)["otherUser"] as? [String: Any])
    #expect(counter["remainingTries"] as? Int == 4 && counter["remainingLockSeconds"] as? Int == 0)
    #expect(try told(bench)["remainingTries"] as? Int == 3)
    #expect(try bench.run(bench.begin(.unlock)).result == 0)
    #expect(try told(bench)["otherUser"] == nil)
  }

  @Test func `entries by a caller that only claims to be another user count as the person's own`() throws {
    let bench = try HelperBench.registered()
    // The core ignores what a peer without root says about its caller.
    var forged = Begin(.authenticate)
    forged.callerUID = 1000
    #expect(try bench.run(forged, peer: 4242).result == 1001)
    #expect(try told(bench)["remainingTries"] as? Int == 3)
  }
}
