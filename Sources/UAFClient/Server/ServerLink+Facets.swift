import FidoResults
import UAFMessages

extension ServerLink {
  /// The AppID to use for a request, once this client is known to be one of its facets.
  ///
  /// FIDO AppID and facets 1.1, section 3.1.2:
  /// - No AppID, or our own FacetID: the FacetID is the AppID.
  /// - An https AppID on the host of an https FacetID of ours: no list is needed.
  /// - Another https AppID: its list, fetched now, has to name us for the message's version.
  /// - Any other AppID belongs to someone else.
  mutating func appID<Wire: Transport & ~Copyable>(
    of header: OperationHeader, _ operation: UAFOperation, settings: ClientSettings, over transport: inout Wire
  ) throws(Refusal) -> String {
    let facetID = settings.facetID
    guard let appID = header.appID, !appID.isEmpty, !appID.isIdentical(to: facetID) else { return facetID }
    guard let address = settings.address(appID) else { throw untrusted("the AppID is neither https nor our own") }
    if let origin = HTTPSAddress(facetID), origin.host == address.host { return appID }
    let endpoint = settings.endpoint(for: operation)
    guard settings.mayAsk(appID, of: endpoint) else {
      throw untrusted("the AppID has another host or port than the server and is not in server.app_ids")
    }
    let body = try listOfFacets(appID, endpoint, settings: settings, over: &transport)
    let list: TrustedFacetList
    do {
      list = try TrustedFacetList(parsing: body)
    } catch {
      throw untrusted("the list of facets: \(error.description)")
    }
    let isTrusted = list.trusts(
      facetID, version: header.upv, appID: address, isSameSite: RegistrableDomain.isShared(by:_:))
    guard isTrusted else { throw untrusted(Self.fault(of: list, for: header.upv)) }
    return appID
  }

  /// Why the list does not trust us, as a hint for its administrator.
  private static func fault(of list: TrustedFacetList, for version: UPV) -> String {
    let versions = list.trustedFacets.map(\.version)
    switch versions.count(where: { $0 == version }) {
    case 0:
      let present = versions.isEmpty ? "none" : versions.map(\.description).joined(separator: ", ")
      return "the list of facets has no entry for version \(version) of UAF (it has \(present)); add one"
    case 1: return "the list of facets does not name this client's FacetID"
    default: return "the list of facets has several entries for version \(version) of UAF; leave one"
    }
  }

  /// Fetches the list, following redirects the server vouches for.
  ///
  /// Each stop has to be one that may be asked. A list is used once and kept nowhere, so none is ever older than its
  /// server allows.
  private mutating func listOfFacets<Wire: Transport & ~Copyable>(
    _ appID: String, _ endpoint: ServerEndpoint, settings: ClientSettings, over transport: inout Wire
  ) throws(Refusal) -> [UInt8] {
    var url = appID
    for _ in 0...Self.maximumRedirects {
      let response = try exchange(.get(url, accept: TrustedFacetList.contentType), over: &transport)
      if (300...399).contains(response.status) {
        guard let redirect = response.redirect, redirect.isAuthorized else {
          throw untrusted("the AppID redirects without FIDO-AppID-Redirect-Authorized")
        }
        guard settings.mayAsk(redirect.url, of: endpoint) else {
          throw untrusted("the AppID redirects to another host or port than the server's")
        }
        url = redirect.url
        continue
      }
      guard response.status == 200 else {
        throw untrusted("the list of facets came with HTTP status \(response.status)")
      }
      guard MediaType.matches(response.contentType, [TrustedFacetList.contentType]) else {
        throw untrusted("the list of facets is not \(TrustedFacetList.contentType)")
      }
      return response.body
    }
    throw untrusted("the AppID redirects more than \(Self.maximumRedirects) times")
  }

  /// Without a list this client is not trusted.
  ///
  /// That our own network program is gone is another failure.
  private mutating func exchange<Wire: Transport & ~Copyable>(
    _ request: TransportRequest, over transport: inout Wire
  ) throws(Refusal) -> TransportResponse {
    do {
      try transport.begin(request)
      return try transport.finish()
    } catch {
      if error == .unavailable { throw noAnswer(error) }
      throw refusal(.untrustedFacet, "the list of facets cannot be fetched: \(error.description)")
    }
  }

  private func untrusted(_ detail: String) -> Refusal { refusal(ofServer: .untrustedFacet, detail) }

  private static let maximumRedirects = 3
}

extension ClientSettings {
  /// Whether a server may have us fetch an address as an AppID, or on the way to one.
  ///
  /// Only at the hosts and ports that root has configured for this operation, and those that root named otherwise: a
  /// server must not be able to use this machine to probe networks that it cannot reach itself. FIDO allows any https
  /// address.
  func mayAsk(_ url: String, of endpoint: ServerEndpoint) -> Bool {
    guard let asked = address(url) else { return false }
    if appIDs.contains(where: { $0.isIdentical(to: url) }) { return true }
    return [endpoint.requestURL, endpoint.responseURL].compactMap(address).contains { server in
      server.host == asked.host && server.port == asked.port
    }
  }
}
