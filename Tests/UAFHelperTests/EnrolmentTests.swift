import Authenticator
import FidoResults
import Foundation
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import UAFHelper

/// Registrations at servers that issue no payloads (server.enrolment).
@Suite struct EnrolmentTests {
  private func bench(_ enrolment: String?, _ more: String = "") throws -> HelperBench {
    let bench = try HelperBench()
    if let enrolment {
      bench.configuration = bench.configuration.replacing("[state]", with: "enrolment = \"\(enrolment)\"\n[state]")
    }
    bench.configuration += "\n" + more
    // The server is of another maker, so it tags no challenges.
    bench.server.marks = false
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    return bench
  }

  private func registration(_ bench: HelperBench, _ type: String? = nil) -> Begin {
    var begin = bench.registration()
    begin.payload = nil
    begin.authenticator = type.map { Array($0.utf8) }
    return begin
  }

  @Test(arguments: [nil, "payload"])
  func `at a server that demands a payload, nothing is registered without one, and nobody is asked`(
    _ enrolment: String?
  ) throws {
    let bench = try bench(enrolment)
    let transcript = try bench.run(registration(bench))
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty && bench.server.requests.isEmpty)
  }

  @Test func `at an open server a registration asks only for the new secret`() throws {
    let bench = try bench("open")
    let transcript = try bench.run(registration(bench), ["correct", "correct"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.step) == [.new, .newAgain], "\(bench.log.lines)")
    #expect(bench.server.asked.map(\.context.authCode) == [nil])
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `at an open server a peer without root can register only under its own name`() throws {
    let bench = try bench("open")
    var begin = Begin(.register)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["correct", "correct"], peer: 4242).result == 0)
    #expect(bench.server.asked.map(\.context.username) == ["mina"])
    #expect(try bench.run(begin, [], peer: 4243).result == 1011, "uid 4243 is not in passwd")
  }

  @Test func `if a server demands a code, it is asked for first, and sent as it was entered`() throws {
    let bench = try bench("code")
    let transcript = try bench.run(registration(bench), ["A1-b2 c3", "correct", "correct"])
    #expect(transcript.result == 0, "\(bench.log.lines)")
    #expect(transcript.prompts.map(\.check) == ["code", "passcode", "passcode"])
    #expect(bench.server.asked.first?.context.authCode == "A1-b2 c3")
    #expect(!bench.log.lines.joined().contains("A1-b2"))
  }

  @Test func `a mistyped code or payload of our server is not sent, so that the person can correct it`() throws {
    let bench = try bench("code")
    let code = try #require(EnrolmentCode(random: [UInt8](repeating: 5, count: 10))).text
    let wrong = String(code.dropLast()) + (code.hasSuffix("0") ? "1" : "0")
    let payload = String(bench.server.payload().encoded.dropLast(3))
    for typed in [wrong, String(code.dropFirst()), code + "0", payload] {
      let transcript = try bench.run(registration(bench), [typed])
      #expect(transcript.result == 1001 && transcript.prompts.count == 1, "\(typed)")
    }
    #expect(bench.server.requests.isEmpty)
  }

  /// Codes of 16 letters and digits, of which one in 32 passes the check of uaf-server's codes.
  private static let others = "0123456789abcdefghjkmnpqrstvwxyz".map { "b9d5mpjtb9d5mpj\($0)" }

  @Test func `a code of 16 characters is sent unchanged to a server of another dialect, even if it passes our check`()
    throws
  {
    #expect(Self.others.count { EnrolmentCode(typed: $0) != nil } == 1)
    for isGiven in [true, false] {
      let bench = try bench("code", "[server.context]\nauthCode = \"code\"")
      bench.configuration = bench.configuration.replacing("[state]", with: "dialect = \"plain\"\n[state]")
      for code in Self.others {
        var begin = registration(bench)
        if isGiven { begin.payload = Array(code.utf8) }
        try bench.run(begin, isGiven ? ["correct", nil] : [code, "correct", nil])
        let sent = bench.server.requests.last.map { "\($0.url) \(String(decoding: $0.body, as: UTF8.self))" }
        #expect(sent?.contains(code) == true, "\(sent ?? "nothing") \(bench.log.lines.last ?? "")")
      }
    }
  }

  @Test func `a token of 16 characters is redeemed unchanged, whether it passes the check of our codes or not`() throws
  {
    for code in Self.others {
      for isGiven in [true, false] {
        let bench = try redeeming()
        bench.server.redeemable = code
        var begin = registration(bench)
        if isGiven { begin.payload = Array(code.utf8) }
        let transcript = try bench.run(begin, (isGiven ? [] : [code]) + ["correct", "correct"])
        #expect(transcript.result == 0, "\(code): \(bench.log.lines)")
        #expect(bench.server.requests.first?.body == Array(#"{"token":"\#(code)"}"#.utf8))
      }
    }
  }

  @Test(arguments: [nil, "code"])
  func `a mistyped code is not sent, and its text is the same with hyphens, with spaces and without them`(
    _ enrolment: String?
  ) throws {
    let bench = try bench(enrolment)
    let told = "The enrolment code has a typing error: compare it with the code that you were given."
    for typed in ["B9D5-MPJT-B9D5-MPJR", "B9D5 MPJT B9D5 MPJR", "B9D5MPJTB9D5MPJR", "b9d5-mpjt-b9d5-mpjr"] {
      var begin = registration(bench)
      if enrolment == nil { begin.payload = Array(typed.utf8) }
      let transcript = try bench.run(begin, enrolment == nil ? [] : [typed])
      #expect(transcript.result == 1001, "\(typed)")
      #expect(transcript.finished.text?.hasPrefix(told) == true, "\(transcript.finished.text ?? "")")
    }
    #expect(bench.server.requests.isEmpty)
  }

  @Test(arguments: ["ㅠ9ㅇ5-ㅡㅔㅓㅅ-ㅠ9ㅇ5-ㅡㅔㅓㅂ", "64가2ㅊ9ㅗ64가2ㅊ9ㅍ"])
  func `a code that was typed in Hangul is not sent and not logged, and the text names the keyboard`(
    _ typed: String
  ) throws {
    let bench = try bench("code")
    var begin = registration(bench)
    let english = try bench.run(begin, [typed])
    #expect(english.result == 1001)
    #expect(english.finished.text?.hasPrefix("The enrolment code was typed with the Korean keyboard layout.") == true)
    begin.locale = Array("ko_KR.UTF-8".utf8)
    #expect(try bench.run(begin, [typed]).finished.text?.hasPrefix("등록 코드를 한글 자판으로 입력했습니다.") == true)
    #expect(bench.server.requests.isEmpty && !bench.log.lines.joined().contains(typed))
  }

  @Test(arguments: ["", nil] as [String?]) func `if a server demands a code, nothing is registered without one`(
    _ code: String?
  )
    throws
  {
    let bench = try bench("code")
    let transcript = try bench.run(registration(bench), [code])
    #expect([999, 1001].contains(transcript.result) && bench.server.requests.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder + "/state/accounts").isEmpty)
  }

  @Test(arguments: ["open", "code"]) func `a payload is used even at a server that does not demand one`(
    _ enrolment: String
  ) throws {
    let bench = try bench(enrolment)
    bench.server.marks = true
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0)
    #expect(bench.server.asked.first?.context.codeProof != nil)
  }

  @Test(arguments: ["open", "code"])
  func `a further authenticator needs a login with a registered one, and what the server itself demands`(
    _ enrolment: String
  ) throws {
    let bench = try bench(enrolment)
    let code = enrolment == "code" ? ["a-code"] : []
    #expect(try bench.run(registration(bench, "passcode"), code + ["correct", "correct"]).result == 0)
    bench.server.accepted = [["5541#0001"], ["5541#0002"]]
    for peer in [0, 4242] as [UInt32] {
      var begin = registration(bench, "pattern")
      if peer != 0 { (begin.uid, begin.account, begin.typedName, begin.arguments) = (nil, nil, nil, []) }
      let wrong = try bench.run(begin, ["wrong1", "wrong2", nil], peer: peer)
      #expect(wrong.result != 0 && wrong.prompts.allSatisfy { $0.step == .current })
    }
    #expect(try bench.run(bench.begin(.unlock)).result == 0)
    let right = try bench.run(registration(bench, "pattern"), ["correct"] + code + ["12369", "12369"])
    #expect(right.result == 0, "\(bench.log.lines)")
    // A token of such a server does not say what it is for.
    let asked = bench.server.asked.last { $0.op == .registration }?.context
    #expect(asked?.proof == nil && asked?.authCode == code.first)
  }

  @Test func `at an open server without tokens, a further authenticator still needs a login with a registered one`()
    throws
  {
    let bench = try bench("open")
    bench.server.token = nil
    #expect(try bench.run(registration(bench, "passcode"), ["correct", "correct"]).result == 0)
    bench.server.accepted = [["5541#0001"], ["5541#0002"]]
    let transcript = try bench.run(registration(bench, "pattern"), ["correct", "12369", "12369"])
    #expect(transcript.result == 0, "\(bench.log.lines)")
    #expect(bench.server.asked.last { $0.op == .registration }?.context.proof == nil)
  }

  @Test func `at an open server a person whose authenticator root has disabled cannot add another one`() throws {
    let bench = try bench("open", "")
    #expect(try bench.run(registration(bench, "passcode"), ["correct", "correct"]).result == 0)
    bench.configuration = "authenticators = [\"pattern\"]\n" + bench.configuration
    bench.server.accepted = [["5541#0002"]]
    var begin = Begin(.register)
    begin.service = Array("uafctl".utf8)
    let transcript = try bench.run(begin, ["12369", "12369"], peer: 4242)
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty, "\(transcript.result)")
    #expect(bench.server.keys.count == 1)
  }

  @Test func `registering again at an open server asks for the current secret, and counts the attempt`() throws {
    let bench = try bench("open")
    #expect(try bench.run(registration(bench, "passcode"), ["correct", "correct"]).result == 0)
    let wrong = try bench.run(registration(bench, "passcode"), ["wrong1", nil])
    #expect(wrong.result == 999 && wrong.prompts.map(\.step) == [.current, .current])
    #expect(try bench.triesLeft() == 2)
    let right = try bench.run(registration(bench, "passcode"), ["correct"])
    #expect(right.result == 0 && bench.server.keys.count == 2, "\(bench.log.lines)")
  }

  // MARK: Tokens that are redeemed

  private static let redeemed = "https://localhost/token/redeem/registration"

  private func redeeming() throws -> HelperBench {
    try bench("token", "[server.registration]\nrequest_url = \"\(Self.redeemed)\"")
  }

  private func payload(_ bench: HelperBench, at address: String = redeemed) throws -> String {
    #"{"token":"\#(try #require(bench.server.redeemable))","redeemUrl":"\#(address)"}"#
  }

  @Test(arguments: ["token", "payload", "encoded"])
  func `at a server of tokens the request for a registration is the token and nothing else, and it is sent once`(
    _ form: String
  ) throws {
    for isGiven in [true, false] {
      let bench = try redeeming()
      let token = try #require(bench.server.redeemable)
      let payload = try payload(bench)
      let entered = form == "token" ? token : form == "payload" ? payload : Base64URL.encode(payload.utf8)
      var begin = registration(bench)
      if isGiven { begin.payload = Array(entered.utf8) }
      let transcript = try bench.run(begin, (isGiven ? [] : [entered]) + ["correct", "correct"])
      #expect(transcript.result == 0, "\(bench.log.lines)")
      let sent = try #require(bench.server.requests.first)
      #expect(sent.url == Self.redeemed && sent.body == Array(#"{"token":"\#(token)"}"#.utf8))
      #expect(sent.contentType == "application/json" && sent.accept == "application/fido+uaf" && sent.claim == nil)
      #expect(bench.server.answers.map(\.authCode) == [nil] && !bench.log.lines.joined().contains(token))
      #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    }
  }

  @Test(arguments: [
    "https://localhost.example/token/redeem/registration", "https://localhost:8443/token/redeem/registration",
    "http://localhost/token/redeem/registration", "https://localhost/token/redeem/authentication",
    "https://localhost/token/redeem/registration/../x", "https://LOCALHOST/token/redeem/registration",
  ])
  func `refuses a token that is to be redeemed at any other address than root's, before anything is sent`(
    _ address: String
  ) throws {
    let bench = try redeeming()
    var begin = registration(bench)
    begin.payload = Array(try payload(bench, at: address).utf8)
    for entries in [[], [try payload(bench, at: address)]] {
      let transcript = try bench.run(begin, entries)
      #expect(transcript.result == 1001 && bench.server.requests.isEmpty, "\(bench.log.lines)")
      begin.payload = nil
    }
  }

  @Test func `refuses an enrolment code or a payload of uaf-server at a server of tokens, before anything is sent`()
    throws
  {
    let bench = try redeeming()
    for entry in [try FakeServer.code().text, bench.server.payload().encoded, "{}", ""] {
      #expect(try bench.run(registration(bench), [entry]).result == 1001, "\(entry)")
    }
    #expect(bench.server.requests.isEmpty)
  }

  @Test func `a token that was redeemed before registers nobody`() throws {
    let bench = try redeeming()
    let taken = bench.server.redeemable.take()
    let token = try #require(taken)
    let transcript = try bench.run(registration(bench), [token])
    #expect(transcript.result != 0 && bench.server.keys.isEmpty && bench.server.requests.count == 1)
  }

  @Test func `at a server of tokens no token is sent for anything but a registration`() throws {
    let bench = try redeeming()
    let token = try #require(bench.server.redeemable)
    #expect(try bench.run(registration(bench), [token, "correct", "correct"]).result == 0)
    let before = bench.server.requests.count
    for operation in [UAFWire.Operation.deregister, .reset, .authenticate] {
      var begin = bench.begin(operation)
      begin.service = Array("uafctl".utf8)
      begin.payload = Array(token.utf8)
      #expect(try bench.run(begin, ["correct"]).result != 0, "\(operation)")
    }
    #expect(bench.server.requests.count == before)
  }
}
