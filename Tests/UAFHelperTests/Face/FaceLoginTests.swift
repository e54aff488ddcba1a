import FidoResults
import Foundation
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import UAFHelper

/// Whole logins with a scripted uaf-finger that asks a face service: what a face, a passcode and a failure lead to.
@Suite struct FaceLoginTests {
  private static let (watched, recognised) = (HelperBench.watched, HelperBench.recognised)
  private static let again: [ScriptedFinger.Step] = [
    .touch(.notMatched), .asked(.compare, of: HelperBench.faceService),
  ]

  /// What status shows for one of mina's authenticators.
  private func status(_ bench: HelperBench, _ type: String = "face") throws -> [String: Any] {
    let look: [ScriptedFinger.Step] = [.asked(.look, of: HelperBench.faceService), .sensor(.ready)]
    let transcript = try bench.run(bench.begin(.status), beside: look)
    let document = try #require(transcript.finished.document)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
    let entries = try #require(json["authenticators"] as? [[String: Any]])
    return try #require(entries.first { $0["type"] as? String == type })
  }

  private func tries(_ bench: HelperBench, _ type: String = "face") throws -> Int? {
    try status(bench, type)["remainingTries"] as? Int
  }

  // MARK: Beside a typed value

  @Test func `a login that names the face asks for the passcode first, and then for the face without a prompt`() throws
  {
    let bench = try HelperBench.withFace()
    bench.server.accepted = [["5541#0004"]]
    let transcript = try bench.face([.enters("correct")] + Self.recognised)
    #expect(transcript.result == 0 && transcript.prompts.count == 1, "\(bench.log.lines)")
    #expect(transcript.infos == ["Look at the camera."])
    #expect(bench.server.signatures == 1)
  }

  @Test func `after a wrong passcode, nobody is asked for the face, and only the passcode's count grows`() throws {
    let bench = try HelperBench.withFace()
    #expect(try bench.face([.enters("wrong"), .over]).result == 3012)
    #expect(try tries(bench, "passcode") == 2 && tries(bench) == 3)
  }

  @Test func `after the right passcode, a wrong face lets nobody in, and only the face's count grows`() throws {
    let bench = try HelperBench.withFace(biometric: "max_tries = 2")
    let answered = bench.server.answered
    let steps = [.enters("correct")] + Self.watched + Self.again + [.touch(.notMatched), .stopped]
    #expect(try bench.face(steps).result == 7004)
    #expect(bench.server.answered == answered)
    #expect(try tries(bench, "passcode") == 3 && tries(bench) == 1)
  }

  @Test func `a face that could not be read is not counted, and the next look logs in`() throws {
    let bench = try HelperBench.withFace(biometric: "max_tries = 1")
    let steps = [.enters("correct")] + Self.watched + [.touch(.notCentred), .touch(.matched), .stopped]
    let transcript = try bench.face(steps)
    #expect(transcript.result == 0)
    #expect(transcript.infos.last == "Bring your face to the middle of the camera's picture.")
    #expect(try tries(bench) == 3)
  }

  @Test func `a locked face ends the login before the passcode is asked for, and the passcode stays usable`() throws {
    let bench = try HelperBench.withFace()
    let steps = [.enters("correct")] + Self.watched + Self.again + Self.again + [.touch(.notMatched), .stopped]
    #expect(try bench.face(steps).result == 7005)
    let refused = try bench.face([.over])
    #expect(refused.result == 7005 && refused.prompts.isEmpty)
    #expect(try status(bench)["state"] as? Int == 3008)
    #expect(try bench.run(bench.begin(), beside: [.enters("correct"), .over]).result == 0)
  }

  @Test func `a login that names nothing never asks for the face if the passcode is enough for the server`() throws {
    let bench = try HelperBench.withFace()
    let transcript = try bench.run(bench.begin(), beside: [.enters("correct"), .over])
    #expect(transcript.result == 0 && transcript.infos.isEmpty)
  }

  @Test func `if the server demands passcode and face, both sign, and neither alone lets anybody in`() throws {
    let bench = try HelperBench.withFace(biometric: "max_tries = 1")
    bench.server.accepted = [["5541#0004", "5541#0001"]]
    let answered = bench.server.answered
    #expect(try bench.run(bench.begin(), beside: [.enters("wrong"), .over]).result == 3012)
    let wrong = [.enters("correct")] + Self.watched + [.touch(.notMatched), .stopped]
    #expect(try bench.run(bench.begin(), beside: wrong).result == 7004)
    #expect(bench.server.answered == answered)
    #expect(try bench.run(bench.begin(), beside: [.enters("correct")] + Self.recognised).result == 0)
    #expect(bench.server.signatures == 2)
  }

  @Test func `if the server accepts only the face, the passcode is still asked for`() throws {
    let bench = try HelperBench.withFace()
    bench.server.accepted = [["5541#0004"]]
    #expect(try bench.run(bench.begin(), beside: [.enters("wrong"), .over]).result == 3012)
    #expect(try bench.run(bench.begin(), beside: [.enters("correct")] + Self.recognised).result == 0)
  }

  @Test func `a host with only one prompt can ask for passcode and face`() throws {
    let bench = try HelperBench.withFace()
    bench.server.accepted = [["5541#0001", "5541#0004"]]
    var begin = bench.begin()
    begin.service = Array("swaylock".utf8)
    let transcript = try bench.run(begin, beside: [.enters("correct")] + Self.recognised)
    #expect(transcript.result == 0 && transcript.prompts.count == 1, "\(bench.log.lines)")
  }

  @Test func `a face lets nobody in without a passcode or a pattern, even if the server accepts it alone`() throws {
    let bench = try HelperBench.withFace()
    bench.configuration = bench.configuration.replacing("[\"passcode\", \"face\"]", with: "[\"face\"]")
    bench.server.accepted = [["5541#0004"]]
    for arguments in [[], ["authenticator=face"]] {
      var begin = bench.begin()
      begin.arguments += arguments.map { Array($0.utf8) }
      let transcript = try bench.run(begin, beside: [.over])
      #expect(transcript.result == 7007 && transcript.prompts.isEmpty, "\(bench.log.lines)")
    }
  }

  @Test func `without the server, a login that names the face needs the face too`() throws {
    let bench = try HelperBench.withFace(biometric: "max_tries = 1")
    bench.configuration += "\n[general]\noffline = \"allow\"\noffline_max_age = 3600"
    #expect(try bench.face([.enters("correct")] + Self.recognised).result == 0)
    bench.server.failure = .noHandshake(.refused)
    let wrong = [.enters("correct")] + Self.watched + [.touch(.notMatched), .stopped]
    #expect(try bench.face(wrong).result == 7004)
    #expect(try bench.face([.enters("correct")] + Self.recognised).result == 0)
  }

  // MARK: Alone

  @Test func `with alone = true the camera waits beside the prompt, and whichever comes first decides`() throws {
    let bench = try HelperBench.withFace("alone = true")
    let seen = try bench.run(bench.begin(), beside: Self.recognised + [.enters("")])
    #expect(seen.result == 0 && bench.log.lines.last?.contains("type=face") == true)
    #expect(seen.prompts.first?.text.contains("Look at the camera and press Enter, or enter:") == true)
    let typed = try bench.run(bench.begin(), beside: Self.watched + [.enters("correct"), .stopped])
    #expect(typed.result == 0 && bench.log.lines.last?.contains("type=passcode") == true)
  }

  @Test func `with alone = true a login that names the face needs no passcode, and a wrong face ends it`() throws {
    let bench = try HelperBench.withFace("alone = true", biometric: "max_tries = 1")
    #expect(try bench.face(Self.recognised).result == 0)
    #expect(try bench.face(Self.watched + [.touch(.notMatched), .stopped]).result == 7004)
  }

  // MARK: What prevents a face

  @Test func `a face login of somebody who is not at the machine ends with 7012 before the passcode is asked for`()
    throws
  {
    let bench = try HelperBench.withFace()
    bench.isElsewhere = true
    let transcript = try bench.face([.over])
    #expect(transcript.result == 7012 && transcript.prompts.isEmpty)
  }

  @Test func `a face login over the network ends with 7012, and the server that demands it lets nobody in`() throws {
    let bench = try HelperBench.withFace()
    bench.configuration += "\n[general]\nhide_state = false"
    bench.server.accepted = [["5541#0001", "5541#0004"]]
    var begin = bench.begin()
    (begin.isRemote, begin.remoteHost) = (true, Array("203.0.113.7".utf8))
    #expect(try bench.run(begin, beside: [.enters("correct"), .over]).result == 7012, "\(bench.log.lines)")
  }

  @Test(arguments: [
    (FingerSensor.State.notEnrolled, UInt32(7006)), (.noService, 7008), (.noSensor, 7008), (.busy, 7013),
    (.denied, 7013), (.untrusted, 7015), (.failed, 7015),
  ]) func `an unusable face service ends a login that names the face, after the passcode`(
    _ state: FingerSensor.State, _ result: UInt32
  ) throws {
    let bench = try HelperBench.withFace()
    let steps: [ScriptedFinger.Step] = [
      .enters("correct"), .asked(.compare, of: HelperBench.faceService), .sensor(state), .stopped,
    ]
    #expect(try bench.face(steps).result == result)
  }

  @Test(arguments: [
    (ScriptedFinger.Step.end(.sensorGone), UInt32(7013)), (.end(.failed), 7015), (.end(.serviceGone), 7015),
    (.dies, 7015), (.nonsense, 7015),
  ]) func `if the face service fails while it waits, nobody is let in`(_ step: ScriptedFinger.Step, _ result: UInt32)
    throws
  {
    let bench = try HelperBench.withFace()
    #expect(try bench.face([.enters("correct")] + Self.watched + [step, .over]).result == result)
  }

  @Test func `without a name of a service, nobody can use a face, and status shows 3005`() throws {
    let bench = try HelperBench.withFace()
    bench.configuration = bench.configuration.replacing("bus_name = \"\(HelperBench.faceService)\"", with: "")
    #expect(try bench.face([.over]).result == 7008)
    let document = try #require(try bench.run(bench.begin(.status)).finished.document)
    #expect(document.contains(#""type":"face","aaid":"5541#0004","state":3005"#), "\(document)")
  }

  // MARK: Changed templates

  @Test func `changed templates refuse the face until it is registered again, whatever passcode is entered`() throws {
    let bench = try HelperBench.withFace()
    try bench.storeTemplate("another")
    #expect(try status(bench)["biometry"] as? Int == 7001)
    let refused = try bench.face([.over])
    #expect(refused.result == 7001 && refused.prompts.isEmpty)
    #expect(refused.errors.first?.contains("uafctl register face") == true)
    #expect(try bench.run(bench.begin(), beside: [.enters("correct"), .over]).result == 0)
    #expect(try bench.face([.over]).result == 7001)
    #expect(try bench.run(bench.registration("face"), beside: Self.recognised).result == 0, "\(bench.log.lines)")
    #expect(try bench.face([.enters("correct")] + Self.recognised).result == 0)
  }

  @Test func `templates that change while the camera waits let nobody in`() throws {
    let bench = try HelperBench.withFace()
    let change = ScriptedFinger.Step.does { [folder = bench.folder] in
      try "another".write(toFile: folder + "/templates/mina", atomically: false, encoding: .utf8)
    }
    let steps = [.enters("correct")] + Self.watched + [change, .touch(.matched), .stopped]
    #expect(try bench.face(steps).result == 7001)
  }

  @Test func `a registration without known templates ends with 7002, unless root accepts every enrolled face`() throws {
    let bench = try HelperBench.withFace()
    #expect(try bench.run(bench.begin(.forget)).result == 0)
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0)
    bench.configuration = bench.configuration.replacing("templates = ", with: "# ")
    #expect(try bench.run(bench.registration("face"), beside: Self.recognised).result == 7002)
    bench.configuration = bench.configuration.replacing(
      "[biometric]", with: "[biometric]\ninvalidate_on_new_biometrics = false")
    #expect(try bench.run(bench.registration("face"), beside: Self.recognised).result == 0)
    #expect(try status(bench)["biometry"] as? Int == 7002)
  }

  @Test func `a face cannot be registered without a passcode or a pattern`() throws {
    let bench = try HelperBench.withFace()
    #expect(try bench.run(bench.begin(.forget)).result == 0)
    #expect(try bench.run(bench.registration("face"), beside: [.over]).result == 7007)
  }

  @Test func `a face cannot be changed or reset, and the passcode allows to remove it`() throws {
    let bench = try HelperBench.withFace()
    for (operation, result) in [(UAFWire.Operation.change, UInt32(7113)), (.reset, 7103)] {
      var begin = bench.begin(operation)
      begin.authenticator = Array("face".utf8)
      #expect(try bench.run(begin).result == result)
    }
    bench.server.order = [.key(try AAID("5541#0004"), try #require(bench.server.registered))]
    var begin = bench.begin(.deregister)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = Array("face".utf8)
    #expect(try bench.run(begin, ["correct"]).result == 0, "\(bench.log.lines)")
    #expect(try bench.face([.over]).result == 1009)
  }
}
