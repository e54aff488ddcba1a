import UAFCrypto
import UAFMessages

/// What a server says at a check-in about the keys and authorities by which to know it.
public enum ReceivedTrust: Equatable, Sendable {
  /// A statement for this check-in, and which of the accepted verdict keys signed it, 65 bytes.
  case signed(TrustStatement, by: [UInt8])
  /// It is not used, and why.
  case refused(SignedTrust.Fault)
}

/// A signed statement about a server's keys and authorities: not even the network program can forge it, or replay an old one.
public enum SignedTrust {
  /// Why a statement is not accepted.
  public enum Fault: String, Error, CaseIterable, Sendable {
    case tooLong = "is longer than 32 KiB"
    case unsigned = "is not signed with a verdict key that this machine accepts"
    case malformed = "does not have the form of a statement about keys, or names too many"
    case otherRequest = "is for a different machine, server or check-in"
    case stale = "is too old or from the future; compare the clocks of both"
  }

  /// Checks a token that came with the answer to a check-in.
  ///
  /// - Parameters:
  ///   - proof: the proof that was sent with the request.
  ///   - deviceID: the machine's ID at the server.
  ///   - publicKeys: the verdict keys that this machine accepts, 65 bytes `04 | X | Y` each.
  ///   - now: seconds since 1970.
  static func receive(
    _ token: String, answering proof: MachineProof, deviceID: String, publicKeys: [[UInt8]], now: Int64
  ) -> ReceivedTrust {
    guard token.utf8.count <= TrustStatement.maximumTokenBytes else { return .refused(.tooLong) }
    for key in publicKeys {
      guard
        let claims = SignedToken.claims(
          of: token, type: TrustStatement.tokenType, publicKeys: [key], maximumBytes: TrustStatement.maximumTokenBytes)
      else { continue }
      guard let statement = TrustStatement(claims: claims) else { return .refused(.malformed) }
      guard statement.claims.answer(proof, of: deviceID) else { return .refused(.otherRequest) }
      return SignedToken.isFresh(claims, now: now) ? .signed(statement, by: key) : .refused(.stale)
    }
    return .refused(.unsigned)
  }
}

/// The names (``TrustName``) of keys and authorities.
extension TrustName {
  /// The id of a verdict key; nil for bytes that are no public key of P-256.
  public static func keyID(of publicKey: [UInt8]) -> String? {
    guard let info = try? P256.subjectPublicKeyInfo(publicKey: publicKey), let hash = try? SHA256.hash(info) else {
      return nil
    }
    return Hexadecimal.text(hash.prefix(keyIDLength / 2))
  }

  /// The fingerprint of an authority's certificate, DER; nil if OpenSSL cannot compute it.
  public static func fingerprint(of certificate: [UInt8]) -> String? {
    (try? SHA256.hash(certificate)).map { Hexadecimal.text($0) }
  }
}
