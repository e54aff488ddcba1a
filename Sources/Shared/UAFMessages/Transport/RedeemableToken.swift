/// A token of another vendor's server, which a client redeems for a UAF request.
///
/// People get the token alone, or in a payload that also names the address where it is redeemed. The payload is JSON, or
/// base64url of it, in either form that nevisFIDO documents: `{"nma_data": {"token", "redeem_url"}, ...}`, which is in QR codes
/// and links, or `{"token", "redeemUrl"}`. Other members are ignored.
public struct RedeemableToken: Equatable, Sendable {
  /// The token, 1 to 1024 characters of visible ASCII.
  public let token: String
  /// Where it is redeemed, as the payload names it, at most 2048 characters; nil for a token alone.
  ///
  /// Nobody has vouched for it: the caller must compare it with what root has configured.
  public let address: String?

  /// Reads what a person got; white space around it must already be removed.
  ///
  /// - Throws: ``MessageError``; more than 8 KiB are refused, and so is everything that begins like a payload and is none.
  public init(parsing text: String) throws(MessageError) {
    guard text.utf8.count <= Self.maximumCount else { throw .outOfRange(Self.path) }
    // A token that is itself signed, as a JWT is, begins like base64url of JSON, but has dots between its parts.
    let isEncoded = text.hasPrefix("eyJ") && !text.utf8.contains(UInt8(ascii: "."))
    guard isEncoded || text.hasPrefix("{") else {
      token = try Self.checked(text)
      address = nil
      return
    }
    let bytes =
      isEncoded
      ? try JSONValue.string(text).decodedBase64URL(path: Self.path, counts: 2...Self.maximumCount) : Array(text.utf8)
    let payload = try JSONValue(message: bytes, limits: JSONLimits(maximumBytes: Self.maximumCount))
    let outer = try MemberReader(payload, path: Self.path)
    let isWrapped = outer.has("nma_data")
    let reader =
      isWrapped ? try MemberReader(outer.required("nma_data"), path: MessageError.path(Self.path, "nma_data")) : outer
    token = try Self.checked(reader.string("token"))
    address = try reader.serverAddress(isWrapped ? "redeem_url" : "redeemUrl")
  }

  private static func checked(_ token: String) throws(MessageError) -> String {
    guard (1...1024).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .outOfRange(path)
    }
    return token
  }

  private static let path = "token"
  private static let maximumCount = 8192
}
