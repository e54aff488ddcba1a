import Glibc
import Authenticator
import Testing
import UAFWire

@testable import UAFHelper

@Suite struct HiddenStateTests {
  private func remote(_ bench: HelperBench) -> Begin {
    var begin = bench.begin()
    begin.service = Array("sshd".utf8)
    begin.isRemote = true
    begin.remoteHost = Array("192.0.2.1".utf8)
    return begin
  }

  private func unknown(_ bench: HelperBench) -> Begin {
    var begin = remote(bench)
    begin.uid = nil
    begin.account = nil
    return begin
  }

  @Test func `remote: wrong, locked, unregistered and unknown are told in the same words and the same code`() throws {
    let bench = try HelperBench.registered()
    let empty = try HelperBench()
    _ = try StateDirectory.initialise(empty.folder + "/state", owner: getuid())
    let wrong = try bench.run(remote(bench), ["wrong1"])
    let nobody = try bench.run(unknown(bench), ["wrong1"])
    let unregistered = try empty.run(remote(empty), ["wrong1"])
    for index in 0..<5 { try bench.run(remote(bench), ["wrong-\(index)"]) }
    let locked = try bench.run(remote(bench), ["correct"])
    #expect(bench.log.lines.last?.contains("result=3013") == true, "it is locked indeed")
    let all = [wrong, nobody, unregistered, locked]
    #expect(all.allSatisfy { $0.pamCode == 7 })
    #expect(Set(all.map(\.errors)) == [["Wrong passcode."]])
    #expect(Set(all.map { $0.prompts.map(\.text) }) == [["Passcode for mina (sshd): "]])
    #expect(all.allSatisfy { $0.prompts.allSatisfy { $0.remainingAttempts == nil } })
  }

  @Test func `remote: every one of them sends the server the same kind of request`() throws {
    let bench = try HelperBench.registered()
    var counts: [Int] = []
    for begin in [remote(bench), unknown(bench)] {
      let before = bench.server.requests.count
      try bench.run(begin, ["wrong1"])
      counts.append(bench.server.requests.count - before)
    }
    #expect(counts == [1, 1])
  }

  @Test func `a remote lock leaves the local way open`() throws {
    let bench = try HelperBench.registered()
    for index in 0..<6 { try bench.run(remote(bench), ["wrong-\(index)"]) }
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `nouserok together with hidden state is a configuration error`() throws {
    let bench = try HelperBench.registered()
    var begin = remote(bench)
    begin.arguments.append(Array("nouserok".utf8))
    let transcript = try bench.run(begin)
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty)
  }
}
