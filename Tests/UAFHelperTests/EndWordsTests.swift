import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

/// What the last text of a failed call says: the cause, and what the person can do about it.
@Suite struct EndWordsTests {
  private func tool(_ operation: UAFWire.Operation, _ payload: EnrolmentPayload? = nil) -> Begin {
    var begin = Begin(operation)
    begin.service = Array("uafctl".utf8)
    begin.payload = payload.map { Array($0.encoded.utf8) }
    return begin
  }

  private func text(_ transcript: Transcript) -> String { transcript.finished.text ?? "" }

  // MARK: Codes

  @Test func `after an expired enrolment code the text says to ask for a new code`() throws {
    let bench = try HelperBench.registered()
    let old = bench.server.payload(expires: 1_799_999_999)
    let transcript = try bench.run(tool(.register, old), peer: 4242)
    #expect(transcript.result == 1100)
    #expect(text(transcript) == "The enrolment code has expired.\nAsk the administrator for a new one.")
  }

  @Test func `after an expired approval code the text says to ask for a new request`() throws {
    let bench = try HelperBench.registered()
    let old = bench.server.payload(operation: .authentication, expires: 1_799_999_999)
    let transcript = try bench.run(tool(.authenticate, old), peer: 4242)
    #expect(text(transcript) == "The time to confirm this has expired.\nAsk for a new request.")
  }

  @Test func `after a used approval code the text does not say to register again`() throws {
    let bench = try HelperBench.registered()
    bench.server.requestStatus = .init(rawValue: 1401)
    let payload = bench.server.payload(operation: .authentication)
    let transcript = try bench.run(tool(.authenticate, payload), peer: 4242)
    #expect(
      text(transcript)
        == "The server has nothing to confirm for this code: it was used, or it has expired.\nAsk for a new request."
    )
  }

  @Test(arguments: [("ko_KR.UTF-8", "다른 계정의 등록 코드입니다."), ("C", "The enrolment code is for a different account.")])
  func `the text about a code for another account is in the person's language, and names the account to ask for`(
    _ locale: String, _ words: String
  ) throws {
    let bench = try HelperBench.registered()
    var begin = tool(.register, bench.server.payload(username: "nora"))
    begin.locale = Array(locale.utf8)
    let told = text(try bench.run(begin, peer: 4242))
    #expect(told.hasPrefix(words) && told.contains("mina") && !told.contains("nora"), "\(told)")
  }

  @Test func `the refusal of an operation that only root may use does not hint at a log`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(tool(.unlock), peer: 4242)
    #expect(transcript.result == 1001 && text(transcript) == "Only root may do that.")
  }

  @Test func `if an account has nothing to unlock, the text does not say to register`() throws {
    let bench = try HelperBench()
    _ = try bench.run(bench.begin(.initialise))
    var begin = bench.begin(.unlock)
    begin.service = Array("uafctl".utf8)
    #expect(text(try bench.run(begin)) == "This account is not registered on this machine.")
  }

  // MARK: No authenticator fits

  @Test func `if everything that the server accepts is already registered, the text says so`() throws {
    let bench = try HelperBench.registered()
    bench.server.knownKeys = [try #require(bench.server.registered)]
    let transcript = try bench.run(tool(.register), ["correct"], peer: 4242)
    #expect(transcript.result == 2002)
    #expect(text(transcript).hasPrefix("Every authenticator that the server accepts is registered already.\n"))
  }

  @Test func `if the server accepts none of this machine's types, the text says so`() throws {
    let bench = try HelperBench.registered()
    bench.server.accepted = [["5541#0002"]]
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 2002)
    #expect(
      transcript.errors == [
        "The server accepts none of the authenticators on this machine. Ask the administrator which one it accepts."
      ])
  }

  @Test func `if the server names keys that are not on this machine, the text says so`() throws {
    let bench = try HelperBench.registered()
    bench.server.policyKeys = [try KeyID(bytes: Array(repeating: 9, count: 32))]
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 2002)
    #expect(
      transcript.errors == [
        "The server asks for keys that this machine does not have. "
          + "Have root run 'uafctl register USER --code FILE' with a new enrolment code."
      ])
  }

  @Test func `if the server does not accept the authenticator that root names, the text says so`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.accepted = [["5541#0002"]]
    let transcript = try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"])
    #expect(transcript.result == 2002)
    #expect(
      transcript.errors == [
        "The server does not ask for the passcode: it no longer has its key, or does not accept it. Use another "
          + "authenticator, or register it again: 'uafctl register passcode'."
      ])
    #expect(bench.log.lines.contains { $0.contains("passcode") && $0.contains("result=2002") })
  }

  @Test func `if several authenticators fit but the program has only one prompt, the text says so`() throws {
    let bench = try HelperBench.registeredTwice()
    var begin = bench.begin()
    begin.service = Array("swaylock".utf8)
    let transcript = try bench.run(begin)
    #expect(transcript.result == 2002)
    #expect(
      transcript.errors.first?.hasPrefix("Several authenticators fit, but this program can ask for only one.") == true)
  }

  // MARK: Which secret is stale

  @Test func `if two secrets are stale, the text names each of them`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.accepted = [["5541#0001", "5541#0002"]]
    bench.configuration += "\n[passcode]\nmin_length = 10\n[pattern]\nmin_nodes = 6"
    let transcript = try bench.run(bench.begin(), ["correct", "12369"])
    #expect(transcript.result == 0 && transcript.finished.staleValue)
    #expect(
      transcript.infos.map { String($0.prefix(13)) } == ["Your passcode", "Your pattern "], "\(transcript.infos)")
  }

  @Test func `a forced change asks for the secret that the login has found stale`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.configuration += "\n[passcode]\nmin_length = 10"
    #expect(try bench.run(bench.begin(), ["1", "correct"]).finished.staleValue)
    var begin = bench.begin(.change)
    begin.pamFlags = 0x20
    let transcript = try bench.run(begin, ["correct", "longbattery", "longbattery"])
    #expect(transcript.result == 7110 && transcript.prompts.map(\.check) == ["passcode", "passcode", "passcode"])
  }

  @Test func `a forced change changes nothing if the secret meets the rules again`() throws {
    let bench = try HelperBench.registered()
    var begin = bench.begin(.change)
    begin.pamFlags = 0x20
    let transcript = try bench.run(begin, ["correct"])
    #expect(transcript.result == 7111)
    #expect(transcript.errors == ["Your value meets the rules: you need not change anything."])
  }
}
