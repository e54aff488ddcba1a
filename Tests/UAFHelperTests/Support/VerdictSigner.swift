import Foundation
import UAFCrypto
import UAFMessages

/// A server's key, with which it signs what it says yes to.
final class VerdictSigner {
  private let key: P256.KeyPair

  init() throws { key = try P256.generate() }

  /// The public key, as root's file has it.
  var pem: String {
    get throws {
      let info = try P256.subjectPublicKeyInfo(publicKey: key.publicKey)
      return "-----BEGIN PUBLIC KEY-----\n\(Data(info).base64EncodedString())\n-----END PUBLIC KEY-----\n"
    }
  }

  /// A token for the challenge that the fake server has.
  ///
  /// - Parameter secret: what the machine is given with it.
  func token(
    _ operation: String, account: String, at wallSeconds: Int64, with secret: MachineSecret? = nil
  ) throws -> String {
    let hash = Base64URL.encode(try SHA256.hash(Array(repeating: 7, count: 32)))
    var claims: JSONObject = [
      "sub": .string(account), "op": .string(operation), "challenge": .string(hash), "iat": .integer(wallSeconds),
      "exp": .integer(wallSeconds + 60),
    ]
    claims.set("machine", try secret.map { .string(Base64URL.encode(try SHA256.hash($0.bytes))) })
    return try token(claims, type: "JWT")
  }

  /// A token with these claims.
  func token(_ claims: JSONObject, type: String) throws -> String {
    let header = Base64URL.encode(Array(#"{"alg":"ES256","typ":"\#(type)"}"#.utf8))
    let signed = header + "." + Base64URL.encode(JSONValue.object(claims).bytes)
    return signed + "." + Base64URL.encode(try P256.sign(Array(signed.utf8), privateKey: key.privateKey))
  }
}
