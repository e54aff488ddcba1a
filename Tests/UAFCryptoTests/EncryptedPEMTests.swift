import Glibc
import Testing
import UAFCrypto

/// Encrypted PEM texts, for whose password (`password`) OpenSSL would ask on the terminal.
struct EncryptedPEMTests {
  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-256-CBC,000102030405060708090A0B0C0D0E0F

    47VktuXbzBCnLs1QaWUSGhGQ0V2u6t9Hx7hgZpu7YK5VEcAMmouctPULrG6EK2PT
    GZ858YhT1olNpRDeUskhiItlXg01XBjjxEMWMV63YTLkcy3tZYxUo9WXA6tJEDWx
    KUGXWZGfinSez/jeBUo3J7L9GlRiwkd/kWrDTd3K9mLAb7REl8uOq5iuQTGYmFp2
    6mo3YmuDuCgZt/uUAOPYIPAmmVqkKRqExSUmUbHr8yzLkMNF+ImIzmtgtFQmghAq
    1Y4D6vwT1V5d5rUO7O+q4gcK44eUs/Vz33TASONcOj+GBjdSZLvFhH2W4vXBDuT9
    076Tgh0X75EEJWksnsoaGBJvvcVLX4NGsPFrXhlQZw+NNmh8Vq4lxoky7QeYLLnB
    molQ6BBVtGddVeVKWFPdhMWPtdz33RzcruIsvDxbtu4YKui7Gw6GDhU4cLEZtukX
    NbR6T1rgxPFtWEaAXX2QzLOE51/pnAS0GqqoMXSY2b+5eA4PPotPb8zMn/lGG0WM
    -----END CERTIFICATE-----
    """
  private static let publicKey = """
    -----BEGIN PUBLIC KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-256-CBC,000102030405060708090A0B0C0D0E0F

    VUweUJ3cnMp5L2KBG/+vg2Sr2/TLYE5CK+hCMagP+21Wy9n3gTfHM1nFoopjTUop
    3wemIR40R07wiF1XFCIYsDvPs+WTJMcERPFvd+aah2Pp8oDvEWxUrM4G203w8GVf
    -----END PUBLIC KEY-----
    """

  @Test func `refuses encrypted PEM, and asks nobody for its password`() async {
    // In a separate process, because all tests of this process share standard input.
    await #expect(processExitsWith: .success) {
      var ends: [CInt] = [-1, -1]
      // SAFETY: two descriptors are written; every buffer is an array of the stated length.
      try #require(unsafe pipe(&ends) == 0)
      try #require(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO)
      let password = Array("password\n".utf8)
      _ = unsafe write(ends[1], password, password.count)
      close(ends[1])
      #expect(throws: CryptoError.invalidCertificate) {
        try X509.certificates(pem: Array(EncryptedPEMTests.certificate.utf8))
      }
      #expect(throws: CryptoError.invalidKey) { try P256.publicKey(pem: Array(EncryptedPEMTests.publicKey.utf8)) }
      // The password is still there, because nobody has read it.
      var rest = [UInt8](repeating: 0, count: 64)
      let count = unsafe read(STDIN_FILENO, &rest, rest.count)
      #expect(String(decoding: rest.prefix(max(count, 0)), as: UTF8.self) == "password\n")
    }
  }
}
