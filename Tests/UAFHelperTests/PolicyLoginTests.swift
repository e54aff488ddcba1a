import Authenticator
import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

/// What happens at the next login after root has changed the rules for secrets and locks.
@Suite struct PolicyLoginTests {
  private func bench(_ value: String, _ more: String) throws -> HelperBench {
    let bench = try HelperBench()
    bench.configuration += "\n" + more
    _ = try bench.run(bench.begin(.initialise))
    #expect(try bench.run(bench.registration(), [value, value]).result == 0, "\(bench.log.lines)")
    return bench
  }

  @Test func `a changed ui_type does not change the secret, but a PIN must have its length`() throws {
    let bench = try bench("1357", "[passcode]\nui_type = \"pin4\"")
    bench.configuration = bench.configuration.replacing("pin4", with: "normal")
    #expect(try bench.run(bench.begin(), ["1357"]).result == 0)
    bench.configuration = bench.configuration.replacing("normal", with: "pin6")
    let told = try bench.run(bench.begin(), ["1357"])
    #expect(told.errors == ["Enter exactly 6 digits; this was not counted."])
    #expect(try bench.triesLeft() == 3)
  }

  @Test(arguments: [
    "[passcode]\nmin_length = 8", "[passcode]\nmax_length = 6", "[passcode]\ndigits_only = true",
    "[passcode]\nregular_expression = '[A-Z]+'", "[passcode.rules]\nnot_number_english = true\nequal_character = true",
    "[passcode.ignore]\n\"rrec\" = true", "[passcode.regex]\n'[a-d]*' = true",
  ])
  func `a secret that a new rule refuses still logs in, and is then reported as stale`(_ rule: String) throws {
    let bench = try HelperBench.registered()
    bench.configuration += "\n" + rule
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 0 && transcript.pamCode == 0)
    let passes = rule.contains("not_number_english")
    #expect(transcript.finished.staleValue == !passes, "only a value that today's rules refuse is stale")
    let refused = try bench.run(bench.begin(), ["wrong1"])
    #expect(!refused.finished.staleValue, "nothing is said of a value that was not verified")
  }

  @Test(arguments: [("login", true), ("polkit-1", false), ("swaylock", false)])
  func `a service with one prompt demands no change of a stale secret, but its login says what to do`(
    _ service: String, _ isInteractive: Bool
  ) throws {
    let bench = try HelperBench.registered()
    bench.configuration += "\n[passcode]\nmin_length = 8"
    var begin = bench.begin()
    begin.service = Array(service.utf8)
    let transcript = try bench.run(begin, ["correct"])
    #expect(transcript.result == 0 && transcript.pamCode == 0)
    #expect(transcript.finished.staleValue == isInteractive, "only what can hold three prompts is told to ask")
    #expect(transcript.infos.count == 1)
    #expect(transcript.infos.first?.contains("uafctl change") == !isInteractive)
    // It depends on the section of the service, not on its name.
    bench.configuration += "\n[service.\(service)]\ninteractive = \(!isInteractive)"
    #expect(try bench.run(begin, ["correct"]).finished.staleValue == !isInteractive)
  }

  @Test func `uafctl says that a stale secret should be changed, and with which command`() throws {
    let bench = try HelperBench.registered()
    bench.configuration += "\n[passcode]\nmin_length = 8"
    var begin = bench.begin()
    begin.service = Array("uafctl".utf8)
    let transcript = try bench.run(begin, ["correct"])
    #expect(transcript.result == 0 && transcript.finished.staleValue)
    #expect(transcript.infos.count == 1 && transcript.infos[0].contains("uafctl change"), "\(transcript.infos)")
  }

  @Test
  func `the login of a peer without root demands no change of a stale secret either, and says what to do`() throws {
    let bench = try HelperBench.registered()
    bench.configuration += "\n[passcode]\nmin_length = 8"
    var begin = Begin(.authenticate)
    begin.service = Array("login".utf8)
    let transcript = try bench.run(begin, ["correct"], peer: 4242)
    #expect(transcript.result == 0 && !transcript.finished.staleValue)
    #expect(transcript.infos.first?.contains("uafctl change") == true)
  }

  @Test(
    arguments: [
      ("auto_submit = true", [64, 64, 64]), ("auto_submit = true\nmax_length = 8", [8, 8, 8]),
      ("auto_submit = true\nmax_length = 8\nui_type = 'pin6'", [6, 6, 6]), ("max_length = 8", [nil, nil, nil]),
      ("ui_type = 'pin6'", [6, 6, 6]), ("ui_type = 'pin4'", [4, 4, 4]),
    ] as [(String, [UInt32?])])
  func `an entry is complete at a PIN's number of digits, and with auto_submit at the maximum length`(
    _ lines: String, _ lengths: [UInt32?]
  ) throws {
    let bench = try HelperBench()
    _ = try bench.run(bench.begin(.initialise))
    bench.configuration += "\n[passcode]\n" + lines
    let value = lines.contains("pin4") ? "1357" : "135790"
    let registered = try bench.run(bench.registration(), [value, value])
    let used = try bench.run(bench.begin(), [value])
    #expect((registered.prompts + used.prompts).map(\.entryLength) == lengths)
  }

  @Test func `a pattern is never complete at a fixed length`() throws {
    let bench = try HelperBench.registeredTwice("[passcode]\nauto_submit = true")
    bench.server.accepted = [["5541#0002"]]
    let transcript = try bench.run(bench.begin(.authenticate, "authenticator=55410002"), ["12369"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.entryLength) == [nil])
  }

  @Test func `a looser lock applies only after a correct entry, and the log says that it waits`() throws {
    let bench = try HelperBench.registered()
    try bench.run(bench.begin(), ["wrong1"])
    bench.configuration = bench.configuration.replacing("retry_count_to_lock = 3", with: "retry_count_to_lock = 9")
    let before = bench.log.lines.count
    let waiting = try bench.run(bench.begin(), ["wrong2"])
    #expect(waiting.errors == ["Wrong passcode: 1 try left."])
    let told = bench.log.lines.dropFirst(before).compactMap(ParsedLine.init).filter { $0["event"] == "policy" }
    #expect(told.map { $0["result"] } == ["3015"], "once a call, however often it is looked at")
    #expect(told.first?["name"] == "IGNORE_LOCK_OPTION_SET" && told.first?["account"] == "mina")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try bench.triesLeft() == 9)
  }

  @Test func `until a looser lock applies, status says that the new lock settings are waiting`() throws {
    let bench = try HelperBench.registered()
    func isWaiting() throws -> Bool {
      let document = try #require(try bench.run(bench.begin(.status)).finished.document)
      return document.contains(#""lockOptionsWait":true"#)
    }
    try bench.run(bench.begin(), ["wrong1"])
    #expect(try !isWaiting())
    bench.configuration = bench.configuration.replacing("retry_count_to_lock = 3", with: "retry_count_to_lock = 9")
    #expect(try isWaiting())
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try !isWaiting())
  }

  @Test func `a stricter lock applies immediately, but leaves each account one try`() throws {
    let bench = try HelperBench.registered()
    for wrong in ["wrong1", "wrong2"] { try bench.run(bench.begin(), [wrong]) }
    bench.configuration = bench.configuration.replacing("retry_count_to_lock = 3", with: "retry_count_to_lock = 1")
    #expect(try bench.triesLeft() == 1)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try bench.run(bench.begin(), ["wrong3"]).errors == ["Locked after wrong entries: try again in 60 seconds."])
  }

  @Test func `attempts add up, whatever service, terminal or name the caller sends`() throws {
    let bench = try HelperBench.registered()
    for (index, service) in ["login", "sudo", "gdm-password"].enumerated() {
      var begin = bench.begin()
      begin.service = Array(service.utf8)
      begin.tty = Array("/dev/pts/\(index)".utf8)
      begin.typedName = Array(["mina", "MINA", "mina@example.com"][index].utf8)
      #expect(try bench.run(begin, ["wrong\(index)"]).result == (index < 2 ? 3012 : 3013))
    }
    #expect(try bench.run(bench.begin()).result == 3013)
  }

  @Test func `root's own account is locked permanently only with root_permanent_lock`() throws {
    for (line, isLocked) in [("", false), ("root_permanent_lock = true", true)] {
      let bench = try HelperBench()
      bench.configuration += "\nmax_lock_count = 0\n" + line
      func root(_ operation: UAFWire.Operation = .authenticate) -> Begin {
        var begin = operation == .register ? bench.registration() : bench.begin(operation)
        begin.uid = 0
        begin.account = Array("root".utf8)
        begin.typedName = Array("root".utf8)
        if operation == .register { begin.payload = Array(bench.server.payload(username: "root").encoded.utf8) }
        return begin
      }
      _ = try bench.run(bench.begin(.initialise))
      #expect(try bench.run(root(.register), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
      for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(root(), [wrong]) }
      #expect(try bench.run(root()).result == (isLocked ? 3014 : 3013))
    }
  }

  @Test func `the log names the entry that caused a permanent lock`() throws {
    let bench = try HelperBench.registered("max_lock_count = 0")
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [wrong]) }
    #expect(bench.log.lines.last?.contains("now locked permanently") == true)
  }
}
