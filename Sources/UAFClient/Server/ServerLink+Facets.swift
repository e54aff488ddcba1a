import FidoResults
import UAFMessages

extension ServerLink {
  /// The AppID to use for a request, once this client is known to be one of its facets.
  ///
  /// - No AppID, or our own FacetID: the FacetID is the AppID.
  /// - An https AppID: its host has to be the one the request came from, and its list, fetched now, has to name our
  ///   FacetID for the message's version.
  /// - Any other AppID belongs to someone else.
  mutating func appID<Wire: Transport & ~Copyable>(
    of header: OperationHeader, requestURL: String, facetID: String, over transport: inout Wire
  ) throws(Refusal) -> String {
    guard let appID = header.appID, !appID.isEmpty, !appID.isIdentical(to: facetID) else { return facetID }
    guard let address = HTTPSAddress(appID), address.host == HTTPSAddress(requestURL)?.host else {
      throw refusal(ofServer: .untrustedFacet, "the AppID is not an https address on the server's host")
    }
    try begin(.get(appID, accept: TrustedFacetList.contentType), over: &transport)
    let response = try finish(over: &transport)
    guard response.status == 200 else {
      throw refusal(ofServer: .untrustedFacet, "the list of facets came with HTTP status \(response.status)")
    }
    guard MediaType.matches(response.contentType, [TrustedFacetList.contentType]) else {
      throw refusal(ofServer: .untrustedFacet, "the list of facets is not \(TrustedFacetList.contentType)")
    }
    let list: TrustedFacetList
    do {
      list = try TrustedFacetList(parsing: response.body)
    } catch {
      throw refusal(ofServer: .untrustedFacet, "the list of facets: \(error.description)")
    }
    guard list.trusts(facetID, version: header.upv) else {
      throw refusal(ofServer: .untrustedFacet, "the list of facets does not name this client's FacetID")
    }
    return appID
  }
}
