import Testing
import UAFWire

@testable import UAFChip

@Suite struct ChipFailureTests {
  /// Response codes of TPM 2.0 Part 2, 6.6.3, as a TPM, the kernel's resource manager and a transport return them.
  @Test(
    arguments: [
      (0x921, .lockedOut), (0x922, .busy), (0x920, .busy), (0x902, .busy), (0x903, .busy), (0x98e, .owned),
      (0x9a2, .owned), (0x1df, .damaged), (0x101, .failed), (0xB_0921, .lockedOut), (0xA_000A, .lost),
      (0x7_0001, .failed),
    ] as [(UInt32, ChipOutcome)]) func `each response code of the chip has its meaning for the device key`(
      _ code: UInt32, _ outcome: ChipOutcome
    )
  {
    #expect(ChipFailure.meaning(of: code) == outcome)
  }

  /// Each code with and without the number of a parameter or session, from the chip and from the kernel's resource manager.
  @Test(
    arguments: [
      (0x2c2, .full), (0x82, .full), (0x2e1, .full), (0xa1, .full), (0xB_02c2, .full), (0x14b, .full), (0x9a2, .owned),
      (0x2d5, .failed), (0x921, .lockedOut), (0x102, .failed),
    ] as [(UInt32, ChipOutcome)]) func `if the chip knows no counting indices, it has no room for an index`(
      _ code: UInt32, _ outcome: ChipOutcome
    )
  {
    #expect(ChipFailure.meaning(ofDefining: code) == outcome)
  }

  @Test func `only when an index is defined do wrong attributes count as a lack of room`() {
    #expect(ChipFailure.meaning(of: 0x2c2) == .failed)
    #expect(ChipFailure.meaning(of: 0x2e1) == .failed)
  }

  @Test func `opening a chip's device that is forbidden, busy or missing has different outcomes`() {
    #expect(ChipPlace.failure(13, "open").outcome == .forbidden)
    #expect(ChipPlace.failure(16, "open").outcome == .busy)
    #expect(ChipPlace.failure(2, "open").outcome == .absent)
    #expect(ChipPlace.failure(111, "connect").outcome == .absent)
  }
}
