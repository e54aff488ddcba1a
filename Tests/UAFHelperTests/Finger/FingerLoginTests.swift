import FidoResults
import Foundation
import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

/// Whole logins with a scripted uaf-finger: what a touch, an entry and a failure lead to.
@Suite struct FingerLoginTests {
  private static let begun: [ScriptedFinger.Step] = [.asked(.compare), .sensor(.ready)]

  /// What status shows for one of mina's authenticators.
  private func status(
    _ bench: HelperBench, _ type: String = "fingerprint", sensor: FingerSensor.State = .ready
  ) throws -> [String: Any] {
    let transcript = try bench.run(bench.begin(.status), beside: [.asked(.look), .sensor(sensor)])
    let document = try #require(transcript.finished.document)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
    let entries = try #require(json["authenticators"] as? [[String: Any]])
    return try #require(entries.first { $0["type"] as? String == type })
  }

  private func tries(_ bench: HelperBench, _ type: String = "fingerprint") throws -> Int? {
    try status(bench, type)["remainingTries"] as? Int
  }

  /// A login in which only the fingerprint is named.
  private func named(_ bench: HelperBench, _ steps: [ScriptedFinger.Step]) throws -> Transcript {
    try bench.run(bench.begin(.authenticate, "authenticator=fingerprint"), beside: steps)
  }

  // MARK: Touches and entries

  @Test func `a matching touch logs in with the fingerprint's key, and later entries are ignored`() throws {
    let bench = try HelperBench.withFinger()
    let transcript = try bench.run(bench.begin(), beside: HelperBench.touchedOnce + [.enters("wrong")])
    #expect(transcript.result == 0 && transcript.prompts.count == 1)
    #expect(bench.log.lines.last?.contains("type=fingerprint") == true, "\(bench.log.lines.suffix(2))")
    #expect(try tries(bench, "passcode") == 3)
  }

  @Test func `an entry that comes before a touch decides the login, and the sensor is released`() throws {
    let bench = try HelperBench.withFinger()
    let transcript = try bench.run(bench.begin(), beside: Self.begun + [.enters("correct"), .stopped])
    #expect(transcript.result == 0 && bench.log.lines.last?.contains("type=passcode") == true)
  }

  @Test func `a wrong entry while the sensor waits is refused and counted, and the sensor is no longer used`() throws {
    let bench = try HelperBench.withFinger("max_tries = 1")
    let transcript = try bench.run(bench.begin(), beside: Self.begun + [.enters("wrong"), .stopped])
    #expect(transcript.result == 3012)
    #expect(try tries(bench, "passcode") == 2 && tries(bench) == 3)
  }

  @Test func `after touches that do not match, the call counts them and asks for the passcode, with the reason`()
    throws
  {
    let bench = try HelperBench.withFinger("max_tries = 2")
    let transcript = try bench.run(
      bench.begin(),
      beside: Self.begun + [
        .touch(.notMatched), .asked(.compare), .touch(.notMatched), .stopped, .enters(""), .enters("correct"),
      ])
    #expect(transcript.result == 0 && transcript.prompts.count == 2)
    #expect(transcript.prompts.last?.errorMessage == FidoResult.biometryAuthenticationFailed.text(in: .english))
    #expect(try tries(bench) == 1 && tries(bench, "passcode") == 3)
  }

  @Test func `a touch that could not be read is not counted, and the next touch logs in`() throws {
    let bench = try HelperBench.withFinger("max_tries = 1")
    let steps = Self.begun + [.touch(.tooShort), .touch(.liftFirst), .touch(.matched), .stopped, .enters("")]
    #expect(try bench.run(bench.begin(), beside: steps).result == 0)
    #expect(try tries(bench) == 3)
  }

  @Test func `with mode = first a match logs in without a prompt, and a failure leads to a prompt`() throws {
    let bench = try HelperBench.withFinger("mode = \"first\"\nmax_tries = 1")
    let touched = try bench.run(bench.begin(), beside: HelperBench.touchedOnce)
    #expect(touched.result == 0 && touched.prompts.isEmpty && !touched.infos.isEmpty)
    let steps = Self.begun + [.touch(.tooShort), .touch(.notMatched), .stopped, .enters("correct")]
    let failed = try bench.run(bench.begin(), beside: steps)
    #expect(failed.result == 0 && failed.prompts.count == 1)
  }

  @Test func `if the server demands passcode and fingerprint, only both together log in`() throws {
    let bench = try HelperBench.withFinger()
    bench.server.accepted = [["5541#0001", "5541#0003"]]
    let answered = bench.server.answered
    let wrong = try bench.run(bench.begin(), beside: HelperBench.touchedOnce + [.enters(""), .enters("wrong")])
    #expect(wrong.result == 3012 && bench.server.answered == answered)
    let right = try bench.run(bench.begin(), beside: HelperBench.touchedOnce + [.enters(""), .enters("correct")])
    #expect(right.result == 0 && bench.server.signatures == 2)
  }

  @Test func `a login with a transaction text asks only for the passcode, and does not use the sensor`() throws {
    let bench = try HelperBench.withFinger()
    bench.configuration += "\n[service.login]\ntransaction = true"
    let transcript = try bench.run(bench.begin(), beside: [.enters("correct"), .over])
    #expect(transcript.result == 0 && transcript.prompts.count == 1)
    #expect(bench.server.confirmed.last.map { $0 != nil } == true)
  }

  @Test func `leaving the prompt ends the login, releases the sensor, and counts nothing`() throws {
    let bench = try HelperBench.withFinger()
    #expect(try bench.run(bench.begin(), beside: Self.begun + [.cancels, .stopped]).result == 999)
    #expect(try tries(bench) == 3)
  }

  @Test(arguments: [
    (ScriptedFinger.Step.end(.sensorGone), FidoResult.biometryNotAvailable), (.end(.failed), .biometryUnknown),
    (.end(.serviceGone), .biometryUnknown), (.dies, .biometryUnknown), (.nonsense, .biometryUnknown),
  ]) func `if the sensor fails while it waits, nobody is let in, and the passcode still works`(
    _ step: ScriptedFinger.Step, _ why: FidoResult
  ) throws {
    let bench = try HelperBench.withFinger()
    let transcript = try bench.run(bench.begin(), beside: Self.begun + [step, .enters("wrong")])
    #expect(transcript.result == 3012)
    #expect(try named(bench, Self.begun + [step, .over]).result == why.code)
  }

  @Test func `a match after the end of the sensor's wait lets nobody in`() throws {
    let bench = try HelperBench.withFinger()
    let steps = Self.begun + [.end(.serviceGone), .touch(.matched), .over]
    #expect(try named(bench, steps).result == 7015)
  }

  @Test func `a match for which the core did not ask lets nobody in`() throws {
    let bench = try HelperBench.withFinger("max_tries = 1")
    let steps = Self.begun + [.touch(.notMatched), .stopped, .touch(.matched), .over]
    #expect(try named(bench, steps).result == 7004)
  }

  // MARK: Results

  @Test(arguments: [
    (FingerSensor.State.notEnrolled, UInt32(7006)), (.noService, 7008), (.noSensor, 7008), (.busy, 7013),
    (.denied, 7013),
    (.untrusted, 7015), (.failed, 7015),
  ]) func `an unusable sensor ends a login that names it, and otherwise only adds a text to the passcode prompt`(
    _ state: FingerSensor.State, _ result: UInt32
  ) throws {
    let bench = try HelperBench.withFinger()
    #expect(try named(bench, [.asked(.compare), .sensor(state), .stopped]).result == result)
    let transcript = try bench.run(
      bench.begin(), beside: [.asked(.compare), .sensor(state), .stopped, .enters("correct")])
    #expect(transcript.result == 0)
    #expect(transcript.prompts.first?.errorMessage == FidoResult(code: result).text(in: .english))
  }

  @Test
  func `status shows 7001 from a change of the prints until the next passcode, and otherwise 7000`()
    throws
  {
    let bench = try HelperBench.withFinger()
    #expect(try status(bench)["biometry"] as? Int == 7000)
    try bench.enrol("left-thumb")
    #expect(try status(bench)["biometry"] as? Int == 7001)
    #expect(try named(bench, []).result == 7001)
    #expect(try bench.run(bench.begin(), beside: [.enters("wrong")]).result == 3012)
    #expect(try named(bench, []).result == 7001)
    let transcript = try bench.run(bench.begin(), beside: [.enters("correct")])
    #expect(transcript.result == 0)
    #expect(transcript.prompts.first?.errorMessage == FidoResult.biometryChanged.text(in: .english))
    #expect(try status(bench)["biometry"] as? Int == 7000)
    #expect(try named(bench, HelperBench.touchedOnce).result == 0)
  }

  @Test func `changed prints are not accepted if the server refuses the login by passcode`() throws {
    let bench = try HelperBench.withFinger()
    try bench.enrol("left-thumb")
    bench.server.respondStatus = .init(rawValue: 1498)
    #expect(try bench.run(bench.begin(), beside: [.enters("correct")]).result != 0)
    bench.server.respondStatus = .ok
    #expect(try named(bench, []).result == 7001)
  }

  @Test
  func `a fingerprint key that is not bound to prints has 7002 in status, and also opens with changed prints`() throws {
    let bench = try HelperBench.withFinger("invalidate_on_new_biometrics = false")
    #expect(try status(bench)["biometry"] as? Int == 7002)
    try bench.enrol("left-thumb")
    #expect(try named(bench, HelperBench.touchedOnce).result == 0)
  }

  @Test func `if stored prints cannot be read at registration, status shows 7002`() throws {
    let bench = try HelperBench.withFinger()
    #expect(try bench.run(bench.begin(.forget)).result == 0, "\(bench.log.lines)")
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0)
    try FileManager.default.removeItem(atPath: bench.ownPrints)
    #expect(try bench.run(bench.registration("fingerprint"), beside: HelperBench.touchedOnce).result == 7002)
  }

  @Test func `a fingerprint that is registered again with a code is bound to the prints of that moment`() throws {
    let bench = try HelperBench.withFinger()
    try bench.enrol("left-thumb")
    let result = try bench.run(bench.registration("fingerprint"), beside: HelperBench.touchedOnce).result
    #expect(result == 0, "\(bench.log.lines)")
    #expect(try status(bench)["biometry"] as? Int == 7000)
    #expect(try named(bench, HelperBench.touchedOnce).result == 0)
  }

  @Test func `if stored prints are not regular files, status shows 7003`() throws {
    let bench = try HelperBench.withFinger()
    let link = bench.ownPrints + "/left-thumb"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "right-index-finger")
    #expect(try status(bench)["biometry"] as? Int == 7003)
    #expect(try named(bench, []).result == 7003)
  }

  @Test func `if the fingerprint is locked, status shows 7005, and the passcode stays usable`() throws {
    let bench = try HelperBench.withFinger()
    let wrong: [ScriptedFinger.Step] = [.touch(.notMatched), .asked(.compare)]
    #expect(try named(bench, Self.begun + wrong + wrong + [.touch(.notMatched), .stopped]).result == 7005)
    #expect(try named(bench, []).result == 7005)
    let transcript = try bench.run(bench.begin(), beside: [.enters("correct")])
    #expect(transcript.result == 0)
    #expect(transcript.prompts.first?.errorMessage == FidoResult.biometryLocked.text(in: .english))
  }

  @Test func `if a fingerprint is registered without a passcode or pattern, status shows 7007`() throws {
    let bench = try HelperBench()
    bench.configuration =
      "authenticators = [\"passcode\", \"fingerprint\"]\n" + bench.configuration + "\n[biometric]\nrequire_tpm = false"
    #expect(try bench.run(bench.begin(.initialise)).result == 0)
    bench.server.accepted = [["5541#0003"]]
    #expect(try bench.run(bench.registration("fingerprint"), beside: []).result == 7007)
  }

  @Test
  func `a fingerprint login ends with 7012 if the person is not at the machine, and with 7013 if a chip is missing`()
    throws
  {
    let bench = try HelperBench.withFinger()
    bench.isElsewhere = true
    #expect(try named(bench, []).result == 7012)
    bench.isElsewhere = false
    bench.configuration = bench.configuration.replacing("require_tpm = false", with: "require_tpm = true")
    #expect(try named(bench, []).result == 7013)
  }
}
