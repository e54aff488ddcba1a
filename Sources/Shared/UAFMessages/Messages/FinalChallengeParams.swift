/// The data that an authenticator signs in addition to its own (`FinalChallengeParams` of UAF protocol 1.1).
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
  /// The two names and the challenge have 64 to 512 characters; the rest is for a channel binding with a certificate: 4 KiB,
  /// which are 6 KiB in base64url. A server stores them with each confirmed text permanently.
  public static let maximumBytes = 12_288

  /// Reads `fcParams` as sent in a response.
  ///
  /// - Throws: ``MessageError``; more than ``maximumBytes`` decoded are refused.
  public init(encoded fcParams: String) throws(MessageError) {
    let bytes = try JSONValue.string(fcParams).decodedBase64URL(path: "fcParams", counts: 2...Self.maximumBytes)
    let limits = JSONLimits(maximumBytes: Self.maximumBytes)
    try self.init(json: JSONValue(message: bytes, limits: limits), path: "fcParams")
  }

  /// The text that a response carries; SHA-256 over its ASCII bytes is the FinalChallengeHash.
  public var encoded: String { Base64URL.encode(jsonBytes) }
}

/// What ties a response to one TLS connection (UAF protocol 1.1, section 3.1.8); every member is optional.
public struct ChannelBinding: JSONRepresentable, Equatable, Sendable {
  /// Base64url of the hash of the server's certificate.
  public let serverEndPoint: String?

  /// Base64url of the server's DER certificate.
  public let tlsServerCertificate: String?

  /// Base64url of the TLS Finished message.
  public let tlsUnique: String?

  /// `unused`, or base64url of a JwkKey.
  public let cidPubkey: String?

  /// Makes a channel binding from the known values.
  public init(
    serverEndPoint: String? = nil, tlsServerCertificate: String? = nil, tlsUnique: String? = nil,
    cidPubkey: String? = nil
  ) {
    self.serverEndPoint = serverEndPoint
    self.tlsServerCertificate = tlsServerCertificate
    self.tlsUnique = tlsUnique
    self.cidPubkey = cidPubkey
  }

  /// Reads the members that are there.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    serverEndPoint = try reader.optionalString("serverEndPoint")
    tlsServerCertificate = try reader.optionalString("tlsServerCertificate")
    tlsUnique = try reader.optionalString("tlsUnique")
    cidPubkey = try reader.optionalString("cid_pubkey")
  }

  /// The channel binding as JSON.
  public var json: JSONValue {
    var object = JSONObject()
    object.set("serverEndPoint", serverEndPoint.map(JSONValue.string))
    object.set("tlsServerCertificate", tlsServerCertificate.map(JSONValue.string))
    object.set("tlsUnique", tlsUnique.map(JSONValue.string))
    object.set("cid_pubkey", cidPubkey.map(JSONValue.string))
    return .object(object)
  }
}

/// A server's challenge: 8 to 64 bytes, base64url in JSON (`ServerChallenge` of UAF protocol 1.1).
public struct ServerChallenge: JSONRepresentable, Hashable, Sendable {
  /// The bytes.
  public let bytes: [UInt8]

  /// Makes a challenge of 8 to 64 random bytes.
  ///
  /// - Throws: ``MessageError/outOfRange(_:)``.
  public init(bytes: [UInt8]) throws(MessageError) {
    guard (8...64).contains(bytes.count) else { throw .outOfRange("challenge") }
    self.bytes = bytes
  }

  /// Reads the base64url text.
  public init(json: JSONValue, path: String) throws(MessageError) {
    bytes = try json.decodedBase64URL(path: path, counts: 8...64)
  }

  /// The base64url text; reading is canonical, so it is the text that was sent.
  public var text: String { Base64URL.encode(bytes) }

  /// The challenge as JSON.
  public var json: JSONValue { .string(text) }
}
