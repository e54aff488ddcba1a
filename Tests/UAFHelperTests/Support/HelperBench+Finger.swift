import FidoResults
import Foundation
import Testing
import UAFWire

@testable import UAFHelper

/// Calls with a fingerprint sensor.
extension HelperBench {
  /// A bench whose account mina has the passcode "correct", a stored print, and a registered fingerprint.
  static func withFinger(_ biometric: String = "") throws -> HelperBench {
    let bench = try registered("[biometric]\nrequire_tpm = false\n\(biometric)")
    bench.configuration = "authenticators = [\"passcode\", \"fingerprint\"]\n" + bench.configuration
    bench.server.accepted = [["5541#0001"], ["5541#0003"]]
    try bench.enrol("right-index-finger")
    let result = try bench.run(bench.registration("fingerprint"), beside: touchedOnce).result
    #expect(result == 0, "\(bench.log.lines)")
    return bench
  }

  /// The sensor waits, the right finger touches it, and it is released.
  static let touchedOnce: [ScriptedFinger.Step] = [.asked(.compare), .sensor(.ready), .touch(.matched), .stopped]

  /// The folder with mina's stored prints.
  var ownPrints: String { printsFolder + "/mina" }

  /// Stores a print for mina, as the fingerprint service does.
  func enrol(_ finger: String) throws {
    try FileManager.default.createDirectory(atPath: ownPrints, withIntermediateDirectories: true)
    try "a print of the \(finger)".write(toFile: "\(ownPrints)/\(finger)", atomically: false, encoding: .utf8)
  }

  /// Runs one call with a uaf-finger that follows the script.
  @discardableResult
  func run(_ begin: Begin, beside steps: [ScriptedFinger.Step]) throws -> Transcript {
    let fingerEnds = try PacketSocket.pair()
    finger = { (_) throws(Ending) in
      do { return try FingerProcess(over: try PacketSocket(takingOver: fingerEnds.mine)) } catch {
        throw Ending(.clientMismatch, log: "\(error)")
      }
    }
    let ends = try PacketSocket.pair()
    let person = try PacketSocket(takingOver: ends.mine)
    try person.send(begin.packet())
    let script = ScriptedFinger(steps, finger: fingerEnds.theirs, person: ends.mine)
    script.start()
    // The core's end is closed before the script is awaited.
    try converse(over: try FrontEnd(PacketSocket(takingOver: ends.theirs)))
    finger = { (_) throws(Ending) in throw Ending(.biometryNotSupported, log: "the script has ended") }
    script.finish()
    return try Transcript(
      person, unused: steps.count { if case .enters = $0 { true } else { false } } + cancelled(steps))
  }

  private func cancelled(_ steps: [ScriptedFinger.Step]) -> Int {
    steps.count { if case .cancels = $0 { true } else { false } }
  }
}
