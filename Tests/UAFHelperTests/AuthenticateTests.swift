import Authenticator
import FidoResults
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import UAFHelper

@Suite struct AuthenticateTests {
  @Test func `a person logs in with the correct secret and the server's success`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.pamCode == 0 && transcript.result == 0)
    #expect(transcript.prompts.map(\.text) == ["Passcode for mina (login): "])
    #expect(transcript.prompts[0].echo == false && transcript.prompts[0].check == "passcode")
  }

  @Test func `a wrong secret is answered with the tries that are left, and sends the server nothing`() throws {
    let bench = try HelperBench.registered()
    let answered = bench.server.answered
    let transcript = try bench.run(bench.begin(), ["wrong1"])
    #expect(transcript.pamCode == 7 && transcript.result == 3012)
    #expect(transcript.errors == ["Wrong passcode: 2 tries left."])
    #expect(bench.server.answered == answered)
    #expect(try bench.triesLeft() == 2)
  }

  @Test
  func `an account is locked after the configured number of wrong secrets, and then nobody is asked for one`() throws {
    let bench = try HelperBench.registered()
    for wrong in ["wrong1", "wrong2"] { try bench.run(bench.begin(), [wrong]) }
    let third = try bench.run(bench.begin(), ["wrong3"])
    #expect(third.errors == ["Locked after wrong entries: try again in 60 seconds."])
    let locked = try bench.run(bench.begin(), [])
    #expect(locked.result == 3013 && locked.pamCode == 11 && locked.prompts.isEmpty)
    bench.now.nanoseconds = 60_000_000_000
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `an account is locked permanently after the configured number of locks, until root unlocks it`() throws {
    let bench = try HelperBench.registered()
    for round in 0..<2 {
      for index in 0..<3 { try bench.run(bench.begin(), ["wrong\(index)"]) }
      bench.now.nanoseconds += Int64(round + 1) * 1_000_000_000_000
    }
    let transcript = try bench.run(bench.begin(), [])
    #expect(transcript.result == 3014 && transcript.pamCode == 11)
    #expect(try bench.run(bench.begin(.unlock)).result == 0)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `the same wrong secret entered twice in one call is counted once`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(bench.begin(.authenticate, "tries=3"), ["wrong1", "wrong1", "correct"])
    #expect(transcript.result == 0)
    #expect(transcript.prompts.map(\.remainingAttempts) == [3, 2, 2])
    #expect(transcript.prompts[1].errorMessage == "Wrong passcode: 2 tries left.")
  }

  @Test func `each prompt tells how many tries are left, even after wrong entries in an earlier call`() throws {
    let bench = try HelperBench.registered()
    #expect(try bench.run(bench.begin(), ["wrong1"]).prompts.map(\.remainingAttempts) == [3])
    let second = try bench.run(bench.begin(.authenticate, "tries=2"), ["wrong2", "correct"])
    #expect(second.prompts.map(\.remainingAttempts) == [2, 1])
    // The first prompt repeats no error: the error of the earlier call was shown there, with the entry that it was about.
    #expect(second.prompts[0].errorMessage == nil && second.prompts[0].text == "Passcode for mina (login): ")
    #expect(try bench.run(bench.begin(), ["correct"]).prompts.map(\.remainingAttempts) == [3])
  }

  @Test func `uafctl is told of a wrong entry in an earlier call, and other hosts are not`()
    throws
  {
    for (locale, words) in [
      ("C", "An earlier entry was wrong: 2 tries left."), ("ko_KR.UTF-8", "앞서 입력한 값이 맞지 않았습니다. 2번 더 시도할 수 있습니다."),
    ] {
      let bench = try HelperBench.registered()
      var tool = bench.begin()
      (tool.service, tool.locale) = (Array("uafctl".utf8), Array(locale.utf8))
      #expect(try bench.run(tool, [nil]).prompts.map(\.errorMessage) == [nil])
      try bench.run(bench.begin(), ["wrong1"])
      #expect(try bench.run(tool, [nil]).prompts.map(\.errorMessage) == [words])
      #expect(try bench.run(bench.begin(), [nil]).prompts.map(\.errorMessage) == [nil])
      #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
      #expect(try bench.run(tool, [nil]).prompts.map(\.errorMessage) == [nil])
    }
  }

  @Test(arguments: [("max_lock_count = 1", UInt32(3013)), ("max_lock_count = 0", 3014)])
  func `the wrong entry that causes a lock ends with the result of a lock, not of a wrong entry`(
    _ lines: String, _ result: UInt32
  )
    throws
  {
    for operation in [Operation.authenticate, .change, .deregister] {
      for arguments in [[], ["tries=3"]] {
        let bench = try HelperBench.registered("[passcode.lock]\n" + lines)
        var begin = bench.begin(operation)
        begin.arguments += arguments.map { Array($0.utf8) }
        let wrong = ["wrong1", "wrong2", "wrong3"]
        let ends =
          arguments.isEmpty
          ? try wrong.map { try bench.run(begin, [$0]) } : [try bench.run(begin, wrong)]
        #expect(ends.last?.result == result && ends.last?.pamCode == 11, "\(operation)")
        #expect(ends.dropLast().allSatisfy { $0.result == 3012 && $0.pamCode == 7 })
        #expect(try bench.run(begin).result == result)
      }
    }
  }

  @Test func `after a lock has ended, the next prompt mentions no wrong entries`() throws {
    let bench = try HelperBench.registered()
    for index in 0..<3 { try bench.run(bench.begin(), ["wrong\(index)"]) }
    bench.now.nanoseconds += 1_000_000_000_000
    #expect(try bench.run(bench.begin(), ["correct"]).prompts.map(\.remainingAttempts) == [3])
  }

  @Test func `the server gets the machine's name that root has configured, and none with send_device = false`() throws {
    let bench = try HelperBench.registered()
    bench.device.hostName = "desk"
    func name() throws -> String? {
      #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
      return bench.server.asked.last?.context.deviceName
    }
    #expect(try name() == "desk")
    bench.configuration = bench.configuration.replacing(
      "[state]", with: "device_name = \"{hostname} (rack 4)\"\n[state]")
    #expect(try name() == "desk (rack 4)")
    bench.configuration = bench.configuration.replacing("[state]", with: "send_device = false\n[state]")
    #expect(try name() == nil)
  }

  @Test func `our server is told the service, and no other server is, nor one with send_device = false`() throws {
    let bench = try HelperBench.registered(signed: true)
    func told(_ service: String, peer: UInt32 = 0, by bench: HelperBench) throws -> String? {
      var begin = peer == 0 ? bench.begin() : Begin(.authenticate)
      begin.service = Array(service.utf8)
      begin.arguments = bench.begin().arguments
      #expect(try bench.run(begin, ["correct"], peer: peer).result == 0, "\(bench.log.lines)")
      return bench.server.asked.last?.context.service?.text
    }
    #expect(try told("gdm-password", by: bench) == "gdm-password")
    #expect(try told("two words", by: bench) == nil)
    bench.configuration = bench.configuration.replacing("[state]", with: "send_device = false\n[state]")
    #expect(try told("sudo", by: bench) == nil)
    #expect(try told("sudo", by: try HelperBench.registered()) == nil)
  }

  @Test func `a program of the person cannot pretend to our server that it is a service of root`() {
    var begin = Begin(.authenticate)
    func told(_ service: String, peer: UInt32) -> String? {
      begin.service = Array(service.utf8)
      return (try? CallerIdentity(begin, peer: peer, passwd: { [] }))?.toldService?.text
    }
    #expect(told("sudo", peer: 4242) == nil && told("uafctl", peer: 4242) == "uafctl")
    #expect(told("sudo", peer: 0) == "sudo")
  }

  @Test func `the reason in a prompt is the service, and sudo's command or the person's remote host`() throws {
    let bench = try HelperBench.registered("[service.su]\nreason = \"Become somebody else\"")
    var begin = bench.begin()
    #expect(try bench.run(begin, ["correct"]).prompts[0].reason == "login")
    begin.service = Array("sudo".utf8)
    begin.program = Array("/usr/bin/sudo".utf8)
    begin.commandLine = Array("sudo\0-u\0bob\0ls\0-l\u{1b}[2J\0".utf8)
    #expect(try bench.run(begin, ["correct"]).prompts[0].reason == "sudo, as user bob: ls '-l[2J'")
    (begin.program, begin.commandLine) = (nil, nil)
    #expect(try bench.run(begin, ["correct"]).prompts[0].reason == "sudo")
    begin.service = Array("sshd".utf8)
    begin.isRemote = true
    begin.remoteHost = Array("192.0.2.1".utf8)
    #expect(try bench.run(begin, ["correct"]).prompts[0].reason == "sshd from 192.0.2.1")
    begin = bench.begin()
    begin.service = Array("su".utf8)
    let prompt = try bench.run(begin, ["correct"]).prompts[0]
    #expect(prompt.reason == "Become somebody else" && prompt.text == "Passcode for mina (Become somebody else): ")
  }

  @Test func `with PAM_SILENT the prompt itself contains the last error text`() throws {
    let bench = try HelperBench.registered()
    var begin = bench.begin(.authenticate, "tries=2")
    begin.pamFlags = 0x8000
    let transcript = try bench.run(begin, ["wrong1", "correct"])
    #expect(transcript.prompts[1].text == "Wrong passcode: 2 tries left.\nPasscode for mina (login): ")
    #expect(transcript.prompts[1].errorMessage == nil)
  }

  @Test(arguments: ["", "\u{7f}\u{1b}[2J", "line\nbreak", String(repeating: "x", count: 257)])
  func `an entry that cannot be a secret is refused as wrong, but not counted`(_ value: String) throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(bench.begin(), [value])
    #expect(transcript.result == 3012 && transcript.pamCode == 7)
    #expect(try bench.triesLeft() == 3)
  }

  @Test func `an entry of the wrong length for a PIN is answered with the right length, and not counted`() throws {
    let bench = try HelperBench.registered("[passcode]\nmin_length = 4")
    bench.configuration = bench.configuration.replacing("min_length = 4", with: "ui_type = \"pin6\"")
    let transcript = try bench.run(bench.begin(.authenticate, "tries=2"), ["12345", "123456"])
    #expect(transcript.prompts[1].errorMessage == "Enter exactly 6 digits; this was not counted.")
    #expect(transcript.errors == ["Wrong passcode: 2 tries left."], "six digits are checked")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 3012)
    #expect(try bench.triesLeft() == 2)
  }

  @Test(arguments: [UInt32(1480), 1481, 1493])
  func `a key that the server no longer knows is marked in the state, and not deleted`(
    _ status: UInt32
  ) throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = .init(rawValue: status)
    #expect(try bench.run(bench.begin(), ["correct"]).pamCode == 7)
    bench.server.respondStatus = .init(rawValue: 1200)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `an unknown status of the server is shown as its number`() throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = UAFStatusCode(rawValue: 1494)
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.errors == ["The server replied with status 1494."])
  }

  @Test func `cancelling a login counts no attempt`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(bench.begin(), [nil])
    #expect(transcript.result == 999 && transcript.pamCode == 19)
    #expect(try bench.triesLeft() == 3)
  }

  @Test
  func `a connection that fails gives AUTHINFO_UNAVAIL, but one that breaks after the handshake does not`() throws {
    let bench = try HelperBench.registered()
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["correct"]).pamCode == 9)
    bench.server.failure = .noHandshake(.refused)
    var divided = bench.begin()
    divided.isDivided = true
    let unasked = try bench.run(divided, entries: [])
    #expect(unasked.prompts.isEmpty && unasked.pamCode == 7, "who was asked nothing has proved nothing")
    bench.server.failure = .afterHandshake(.timeOut)
    let broken = try bench.run(bench.begin(), ["correct"])
    #expect(broken.pamCode == 7 && broken.result == 4001)
    bench.server.failure = .certificateRefused
    let refused = try bench.run(bench.begin(), ["correct"])
    #expect(refused.pamCode == 7 && refused.result == 1002)
  }

  @Test(arguments: [1400, 1401, 1403, 1481, 1490, 1491, 1492, 1493, 1498, 1500, 1202] as [UInt32])
  func `a refusal of the server gives PAM_AUTH_ERR, whatever its status`(_ status: UInt32) throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = UAFStatusCode(rawValue: status)
    bench.server.description = "no\u{1b}[31m!"
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.pamCode == 7)
    #expect(!transcript.errors.joined().contains("\u{1b}"))
    #expect(try bench.triesLeft() == 3, "the network never touches the counters")
  }

  @Test func `if the server says that the challenge was used, the login tries once more with a new challenge`() throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = UAFStatusCode(rawValue: 1491)
    let answered = bench.server.answered
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1100)
    #expect(bench.server.answered == answered + 2)
  }

  @Test func `a challenge that was fetched too long ago is dropped, and a new one is fetched`() throws {
    let bench = try HelperBench.registered()
    let before = bench.server.requests.count
    let frozen = bench.now
    // The clock has its normal time when the challenge is fetched, and a far later one when it is used.
    bench.server.onGet = { [unowned bench] in bench.now.nanoseconds = frozen.nanoseconds + 61_000_000_000 }
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(bench.server.requests.count == before + 3, "get, get again, respond")
  }

  @Test func `if the server's policy names only unknown keys, nothing is signed`() throws {
    let bench = try HelperBench.registered()
    bench.server.policyKeys = [try KeyID(bytes: Array(repeating: 1, count: 32))]
    let answered = bench.server.answered
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 2002 && transcript.pamCode == 7)
    #expect(bench.server.answered == answered)
  }

  @Test func `the server's token is put into the PAM environment only if root names a variable for it`() throws {
    let bench = try HelperBench.registered()
    #expect(try bench.run(bench.begin(), ["correct"]).messages.count { $0.type == .setenv } == 0)
    bench.configuration += "\n[general]\nexport_token = \"UAF_TOKEN\""
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.messages.contains(.setenv(name: "UAF_TOKEN", value: "token-of-the-server")))
    let wrong = try bench.run(bench.begin(), ["wrong1"])
    #expect(wrong.messages.count { $0.type == .setenv } == 0)
    #expect(!bench.log.lines.joined().contains("token-of-the-server"))
  }

  @Test func `no secret ever appears in the log`() throws {
    let bench = try HelperBench.registered()
    try bench.run(bench.begin(), ["canary-7351"])
    try bench.run(bench.begin(), ["correct"])
    #expect(!bench.log.lines.isEmpty)
    #expect(!bench.log.lines.contains { $0.contains("canary-7351") || $0.contains("correct") })
  }
}
