import SecretMemory
import Testing

@testable import UAFCrypto

/// Whether OpenSSL leaves copies of a secret in memory when a call has returned.
///
/// Each test runs in its own process: tests that search the memory copy all of it into their buffers, where other tests would
/// find it.
struct LeftBehindTests {
  /// 32 random bytes, which are in memory for no other reason.
  private static func random() throws -> Secret { try RandomBytes.makeSecret(32) }

  @Test func `a search of the memory finds a copy of a secret that was left behind`() async {
    await #expect(processExitsWith: .success) {
      let value = try Self.random()
      let copy = try value.withBytes { try Secret(copying: $0) }
      let copies = try OwnMemory.copies(of: value)
      let count = copy.count
      #expect(copies == 2, "both halves")
      #expect(count == 32)
    }
  }

  @Test func `HKDF leaves neither its secret nor its salt nor its key in memory`() async {
    await #expect(processExitsWith: .success) {
      let secret = try Self.random()
      let salt = try Self.random()
      let key = try HKDFSHA256.derive(secret: secret, salt: salt, info: [1, 2, 3], length: 32)
      let copies = [try OwnMemory.copies(of: secret), try OwnMemory.copies(of: salt), try OwnMemory.copies(of: key)]
      #expect(copies == [0, 0, 0])
    }
  }

  @Test func `scrypt leaves neither its secret nor its key in memory`() async {
    await #expect(processExitsWith: .success) {
      let value = try Self.random()
      let key = try Scrypt.derive(
        value: value, salt: [1, 2, 3], parameters: Scrypt.Parameters(logN: 10, r: 8, p: 2), length: 32)
      let copies = [try OwnMemory.copies(of: value), try OwnMemory.copies(of: key)]
      #expect(copies == [0, 0])
    }
  }

  @Test func `sealing and opening leave neither the key nor the plain text in memory`() async {
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

  @Test func `an HMAC leaves no copy of its key in memory`() async {
    await #expect(processExitsWith: .success) {
      let key = try Self.random()
      _ = try HMACSHA256.authenticate([1, 2, 3], key: key)
      let copies = try OwnMemory.copies(of: key)
      #expect(copies == 0)
    }
  }

  @Test func `making a key and signing leave the private key in memory in neither byte order`() async {
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
