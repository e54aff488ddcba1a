import Testing
import UAFCrypto

/// The test vectors of RFC 8032, section 7.1.
struct Ed25519Tests {
  private static let vectors: [(key: String, publicKey: String, message: String, signature: String)] = [
    (
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    ),
    (
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    ),
    (
      "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
    ),
  ]

  @Test func `makes and accepts the Ed25519 signatures of RFC 8032`() throws {
    for vector in Self.vectors {
      let message = hex(vector.message)
      #expect(try Ed25519.publicKey(of: secret(hex(vector.key))) == hex(vector.publicKey))
      #expect(try Ed25519.sign(message, privateKey: secret(hex(vector.key))) == hex(vector.signature))
      #expect(Ed25519.isValidSignature(hex(vector.signature), of: message, publicKey: hex(vector.publicKey)))
    }
  }

  @Test func `refuses an Ed25519 signature with any bit changed, cut or extended`() {
    for vector in Self.vectors {
      let (signature, message, key) = (hex(vector.signature), hex(vector.message), hex(vector.publicKey))
      for bit in 0..<(signature.count * 8) {
        var changed = signature
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(!Ed25519.isValidSignature(changed, of: message, publicKey: key), "bit \(bit)")
      }
      #expect(!Ed25519.isValidSignature(signature.dropLast(), of: message, publicKey: key))
      #expect(!Ed25519.isValidSignature(signature + [0], of: message, publicKey: key))
      #expect(!Ed25519.isValidSignature([], of: message, publicKey: key))
      #expect(!Ed25519.isValidSignature(signature, of: message + [0], publicKey: key))
    }
  }

  @Test func `refuses a second valid form of an Ed25519 signature, with the group's order added to its number S`() {
    // Modulo L, S + L equals S; by RFC 8032, section 5.1.7, only an S below L is valid.
    let vector = Self.vectors[1]
    var signature = hex(vector.signature)
    var order = hex("edd3f55c1a631258d69cf7a2def9de14") + [UInt8](repeating: 0, count: 15) + [0x10]
    var carry = 0
    for index in order.indices {
      let sum = Int(signature[32 + index]) + Int(order[index]) + carry
      order[index] = UInt8(sum & 0xFF)
      carry = sum >> 8
    }
    signature.replaceSubrange(32..., with: order)
    #expect(!Ed25519.isValidSignature(signature, of: hex(vector.message), publicKey: hex(vector.publicKey)))
  }

  @Test func `refuses an Ed25519 key of the wrong length`() throws {
    let (signature, key) = (hex(Self.vectors[0].signature), hex(Self.vectors[0].publicKey))
    #expect(!Ed25519.isValidSignature(signature, of: [], publicKey: key.dropLast()))
    #expect(!Ed25519.isValidSignature(signature, of: [], publicKey: key + [0]))
    #expect(throws: CryptoError.invalidKey) { try Ed25519.publicKey(of: secret([1, 2, 3])) }
    #expect(throws: CryptoError.invalidKey) {
      try Ed25519.sign([], privateKey: secret([UInt8](repeating: 1, count: 33)))
    }
  }
}
