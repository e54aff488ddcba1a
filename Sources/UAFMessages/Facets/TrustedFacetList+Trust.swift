extension TrustedFacetList {
  /// Whether the list trusts a client (FIDO AppID and facets 1.1, section 3.1.2, steps 9 to 12).
  ///
  /// The entry of the message's version counts, and only if it is there once. A FacetID that is no web origin is
  /// compared byte by byte. Web origins are compared by host, and only in the AppID's own domain: the author of the
  /// list must not be able to trust another owner's site.
  ///
  /// - Parameters:
  ///   - appID: the AppID as the message has it, before any redirect.
  ///   - isSameSite: whether two hosts belong to one owner: equal, or with one registrable domain.
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

  /// Web origins count only as https addresses that can be read; another scheme, or a wildcard, is dropped.
  private static func isWeb(_ facetID: String) -> Bool {
    ["http:", "https:"].contains { facetID.lowercased().hasPrefix($0) }
  }
}
