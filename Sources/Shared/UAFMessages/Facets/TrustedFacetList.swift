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
  /// For our own list, whose FacetIDs are not web origins, such as a Linux program's; nothing is normalised.
  public func trusts(_ facetID: String, version: UPV) -> Bool {
    trustedFacets.contains { $0.version == version && $0.ids.contains { $0.isIdentical(to: facetID) } }
  }
}

extension TrustedFacetList {
  /// Whether the list trusts a client (FIDO AppID and facets 1.1, section 3.1.2, steps 9 to 12).
  ///
  /// The entry for the message's version is used, and only if it occurs once. A FacetID that is not a web origin is
  /// compared byte by byte. Web origins are compared by host, and only in the AppID's own domain: the author of the
  /// list must not be able to trust another owner's site.
  ///
  /// - Parameters:
  ///   - appID: the AppID as in the message, before any redirect.
  ///   - isSameSite: whether two hosts belong to one owner: they are equal, or share one registrable domain.
  public func trusts(
    _ facetID: String, version: UPV, appID: HTTPSAddress, isSameSite: (HTTPSAddress, HTTPSAddress) -> Bool
  ) -> Bool {
    let entries = trustedFacets.filter { $0.version == version }
    guard entries.count == 1, let ids = entries.first?.ids else { return false }
    guard let origin = HTTPSAddress(facetID) else {
      return !Self.isWeb(facetID) && ids.contains { $0.isIdentical(to: facetID) }
    }
    return ids.lazy.compactMap { HTTPSAddress($0) }.contains { $0.host == origin.host && isSameSite($0, appID) }
  }

  /// Only valid https addresses are web origins; any other scheme, or a wildcard, is dropped.
  private static func isWeb(_ facetID: String) -> Bool {
    ["http:", "https:"].contains { facetID.lowercased().hasPrefix($0) }
  }
}

/// The parts of an https URL that decide about trust.
///
///     address = "https://" host [":" port] [("/" / "?" / "#") *VCHAR]
///
/// Stricter than RFC 3986: no user information, no percent-encoding in the host, no characters outside ASCII, no empty
/// label, numeric addresses only with four parts. A text that two URL parsers could split differently is not an address
/// here. If root allows it, `http` to this machine is an address as well.
public struct HTTPSAddress: Equatable, Sendable {
  /// The host in lower case; an IPv6 address with its brackets.
  public let host: String

  /// The port; the default of the scheme if none is given.
  public let port: UInt16

  /// Whether the host is a name of several labels: neither an address nor a name that only the local network knows.
  public let hasDomain: Bool

  /// Reads an address, nil if it is not one.
  ///
  /// - Parameter orPlainHere: whether `http` is accepted, if the host can only be this machine.
  public init?(_ text: String, orPlainHere: Bool = false) {
    let isSecure = text.lowercased().hasPrefix("https://")
    guard isSecure || orPlainHere && text.lowercased().hasPrefix("http://"),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C })
    else { return nil }
    let authority = text.dropFirst(isSecure ? 8 : 7).prefix { !"/?#".contains($0) }
    let host: Substring
    if authority.hasPrefix("[") {
      guard let close = authority.firstIndex(of: "]") else { return nil }
      host = authority[...close]
      guard host.dropFirst().dropLast().allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }), host.count > 2 else {
        return nil
      }
      hasDomain = false
    } else {
      host = authority.prefix { $0 != ":" }
      let labels = host.split(separator: ".", omittingEmptySubsequences: false)
      guard labels.allSatisfy(Self.isLabel), host.utf8.count <= 253, let last = labels.last else { return nil }
      let isNumeric = last.allSatisfy(\.isNumber)
      // Resolvers also read 127.1 or 2130706433 as addresses; only the form that all programs read in the same way is accepted
      // here.
      guard !isNumeric || (labels.count == 4 && labels.allSatisfy { UInt8($0).map(String.init) == String($0) }) else {
        return nil
      }
      hasDomain = labels.count > 1 && !isNumeric
    }
    let port = authority.dropFirst(host.count)
    guard let number = port.isEmpty ? (isSecure ? 443 : 80) : Self.number(of: port) else { return nil }
    guard isSecure || Self.isHere(host.lowercased()) else { return nil }
    self.host = host.lowercased()
    self.port = number
  }

  private static func isLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.utf8.count) && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
  }

  /// Whether a host that is well formed can only be this machine.
  private static func isHere(_ host: String) -> Bool {
    host == "localhost" || host == "[::1]" || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
  }

  private static func number(of text: Substring) -> UInt16? {
    let digits = text.dropFirst()
    guard text.hasPrefix(":"), digits.allSatisfy(\.isNumber), let number = UInt16(digits) else { return nil }
    return number > 0 ? number : nil
  }
}
