import Foundation
import Testing
import UAFCrypto

/// The signatures in the UAF messages of Tests/Vectors/uaf, which software other than ours has made.
struct UAFVectorTests {
  @Test(arguments: [
    "reg-surrogate-sig1-key100", "reg-surrogate-sig2-key101", "auth-sig1-key100", "auth-sig2-key101",
    "auth-tx-sig1-key100", "auth-tx-sig2-key101", "auth-ok-1", "reg-order",
  ])
  func `accepts the signature in each good UAF message`(name: String) throws {
    let vector = try UAFVector(name: name)
    #expect(vector.isSignatureValid)
  }

  @Test(arguments: ["reg-bad-signature", "auth-bad-signature"])
  func `refuses the signature in each bad UAF message`(name: String) throws {
    let vector = try UAFVector(name: name)
    #expect(!vector.isSignatureValid)
  }
}

private struct UAFVector {
  let signed: [UInt8]
  let signature: [UInt8]
  let publicKey: [UInt8]
  let isDER: Bool

  init(name: String) throws {
    let url = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Vectors/uaf/\(name).json")
    let json = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
    let response = try #require((json["response"] as? [[String: Any]])?.first)
    let assertions = try #require(response["assertions"] as? [[String: Any]])
    let assertion = try Self.base64url(assertions.first?["assertion"])
    let algorithm = try #require(json["sigAlg"] as? Int)
    isDER = algorithm == 2
    let key = try Self.base64url(json["uauthPublicKeyB64u"])
    publicKey = key.count == 91 ? try P256.publicKey(subjectPublicKeyInfo: key) : key
    // The outer TLV contains the signed TLV and, at its end, a TLV with the signature.
    let length = Int(assertion[6]) | Int(assertion[7]) << 8
    signed = Array(assertion[4..<(8 + length)])
    var rest = assertion[(8 + length)...]
    if rest.starts(with: [0x08, 0x3E]) { rest = rest.dropFirst(4) }
    signature = Array(rest.dropFirst(4))
  }

  var isSignatureValid: Bool {
    isDER
      ? P256.isValidSignature(der: signature, of: signed, publicKey: publicKey)
      : P256.isValidSignature(signature, of: signed, publicKey: publicKey)
  }

  static func base64url(_ value: Any?) throws -> [UInt8] {
    var text = try #require(value as? String)
    text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    text += String(repeating: "=", count: (4 - text.count % 4) % 4)
    return Array(try #require(Data(base64Encoded: text)))
  }
}
