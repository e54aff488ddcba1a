/// What an authenticator signs over, beside its own data (`FinalChallengeParams` of UAF protocol 1.1).
public struct FinalChallengeParams: JSONRepresentable, Equatable, Sendable {
  /// The header's AppID after defaulting to the FacetID, 1 to 512 characters.
  public let appID: String

  /// The request's challenge, as sent.
  public let challenge: String

  /// The calling application, 1 to 512 characters.
  public let facetID: String

  /// The connection.
  public let channelBinding: ChannelBinding

  /// Makes the parameters.
  public init(appID: String, challenge: ServerChallenge, facetID: String, channelBinding: ChannelBinding) {
    self.appID = appID
    self.challenge = challenge.text
    self.facetID = facetID
    self.channelBinding = channelBinding
  }

  /// Reads the decoded parameters.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    appID = try reader.string("appID", characters: 1...512)
    challenge = try reader.child("challenge", as: ServerChallenge.self).text
    facetID = try reader.string("facetID", characters: 1...512)
    channelBinding = try reader.child("channelBinding", as: ChannelBinding.self)
  }

  /// The parameters as JSON.
  public var json: JSONValue {
    .object([
      "appID": .string(appID), "challenge": .string(challenge), "facetID": .string(facetID),
      "channelBinding": channelBinding.json,
    ])
  }

  /// The most bytes that the JSON of `fcParams` may have: 12 KiB, or 16 KiB as sent.
  ///
  /// The two names and the challenge have 64 to 512 characters; the rest is for a channel binding with a certificate, whose
  /// 4 KiB are 6 KiB in base64url. A server keeps them with each confirmed text, for ever.
  public static let maximumBytes = 12_288

  /// Reads `fcParams` as sent in a response.
  ///
  /// - Throws: ``MessageError``; more than ``maximumBytes`` decoded are refused.
  public init(encoded fcParams: String) throws(MessageError) {
    let bytes = try JSONValue.string(fcParams).decodedBase64URL(path: "fcParams", counts: 2...Self.maximumBytes)
    let limits = JSONLimits(maximumBytes: Self.maximumBytes)
    try self.init(json: JSONValue(message: bytes, limits: limits), path: "fcParams")
  }

  /// The text a response carries; SHA-256 over its ASCII bytes is the FinalChallengeHash.
  public var encoded: String { Base64URL.encode(jsonBytes) }
}
