import Foundation
import UAFCrypto
import UAFMessages

/// The key with which a server signs its successes.
final class VerdictSigner {
  private let key: P256.KeyPair

  init() throws { key = try P256.generate() }

  /// 65 bytes.
  var publicKey: [UInt8] { key.publicKey }

  /// The public key in the format of root's verdict key file.
  var pem: String {
    get throws {
      let info = try P256.subjectPublicKeyInfo(publicKey: key.publicKey)
      return "-----BEGIN PUBLIC KEY-----\n\(Data(info).base64EncodedString())\n-----END PUBLIC KEY-----\n"
    }
  }

  /// A token that signs a success of the fake server.
  ///
  /// - Parameters:
  ///   - secret: the secret that the machine is given with it.
  ///   - use: what it authorises; what was requested if nil.
  func token(
    for yes: FakeServer.Yes, at wallSeconds: Int64, with secret: MachineSecret? = nil, use: [UAFOperation]? = nil
  ) throws -> String {
    let asked: [UAFOperation] =
      switch yes.purpose {
      case .furtherKeys: [.registration]
      case .removal where yes.operation == .authentication: [.deregistration]
      default: []
      }
    var claims: JSONObject = [
      "sub": .string(yes.username), "op": yes.operation.json,
      "challenge": .string(Base64URL.encode(try SHA256.hash(yes.challenge))), "iat": .integer(wallSeconds),
      "exp": .integer(wallSeconds + 60), "use": .array((use ?? asked).map(\.json)),
      "keys": .array(yes.keyIDs.map { .string($0.text) }),
    ]
    claims.set("purpose", yes.purpose.map { .string($0.word) })
    claims.set("text", try yes.text.map { .string(Base64URL.encode(try SHA256.hash(Array($0.utf8)))) })
    claims.set("device", yes.deviceID.map(JSONValue.string))
    claims.set("machine", try secret.map { .string(Base64URL.encode(try SHA256.hash($0.bytes))) })
    return try token(claims, type: "JWT")
  }

  /// A signed token with these claims.
  func token(_ claims: JSONObject, type: String) throws -> String {
    let header = Base64URL.encode(Array(#"{"alg":"ES256","typ":"\#(type)"}"#.utf8))
    let signed = header + "." + Base64URL.encode(JSONValue.object(claims).bytes)
    return signed + "." + Base64URL.encode(try P256.sign(Array(signed.utf8), privateKey: key.privateKey))
  }
}
