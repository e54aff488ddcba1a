import SecretMemory
import Testing

@testable import UAFCrypto

/// OpenSSL's copies of a secret must be gone when the call returns.
///
/// Each test has its own process: others that search the memory have all of it in their own buffers for a moment.
struct LeftBehindTests {
  /// Like 32 random bytes, so that they are in memory for no other reason.
  private static func random() throws -> Secret { try RandomBytes.makeSecret(32) }

  @Test func `the test finds a copy that was left behind`() async {
    await #expect(processExitsWith: .success) {
      let value = try Self.random()
      let copy = try value.withBytes { try Secret(copying: $0) }
      let copies = try OwnMemory.copies(of: value)
      let count = copy.count
      #expect(copies == 2, "both halves")
      #expect(count == 32)
    }
  }

  @Test func `a derivation by HKDF leaves neither its secret nor its salt nor its key in memory`() async {
    await #expect(processExitsWith: .success) {
      let secret = try Self.random()
      let salt = try Self.random()
      let key = try HKDFSHA256.derive(secret: secret, salt: salt, info: [1, 2, 3], length: 32)
      let copies = [try OwnMemory.copies(of: secret), try OwnMemory.copies(of: salt), try OwnMemory.copies(of: key)]
      #expect(copies == [0, 0, 0])
    }
  }

  @Test func `a derivation by scrypt leaves neither the secret nor the key in memory`() async {
    await #expect(processExitsWith: .success) {
      let value = try Self.random()
      let key = try Scrypt.derive(
        value: value, salt: [1, 2, 3], parameters: Scrypt.Parameters(logN: 10, r: 8, p: 2), length: 32)
      let copies = [try OwnMemory.copies(of: value), try OwnMemory.copies(of: key)]
      #expect(copies == [0, 0])
    }
  }

  @Test func `sealing and opening leave neither the key nor what was sealed in memory`() async {
    await #expect(processExitsWith: .success) {
      let key = try Self.random()
      let plaintext = try Self.random()
      let nonce = try RandomBytes.make(AES256GCM.nonceByteCount)
      let sealed = try AES256GCM.seal(plaintext, key: key, nonce: nonce, additionalData: [1])
      let opened = try AES256GCM.open(sealed, key: key, nonce: nonce, additionalData: [1])
      let (copiesOfKey, copiesOfPlaintext) = (try OwnMemory.copies(of: key), try OwnMemory.copies(of: plaintext))
      let count = opened.count
      #expect(copiesOfKey == 0)
      #expect(copiesOfPlaintext == 2, "the two halves of what was opened, which is a secret of its own")
      #expect(count == 32)
    }
  }

  @Test func `an authentication code leaves no copy of its key in memory`() async {
    await #expect(processExitsWith: .success) {
      let key = try Self.random()
      _ = try HMACSHA256.authenticate([1, 2, 3], key: key)
      let copies = try OwnMemory.copies(of: key)
      #expect(copies == 0)
    }
  }

  @Test func `making a key and signing leave the private number in memory in neither byte order`() async {
    await #expect(processExitsWith: .success) {
      let pair = try P256.generate()
      _ = try P256.sign([1, 2, 3], privateKey: pair.privateKey)
      let reversed = try unsafe Secret(count: 32) { output in
        unsafe pair.privateKey.withUnsafeBytes { input in
          for index in 0..<32 { unsafe output[31 - index] = input[index] }
        }
      }
      let copies = [try OwnMemory.copies(of: pair.privateKey), try OwnMemory.copies(of: reversed)]
      #expect(copies == [0, 0])
    }
  }
}
