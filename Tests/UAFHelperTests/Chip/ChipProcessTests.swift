import FidoResults
import Foundation
import SecretMemory
import Testing
import UAFWire

@testable import UAFHelper

@Suite struct ChipProcessTests {
  private let key = Array(UInt8(1)...32)

  private func sealed(by chip: SoftwareTPM) throws -> [UInt8] {
    try SoftwareTPM.program().seal(try Secret(copying: key.span), at: chip.place)
  }

  private func open(_ sealed: [UInt8], with chip: SoftwareTPM) throws -> [UInt8] {
    let process = try SoftwareTPM.program()
    try process.open(sealed, at: chip.place)
    return try process.openedKey().withBytes { span in span.indices.map { span[$0] } }
  }

  private func refusal(_ sealed: [UInt8], with chip: SoftwareTPM) -> PromptText? {
    do {
      _ = try open(sealed, with: chip)
      return nil
    } catch { return (error as? Ending)?.text }
  }

  @Test func `the chip opens the device key that it has sealed, even after the chip was restarted`() throws {
    let chip = try SoftwareTPM()
    let sealed = try sealed(by: chip)
    #expect(try open(sealed, with: chip) == key)
    chip.stop()
    try chip.start()
    #expect(try open(sealed, with: chip) == key)
  }

  @Test func `the sealed form of the device key contains no part of the key`() throws {
    let sealed = try sealed(by: try SoftwareTPM())
    #expect(!sealed.indices.contains { sealed[$0...].starts(with: key.prefix(8)) })
  }

  @Test func `refuses a device key that a different chip has sealed`() throws {
    let sealed = try sealed(by: try SoftwareTPM())
    #expect(refusal(sealed, with: try SoftwareTPM()) == .cause(.chipOther))
  }

  @Test func `if the chip was cleared after it sealed the device key, a separate text says so`() throws {
    let chip = try SoftwareTPM()
    let sealed = try sealed(by: chip)
    try chip.clear()
    #expect(refusal(sealed, with: chip) == .cause(.chipCleared))
  }

  @Test func `reports that there is no chip if its device is missing, or if another file is in its place`() throws {
    let chip = try SoftwareTPM()
    let sealed = try sealed(by: chip)
    chip.stop()
    #expect(refusal(sealed, with: chip) == .cause(.chipAbsent))
    _ = FileManager.default.createFile(atPath: chip.place, contents: nil)
    #expect(refusal(sealed, with: chip) == .cause(.chipAbsent))
  }

  @Test func `refuses a sealed device key with a changed byte in any part that the chip reads`() throws {
    let chip = try SoftwareTPM()
    let sealed = try sealed(by: chip)
    for index in [sealed.count - 1, sealed.count - 60, sealed.count / 2] {
      var changed = sealed
      changed[index] ^= 1
      #expect(refusal(changed, with: chip) != nil)
    }
    #expect(refusal([1, 2, 3], with: chip) == .cause(.chipDamaged))
  }

  @Test
  func `the core gives up on a chip program that is late, and does not take its late reply for the next one`() throws {
    let chip = try SoftwareTPM()
    let process = try SoftwareTPM.hastyProgram()
    func refusal() -> Ending? {
      do throws(Ending) {
        _ = try process.ask(ChipRequest(.facts, at: chip.place))
        return nil
      } catch { return error }
    }
    #expect(refusal()?.text == .cause(.chipBusy))
    for _ in 0..<3 { #expect(refusal()?.result == .clientMismatch) }
  }

  @Test func `reports a chip program that is missing`() {
    #expect(throws: Ending.self) { try ChipProcess("/nonexistent/uaf-chip") }
  }
}
