import FidoResults
import Testing
import UAFWire

@testable import UAFHelper

/// `allow_value_as_fallback`: whether a login that names a sensor goes on with the passcode.
@Suite struct ValueFallbackTests {
  private static let allowed = "max_tries = 1\nallow_value_as_fallback = true"
  private static let unmatched: [ScriptedFinger.Step] = [
    .asked(.compare), .sensor(.ready), .touch(.notMatched), .stopped,
  ]
  private static let unrecognised = HelperBench.watched + [.touch(.notMatched), .stopped]

  private func finger(_ bench: HelperBench, _ steps: [ScriptedFinger.Step]) throws -> Transcript {
    try bench.run(bench.begin(.authenticate, "authenticator=fingerprint"), beside: steps)
  }

  @Test func `by default a login that names a sensor never asks for the passcode instead`() throws {
    let finger = try HelperBench.withFinger("max_tries = 1")
    let touched = try self.finger(finger, Self.unmatched)
    #expect(touched.result == 7004 && touched.prompts.isEmpty)
    let face = try HelperBench.withFace(biometric: "max_tries = 1")
    #expect(try face.face([.enters("correct")] + Self.unrecognised).result == 7004)
  }

  @Test func `if root allows it, a finger that does not match leads to the passcode, with the reason`() throws {
    let bench = try HelperBench.withFinger(Self.allowed)
    let transcript = try finger(bench, Self.unmatched + [.enters("correct")])
    #expect(transcript.result == 0 && transcript.prompts.count == 1, "\(bench.log.lines)")
    #expect(transcript.errors == [FidoResult.biometryAuthenticationFailed.text(in: .english)])
    #expect(bench.log.lines.last?.contains("type=passcode") == true)
  }

  @Test func `if root allows it, a wrong passcode after the sensor is refused and counted`() throws {
    let bench = try HelperBench.withFinger(Self.allowed)
    #expect(try finger(bench, Self.unmatched + [.enters("wrong")]).result == 3012)
  }

  @Test func `if root allows it, a face that does not match needs no second passcode`() throws {
    let bench = try HelperBench.withFace(biometric: Self.allowed)
    let transcript = try bench.face([.enters("correct")] + Self.unrecognised)
    #expect(transcript.result == 0 && transcript.prompts.count == 1, "\(bench.log.lines)")
    #expect(bench.server.signatures == 1)
  }

  @Test func `if root allows it, somebody who is not at the machine logs in with the passcode`() throws {
    let bench = try HelperBench.withFace(biometric: Self.allowed)
    bench.isElsewhere = true
    #expect(try bench.face([.enters("wrong")]).result == 3012)
    #expect(try bench.face([.enters("correct")]).result == 0)
  }

  @Test func `the passcode does not replace a face that the server demands`() throws {
    let bench = try HelperBench.withFace(biometric: Self.allowed)
    bench.server.accepted = [["5541#0001", "5541#0004"]]
    let answered = bench.server.answered
    #expect(try bench.face([.enters("correct")] + Self.unrecognised).result == 2002)
    let unnamed = try bench.run(bench.begin(), beside: [.enters("correct")] + Self.unrecognised)
    #expect(unnamed.result == 7004 && bench.server.answered == answered)
  }

  @Test func `a host with only one prompt is not asked for the passcode after it was asked for a touch`() throws {
    let bench = try HelperBench.withFinger(Self.allowed)
    var begin = bench.begin(.authenticate, "authenticator=fingerprint")
    begin.service = Array("swaylock".utf8)
    let transcript = try bench.run(begin, beside: Self.unmatched + [.enters("correct")])
    #expect(transcript.result == 7004 && transcript.prompts.count == 1)
  }

  @Test func `a person who leaves the prompt of a sensor is not asked for the passcode`() throws {
    let bench = try HelperBench.withFinger(Self.allowed)
    var begin = bench.begin(.authenticate, "authenticator=fingerprint")
    begin.service = Array("sshd".utf8)
    let transcript = try bench.run(begin, beside: [.asked(.compare), .sensor(.ready), .cancels, .stopped])
    #expect(transcript.result == 999 && transcript.prompts.count == 1)
  }
}
