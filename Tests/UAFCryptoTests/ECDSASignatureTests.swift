import Testing
import UAFCrypto

struct ECDSASignatureTests {
  @Test(arguments: [
    ("30 06 02 01 01 02 01 7f", "01", "7f"), ("30 07 02 02 00 80 02 01 02", "80", "02"),
    ("30 06 02 01 00 02 01 00", "00", "00"), ("30 08 02 02 01 00 02 02 7f ff", "0100", "7fff"),
  ])
  func `an ECDSA signature in DER is read and written back to the same bytes`(der: String, r: String, s: String) throws
  {
    let signature = try ECDSASignature(der: hex(der))
    #expect(signature.raw == padded(hex(r)) + padded(hex(s)))
    #expect(signature.der == hex(der))
  }

  @Test func `writes the largest numbers of an ECDSA signature with a leading zero byte`() throws {
    let der = try ECDSASignature(raw: [UInt8](repeating: 0xff, count: 64)).der
    #expect(der.count == 72)
    #expect(try ECDSASignature(der: der).raw == [UInt8](repeating: 0xff, count: 64))
  }

  @Test(arguments: [
    ("nothing", ""), ("another tag", "31 06 02 01 01 02 01 01"), ("a byte left over", "30 06 02 01 01 02 01 01 00"),
    ("a byte left inside", "30 07 02 01 01 02 01 01 00"), ("a third number", "30 09 02 01 01 02 01 01 02 01 01"),
    ("one number", "30 03 02 01 01"), ("a negative number", "30 06 02 01 80 02 01 01"),
    ("a padded number", "30 07 02 02 00 01 02 01 01"), ("an empty number", "30 05 02 00 02 01 01"),
    ("a long-form length", "30 81 06 02 01 01 02 01 01"), ("an indefinite length", "30 80 02 01 01 02 01 01 00 00"),
    ("a number longer than its sequence", "30 06 02 05 01 02 01 01"),
    ("a number of 33 digits", "30 26 02 21 01" + String(repeating: "00", count: 32) + "02 01 01"),
    ("a length one short", "30 05 02 01 01 02 01 01"),
  ])
  func `refuses an ECDSA signature whose DER is not canonical`(name: String, der: String) {
    #expect(throws: CryptoError.invalidSignature) { _ = try ECDSASignature(der: hex(der)) }
  }

  @Test(arguments: [0, 63, 65]) func `refuses a raw ECDSA signature of the wrong length`(count: Int) {
    #expect(throws: CryptoError.invalidSignature) {
      _ = try ECDSASignature(raw: [UInt8](repeating: 1, count: count))
    }
  }

  private func padded(_ number: [UInt8]) -> [UInt8] {
    [UInt8](repeating: 0, count: 32 - number.count) + number
  }
}
