import FidoResults
import Foundation
import Testing
import UAFWire

@testable import UAFHelper

/// Calls with a face service.
extension HelperBench {
  /// The name of the face service on the bus.
  static let faceService = "org.example.Face"

  /// A bench whose account mina has the passcode "correct", a stored template, and a registered face.
  static func withFace(_ face: String = "", biometric: String = "") throws -> HelperBench {
    let bench = try registered()
    bench.configuration = """
      authenticators = ["passcode", "face"]
      \(bench.configuration)
      [biometric]
      require_tpm = false
      \(biometric)
      [face]
      bus_name = "\(faceService)"
      templates = "\(bench.folder)/templates"
      \(face)
      """
    bench.server.accepted = [["5541#0001"], ["5541#0004"]]
    try bench.storeTemplate("one")
    let result = try bench.run(bench.registration("face"), beside: recognised).result
    #expect(result == 0, "\(bench.log.lines)")
    return bench
  }

  /// The camera waits, and has been told of nobody.
  static let watched: [ScriptedFinger.Step] = [.asked(.compare, of: faceService), .sensor(.ready)]
  /// The camera waits, recognises the person, and is released.
  static let recognised: [ScriptedFinger.Step] = watched + [.touch(.matched), .stopped]

  /// Stores a template for mina, as the face service does.
  func storeTemplate(_ text: String) throws {
    try FileManager.default.createDirectory(atPath: folder + "/templates", withIntermediateDirectories: true)
    try text.write(toFile: folder + "/templates/mina", atomically: false, encoding: .utf8)
  }

  /// A login that names the face.
  func face(_ steps: [ScriptedFinger.Step]) throws -> Transcript {
    try run(begin(.authenticate, "authenticator=face"), beside: steps)
  }
}
