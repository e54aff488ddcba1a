import Glibc
import Authenticator
import AuthenticatorTypes
import Testing
import UAFWire

@testable import UAFHelper

@Suite struct HiddenStateTests {
  private func remote(_ bench: HelperBench, _ arguments: String...) -> Begin {
    var begin = bench.begin()
    begin.arguments += arguments.map { Array($0.utf8) }
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

  @Test func `in a remote login, a wrong secret, a lock and an unknown name get the same texts and PAM code`() throws {
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
    #expect(Set(all.map(\.errors)) == [["Wrong passcode or pattern."]])
    #expect(Set(all.map { $0.prompts.map(\.text) }) == [["Passcode or pattern for mina (sshd): "]])
    #expect(all.allSatisfy { $0.prompts.allSatisfy { $0.remainingAttempts == nil } })
  }

  @Test(arguments: ["wrong1", "", "\u{1b}[2J", "7", "correct"])
  func `in a remote login, each name gets the same number of prompts with the same texts, whatever is entered`(
    _ entry: String
  ) throws {
    let more = "[passcode]\nui_type = \"pin6\"\nmin_length = 4\n[service.sshd]\ntries = 3"
    let bench = try HelperBench.registered()
    bench.configuration += "\n" + more
    for digit in 0..<2 { try bench.run(remote(bench), ["11111\(digit)", "22222\(digit)", "33333\(digit)"]) }
    let locked = try bench.run(remote(bench), [entry, entry, entry])
    let nobody = try bench.run(unknown(bench), [entry, entry, entry])
    #expect(locked.prompts.count == 3 && locked.prompts == nobody.prompts)
    #expect(locked.errors == nobody.errors && locked.pamCode == nobody.pamCode)
  }

  @Test func `a remote login asks only for the type that is enabled or named`() throws {
    let bench = try HelperBench.registered()
    let named = try bench.run(remote(bench, "authenticator=passcode"), ["correct"])
    #expect(named.pamCode == 0 && named.prompts.map(\.text) == ["Passcode for mina (sshd): "])
    let other = try bench.run(remote(bench, "authenticator=pattern"), ["12369"])
    #expect(
      other.pamCode == 7 && other.prompts.count == 1 && other.prompts[0].text.hasSuffix("Pattern for mina (sshd): "))
  }

  @Test func `in a remote login, known and unknown names send the server requests of the same form`() throws {
    let bench = try HelperBench.registered()
    var counts: [Int] = []
    for begin in [remote(bench), unknown(bench)] {
      let before = bench.server.requests.count
      try bench.run(begin, ["wrong1"])
      counts.append(bench.server.requests.count - before)
    }
    #expect(counts == [1, 1])
  }

  /// The bytes in the files of the derivation slots, which is what attempts write that count for no account.
  private func writtenInVain(_ bench: HelperBench) -> Int {
    (0..<8).reduce(0) { sum, index in
      var info = stat()
      // SAFETY: `info` is a stat structure.
      let isThere = unsafe stat(bench.folder + "/state/slots/\(index).lock", &info) == 0
      return isThere ? sum + Int(info.st_size) : sum
    }
  }

  @Test
  func `in a remote login, an attempt that is not counted writes as much to disk as one that is counted`() throws {
    let bench = try HelperBench.registered()
    try bench.run(remote(bench), ["wrong1"])
    #expect(writtenInVain(bench) == 0, "this one is counted")
    var sizes: [Int] = []
    for _ in 0..<3 {
      try bench.run(unknown(bench), ["wrong1"])
      sizes.append(writtenInVain(bench))
    }
    #expect(sizes[0] == 28_672 && Set(sizes).count == 1)
    let locked = try HelperBench.registered()
    for index in 0..<5 { try locked.run(remote(locked), ["wrong-\(index)"]) }
    #expect(writtenInVain(locked) == 0)
    try locked.run(remote(locked), ["correct"])
    #expect(writtenInVain(locked) == 28_672)
  }

  @Test func `in a local login, an attempt that is not counted writes nothing to disk`() throws {
    let bench = try HelperBench.registered()
    for index in 0..<6 { try bench.run(bench.begin(), ["wrong-\(index)"]) }
    #expect(writtenInVain(bench) == 0)
  }

  @Test func `a remote lock does not stop local logins`() throws {
    let bench = try HelperBench.registered()
    for index in 0..<6 { try bench.run(remote(bench), ["wrong-\(index)"]) }
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `nouserok ignores no account whose registration is hidden, by default or by configuration`() throws {
    let bench = try HelperBench.registered()
    var begin = remote(bench, "nouserok")
    (begin.uid, begin.account, begin.typedName) = (4343, Array("nora".utf8), Array("nora".utf8))
    let transcript = try bench.run(begin, ["correct"])
    #expect(transcript.pamCode == 7 && transcript.prompts.count == 1)
    bench.configuration += "\n[general]\nhide_state = true\n"
    for remoteHost in [begin.remoteHost, nil] {
      begin.remoteHost = remoteHost
      begin.isRemote = remoteHost != nil
      let hidden = try bench.run(begin, ["correct"])
      #expect(hidden.pamCode == 7 && hidden.prompts.count == 1)
    }
    #expect(try bench.run(bench.begin(.authenticate, "nouserok"), ["correct"]).pamCode == 0)
  }
}
