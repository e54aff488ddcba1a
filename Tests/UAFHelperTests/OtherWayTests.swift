import Authenticator
import FidoResults
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import UAFHelper

@Suite struct OtherWayTests {
  private static let more = #"[prompt]\#ncancel_text = { en = "empty line: use your password", ko = "빈 줄: 비밀번호" }"#

  @Test func `with cancel_text an empty line ends the login with 7009, without a success, and is not counted`() throws {
    let bench = try HelperBench.registered(Self.more)
    let transcript = try bench.run(bench.begin(), [""])
    #expect(transcript.result == 7009 && transcript.pamCode == 15)
    #expect(transcript.prompts[0].text == "(empty line: use your password)\nPasscode for mina (login): ")
    #expect(try bench.triesLeft() == 3)
  }

  @Test func `the cancel text is shown in the person's language`() throws {
    let bench = try HelperBench.registered(Self.more)
    var begin = bench.begin()
    begin.locale = Array("ko_KR.UTF-8".utf8)
    #expect(try bench.run(begin, ["correct"]).prompts[0].text.hasPrefix("(빈 줄: 비밀번호)\n"))
  }

  @Test func `without cancel_text an empty line is refused as wrong, but not counted`() throws {
    let bench = try HelperBench.registered()
    #expect(try bench.run(bench.begin(), [""]).result == 3012)
    #expect(try bench.triesLeft() == 3)
  }

  @Test func `the list of authenticators offers the cancel text too`() throws {
    let bench = try HelperBench.registeredTwice(Self.more)
    let transcript = try bench.run(bench.begin(), [""])
    #expect(transcript.result == 7009 && transcript.prompts[0].text.contains("\n  (empty line: use your password)\n"))
    #expect(try bench.run(bench.begin(), ["1", "", ""]).result == 7009, "back to the list, then away")
  }

  @Test func `with hidden registrations an empty line gives 7009 for every name`() throws {
    let bench = try HelperBench.registered(Self.more)
    for account in ["mina", "nobody"] {
      var begin = bench.begin()
      begin.service = Array("sshd".utf8)
      begin.isRemote = true
      if account == "nobody" { begin.uid = nil }
      let transcript = try bench.run(begin, [""])
      #expect(transcript.result == 7009 && transcript.pamCode == 15)
    }
  }

  @Test func `a registration, a deregistration and a change do not offer the cancel text`() throws {
    let bench = try HelperBench.registered(Self.more)
    for operation in [Operation.change, .deregister] {
      #expect(try bench.run(bench.begin(operation), [""]).result == 3012)
    }
  }

  // MARK: Divided authentication

  @Test func `a divided login that is resumed early sends no ready, and ignores a second resume`() throws {
    let bench = try HelperBench.registered()
    var begin = bench.begin()
    begin.isDivided = true
    let early = try bench.run(begin, entries: [.resume, .resume, .answer("correct")])
    #expect(early.result == 0 && early.messages.map(\.type) == [.prompt, .finished])
    begin.isDivided = false
    let late = try bench.run(begin, entries: [.resume, .answer("correct")])
    #expect(late.result == 0 && late.messages.map(\.type) == [.prompt, .finished])
  }

  @Test func `cancelling a divided login counts no attempt`() throws {
    let bench = try HelperBench.registered()
    var begin = bench.begin()
    begin.isDivided = true
    let transcript = try bench.run(begin, entries: [.cancelled])
    #expect(transcript.result == 999 && transcript.prompts.isEmpty)
  }

  @Test func `a divided login sends no ready if the server cannot be reached`() throws {
    let bench = try HelperBench.registered()
    bench.server.failure = .noHandshake(.refused)
    var begin = bench.begin()
    begin.isDivided = true
    let transcript = try bench.run(begin, entries: [])
    #expect(transcript.result == 1100 && !transcript.messages.map(\.type).contains(.ready))
  }

  @Test func `a divided login fetches a new request if the first one expired before resume`() throws {
    let bench = try HelperBench.registered()
    var begin = bench.begin()
    begin.isDivided = true
    let before = bench.server.asked.count
    bench.server.onGet = { [unowned bench] in bench.now.nanoseconds += 61_000_000_000 }
    #expect(try bench.run(begin, entries: [.resume, .answer("correct")]).result == 0)
    #expect(bench.server.asked.count == before + 2)
  }
}
