/// The applications that may use an AppID (FIDO AppID and facets 1.1, section 3.1.2).
public struct TrustedFacetList: JSONRepresentable, Equatable, Sendable {
  /// The applications of one protocol version.
  public struct TrustedFacets: JSONRepresentable, Equatable, Sendable {
    /// The protocol version.
    public let version: UPV

    /// FacetIDs.
    public let ids: [String]

    /// Makes an entry.
    public init(version: UPV, ids: [String]) {
      self.version = version
      self.ids = ids
    }

    /// Reads an entry.
    public init(json: JSONValue, path: String) throws(MessageError) {
      let reader = try MemberReader(json, path: path)
      version = try reader.child("version", as: UPV.self)
      ids = try reader.list("ids") { (value, path) throws(MessageError) in try value.nonEmptyString(path: path) }
    }

    /// The entry as JSON.
    public var json: JSONValue {
      .object(["version": version.json, "ids": .array(ids.map(JSONValue.string))])
    }
  }

  /// One entry for each version.
  public let trustedFacets: [TrustedFacets]

  /// Makes a list.
  public init(trustedFacets: [TrustedFacets]) {
    self.trustedFacets = trustedFacets
  }

  /// Reads the list.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    trustedFacets = try reader.list("trustedFacets", of: TrustedFacets.self)
  }

  /// The list as JSON.
  public var json: JSONValue { .object(["trustedFacets": .array(trustedFacets.map(\.json))]) }

  /// The media type a server must answer with.
  public static let contentType = "application/fido.trusted-apps+json"

  /// Whether the entry of a version names exactly this FacetID, byte by byte.
  ///
  /// For our own list, whose FacetIDs are no web origins, such as a Linux program's; nothing is normalised.
  public func trusts(_ facetID: String, version: UPV) -> Bool {
    trustedFacets.contains { $0.version == version && $0.ids.contains { $0.isIdentical(to: facetID) } }
  }
}
