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

  /// Makes a channel binding of what is known.
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
