import SecretMemory
import Testing
import UAFCrypto

struct AES256GCMTests {
  // Test case 16 of the GCM specification that NIST SP 800-38D refers to.
  let key = hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
  let nonce = hex("cafebabefacedbaddecaf888")
  let additionalData = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
  let plaintext = hex(
    """
    d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
    1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
    """)
  let sealed = hex(
    """
    522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
    8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
    76fc6ece0f4e1768cddf8853bb2d551b
    """)

  @Test func `AES-GCM seals the specification's example`() throws {
    #expect(
      try AES256GCM.seal(
        secret(plaintext), key: secret(key), nonce: nonce, additionalData: additionalData) == sealed)
  }

  @Test func `AES-GCM opens the specification's example`() throws {
    let opened = try AES256GCM.open(sealed, key: secret(key), nonce: nonce, additionalData: additionalData)
    #expect(bytes(opened) == plaintext)
  }

  @Test func `AES-GCM seals and opens an empty text`() throws {
    let sealed = try AES256GCM.seal(secret([]), key: secret(key), nonce: nonce, additionalData: [])
    #expect(sealed.count == 16)
    let opened = try AES256GCM.open(sealed, key: secret(key), nonce: nonce, additionalData: [])
    #expect(opened.count == 0)
  }

  @Test func `AES-GCM refuses a sealed text with any bit changed or cut anywhere`() throws {
    let key = try secret(key)
    for bit in 0..<(sealed.count * 8) {
      var changed = sealed
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: CryptoError.authenticationFailed) {
        _ = try AES256GCM.open(changed, key: key, nonce: nonce, additionalData: additionalData)
      }
    }
    for count in 0..<sealed.count {
      #expect(throws: CryptoError.authenticationFailed) {
        _ = try AES256GCM.open(
          Array(sealed[..<count]), key: key, nonce: nonce, additionalData: additionalData)
      }
    }
  }

  @Test func `AES-GCM refuses a wrong key, a wrong nonce and wrong associated data`() throws {
    let otherNonce = [nonce[0] ^ 1] + nonce.dropFirst()
    #expect(throws: CryptoError.authenticationFailed) {
      _ = try AES256GCM.open(
        sealed, key: secret(key.reversed()), nonce: nonce, additionalData: additionalData)
    }
    #expect(throws: CryptoError.authenticationFailed) {
      _ = try AES256GCM.open(sealed, key: secret(key), nonce: otherNonce, additionalData: additionalData)
    }
    #expect(throws: CryptoError.authenticationFailed) {
      _ = try AES256GCM.open(sealed, key: secret(key), nonce: nonce, additionalData: [])
    }
  }

  @Test(arguments: [0, 16, 31, 33]) func `AES-GCM refuses a key of the wrong length`(count: Int) throws {
    let key = [UInt8](repeating: 1, count: count)
    #expect(throws: CryptoError.invalidKey) {
      _ = try AES256GCM.seal(secret([1]), key: secret(key), nonce: nonce, additionalData: [])
    }
    #expect(throws: CryptoError.invalidKey) {
      _ = try AES256GCM.open(sealed, key: secret(key), nonce: nonce, additionalData: [])
    }
  }

  @Test(arguments: [0, 11, 13, 16]) func `AES-GCM refuses a nonce of the wrong length`(count: Int) throws {
    let nonce = [UInt8](repeating: 1, count: count)
    #expect(throws: CryptoError.invalidParameter(.gcm)) {
      _ = try AES256GCM.seal(secret([1]), key: secret(key), nonce: nonce, additionalData: [])
    }
  }
}
