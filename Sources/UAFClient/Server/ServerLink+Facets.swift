import FidoResults
import UAFMessages

extension ServerLink {
  /// What is known of a request's AppID before its list of facets was read.
  enum AppIDClaim: Sendable {
    /// This client may use it.
    case settled(String)
    /// Its list was asked for, and has to name this client for a version of the message.
    case listed(String, HTTPSAddress, UPV)
  }

  /// Says which AppID a request is for, and asks for its list of facets where that has to be read; waits for nothing.
  ///
  /// FIDO AppID and facets 1.1, section 3.1.2:
  /// - No AppID, or our own FacetID: the FacetID is the AppID.
  /// - An https AppID on the host of an https FacetID of ours: no list is needed.
  /// - Another https AppID: its list, fetched for this request, has to name us for the message's version.
  /// - Any other AppID belongs to someone else.
  mutating func claim<Wire: Transport & ~Copyable>(
    of header: OperationHeader, _ operation: UAFOperation, settings: ClientSettings, over transport: inout Wire
  ) throws(Refusal) -> AppIDClaim {
    let facetID = settings.facetID
    guard let appID = header.appID, !appID.isEmpty, !appID.isIdentical(to: facetID) else { return .settled(facetID) }
    guard let address = settings.address(appID) else { throw untrusted("the AppID is neither https nor our own") }
    if let origin = HTTPSAddress(facetID), origin.host == address.host { return .settled(appID) }
    guard settings.mayAsk(appID, of: settings.endpoint(for: operation)) else {
      throw untrusted("the AppID has another host or port than the server and is not in server.app_ids")
    }
    try ask(appID, over: &transport)
    return .listed(appID, address, header.upv)
  }

  /// The AppID to use for a request, once this client is known to be one of its facets.
  mutating func appID<Wire: Transport & ~Copyable>(
    by claim: AppIDClaim, _ operation: UAFOperation, settings: ClientSettings, over transport: inout Wire
  ) throws(Refusal) -> String {
    let (appID, address, version): (String, HTTPSAddress, UPV)
    switch claim {
    case .settled(let known): return known
    case .listed(let named, let place, let spoken): (appID, address, version) = (named, place, spoken)
    }
    let body = try listOfFacets(settings.endpoint(for: operation), settings: settings, over: &transport)
    let list: TrustedFacetList
    do {
      list = try TrustedFacetList(parsing: body)
    } catch {
      throw unread("the list of facets: \(error.description)")
    }
    let isTrusted = list.trusts(
      settings.facetID, version: version, appID: address, isSameSite: RegistrableDomain.isShared(by:_:))
    guard isTrusted else { throw untrusted(Self.fault(of: list, for: version)) }
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

  /// Takes the list that was asked for, following redirects the server vouches for.
  ///
  /// Each stop has to be one that may be asked. A list is used once and kept nowhere, so none is ever older than its
  /// server allows.
  private mutating func listOfFacets<Wire: Transport & ~Copyable>(
    _ endpoint: ServerEndpoint, settings: ClientSettings, over transport: inout Wire
  ) throws(Refusal) -> [UInt8] {
    for redirects in 0...Self.maximumRedirects {
      let response = try hear(over: &transport)
      if (300...399).contains(response.status) {
        guard let redirect = response.redirect, redirect.isAuthorized else {
          throw untrusted("the AppID redirects without FIDO-AppID-Redirect-Authorized")
        }
        guard settings.mayAsk(redirect.url, of: endpoint) else {
          throw untrusted("the AppID redirects to another host or port than the server's")
        }
        if redirects < Self.maximumRedirects { try ask(redirect.url, over: &transport) }
        continue
      }
      guard response.status == 200 else {
        throw unread("the list of facets came with HTTP status \(response.status)")
      }
      guard MediaType.matches(response.contentType, [TrustedFacetList.contentType]) else {
        throw unread("the list of facets is not \(TrustedFacetList.contentType)")
      }
      return response.body
    }
    throw untrusted("the AppID redirects more than \(Self.maximumRedirects) times")
  }

  private mutating func ask<Wire: Transport & ~Copyable>(_ url: String, over transport: inout Wire) throws(Refusal) {
    do { try transport.begin(.get(url, accept: TrustedFacetList.contentType)) } catch { throw noList(error) }
  }

  private mutating func hear<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal)
    -> TransportResponse
  {
    do { return try transport.finish() } catch { throw noList(error) }
  }

  /// Without a list this client is not trusted.
  ///
  /// That our own network program is gone is another failure.
  private mutating func noList(_ failure: TransportFailure) -> Refusal {
    if failure == .unavailable { return noAnswer(failure) }
    return refusal(
      .untrustedFacet, "the list of facets cannot be fetched: \(failure.description)", because: .facetsNotRead)
  }

  /// What came is no list, so it is unknown whether it would name us.
  private func unread(_ detail: String) -> Refusal {
    refusal(ofServer: .untrustedFacet, detail, because: .facetsNotRead)
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
