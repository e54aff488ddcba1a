/// What a server signs for a machine that checks in and that it does not know; our own (docs/protocol.md, "Check-in").
///
/// It is sent as a JSON web token (RFC 7519, ES256), whose type keeps it apart from a verdict. A server signs it for every proof
/// of a report that is not a proof of one of its machines, so it reveals nothing about other machines.
public struct UnknownMachineStatement: Equatable, Sendable {
  /// `typ` of the token's header.
  public static let tokenType = "machine-unknown+jwt"
  /// How long a statement is valid for the request that it names, in seconds.
  public static let lifetime: Int64 = 60
  /// The length of a SHA-256.
  private static let hashByteCount = 32

  /// SHA-256 of the proof, as the header of the request contains it.
  ///
  /// It covers every byte of the header. So nobody can change a proof on its way, have the change refused, and give the machine
  /// that refusal as the server's answer to its own proof.
  public let proofHash: [UInt8]
  /// Seconds since 1970.
  public let issuedAt: Int64

  /// Makes a statement.
  public init(proofHash: [UInt8], issuedAt: Int64) {
    self.proofHash = proofHash
    self.issuedAt = issuedAt
  }

  /// The claims of the token.
  public var json: JSONValue {
    .object([
      "proof": .string(Base64URL.encode(proofHash)), "iat": .integer(issuedAt),
      "exp": .integer(issuedAt + Self.lifetime),
    ])
  }

  /// Reads the claims; members that are not in the form above are ignored.
  ///
  /// - Returns: nil if one is missing, or not of its form.
  public init?(claims: JSONObject) {
    guard case .string(let proof)? = claims["proof"], case .integer(let issuedAt)? = claims["iat"],
      let hash = try? Base64URL.decode(proof, maximumCount: Self.hashByteCount), hash.count == Self.hashByteCount
    else { return nil }
    self.init(proofHash: hash, issuedAt: issuedAt)
  }
}
