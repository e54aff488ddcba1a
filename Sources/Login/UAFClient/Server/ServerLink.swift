import CPSL
import FidoResults
import UAFMessages
import WebAuthn

/// What one flow has learned about the server so far, and how a failure becomes a ``Refusal``.
struct ServerLink: Sendable {
  /// Whether a TLS handshake has been completed since the flow began.
  private(set) var handshakeCompleted = false

  /// The certificate that came with the last answer that had one.
  private(set) var certificate: [UInt8] = []

  mutating func begin<Wire: Transport & ~Copyable>(
    _ request: TransportRequest, over transport: inout Wire
  ) throws(Refusal) {
    do {
      try transport.begin(request)
    } catch {
      throw noAnswer(error)
    }
  }

  mutating func finish<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> TransportResponse {
    do throws(TransportFailure) {
      return try taken(over: &transport)
    } catch {
      throw noAnswer(error)
    }
  }

  private mutating func taken<Wire: Transport & ~Copyable>(
    over transport: inout Wire
  ) throws(TransportFailure) -> TransportResponse {
    let response = try transport.finish()
    handshakeCompleted = true
    if !response.serverCertificate.isEmpty { certificate = response.serverCertificate }
    return response
  }

  /// The maximum number of times that a request is sent, if its connection is closed each time before an answer arrives.
  private static let mostQuestions = 4

  /// Receives the answer to a request that may be repeated.
  ///
  /// If the server closes the connection before it answers, the request is sent again.
  ///
  /// A server closes connections if it has too many, which strangers can cause.
  mutating func finish<Wire: Transport & ~Copyable>(
    repeating question: TransportRequest, over transport: inout Wire
  ) throws(Refusal) -> TransportResponse {
    for _ in 1..<Self.mostQuestions {
      if let response = try finish(orAskAgain: question, over: &transport) { return response }
    }
    return try finish(over: &transport)
  }

  /// Receives the answer to a request that may be repeated.
  ///
  /// - Returns: nil if the server closed the connection before it answered; the request has then been sent again.
  mutating func finish<Wire: Transport & ~Copyable>(
    orAskAgain question: TransportRequest, over transport: inout Wire
  ) throws(Refusal) -> TransportResponse? {
    do throws(TransportFailure) {
      return try taken(over: &transport)
    } catch {
      guard error == .afterHandshake(.connectionLost) else { throw noAnswer(error) }
      handshakeCompleted = true
    }
    try begin(question, over: &transport)
    return nil
  }

  /// The refusal for a request to which no answer arrived.
  mutating func noAnswer(_ failure: TransportFailure) -> Refusal {
    let refusal = Refusal(failure, handshakeCompleted: handshakeCompleted)
    handshakeCompleted = refusal.handshakeCompleted
    return refusal
  }

  // MARK: Refusals

  /// A failure that was found on this machine, not reported by the server.
  func refusal(_ result: FidoResult, _ detail: String, because cause: EndCause? = nil) -> Refusal {
    Refusal(result, spokenByServer: false, handshakeCompleted: handshakeCompleted, cause: cause, detail: detail)
  }

  /// The refusal for a message of the server that is not acceptable.
  func refusal(ofServer result: FidoResult, _ detail: String, because cause: EndCause? = nil) -> Refusal {
    Refusal(result, spokenByServer: true, handshakeCompleted: handshakeCompleted, cause: cause, detail: detail)
  }

  /// The refusal of a relying party.
  ///
  /// - Parameter text: the relying party's text, of any length and with any characters.
  func refusal(ofRelyingParty text: String?, httpStatus: Int) -> Refusal {
    let words = text.map { Text.cleaned($0) } ?? ""
    return Refusal(
      .unknown, spokenByServer: true, handshakeCompleted: handshakeCompleted, serverText: words.isEmpty ? nil : words,
      httpStatus: httpStatus, saysPlainNo: true, detail: "the server said no (HTTP status \(httpStatus))")
  }

  /// The refusal for a message of a relying party that could not be understood.
  func refusal(_ error: WebAuthnError) -> Refusal {
    if case .json = error { return refusal(ofServer: .jsonParser, error.description) }
    return refusal(ofServer: .invalidParameter, error.description)
  }

  /// The refusal of a server in the plain dialect: its success member had a different value.
  func refusal(plainNo value: String, of member: String) -> Refusal {
    Refusal(
      .unknown, spokenByServer: true, handshakeCompleted: handshakeCompleted, saysPlainNo: true,
      detail: "the server refused: its '\(member)' is '\(Text.cleaned(value))'")
  }

  /// The refusal for a UAF status of the server other than success.
  func refusal(status: UAFStatusCode, text: String?, operation: UAFOperation) -> Refusal {
    let result: FidoResult =
      status.rawValue >= FidoResult.firstServerCode
      ? FidoResult(code: status.rawValue)
      : FidoResult(uafStatus: Int(status.rawValue), deregistering: operation == .deregistration)
    let words = text.map { Text.cleaned($0) } ?? ""
    return Refusal(
      result, spokenByServer: true, handshakeCompleted: handshakeCompleted, serverText: words.isEmpty ? nil : words,
      serverStatus: status.rawValue, detail: "the server replied with status \(status.rawValue)")
  }

  /// The refusal for a message of the server that could not be understood.
  func refusal(_ error: MessageError) -> Refusal {
    let result: FidoResult =
      switch error {
      case .json, .tlv: .jsonParser
      case .unsupportedVersion: .unsupportedVersion
      case .missing, .wrongType, .outOfRange, .notBase64URL, .repeatedVersion, .wrongOperation, .unknownExtension:
        .invalidParameter
      }
    return refusal(ofServer: result, error.description)
  }

  // MARK: Names

  /// Throws unless the name consists of visible ASCII, as names at a server must.
  ///
  /// A name from a PAM host can contain anything.
  func checkUsername(_ username: String) throws(Refusal) {
    let name = username.utf8
    guard !name.isEmpty else { throw refusal(.emptyUsername, "the user name is empty") }
    guard name.count <= 128, name.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw refusal(.invalidUsername, "the user name is too long or has characters that are not allowed")
    }
  }

  // MARK: Bodies

  /// The transport body of an HTTP response, if its status and type are right.
  ///
  /// With an HTTP status other than 200, the body is only used if it is a refusal: a success needs 200.
  func body<Body: JSONRepresentable>(
    _ type: Body.Type, of response: TransportResponse, _ types: [String], operation: UAFOperation,
    status: (Body) -> (UAFStatusCode, text: String?, seen: SeenCounter?)
  ) throws(Refusal) -> Body {
    guard MediaType.matches(response.contentType, types) else {
      throw httpRefusal(response, "is not a UAF message", isNoUAF: true)
    }
    let body: Body
    do {
      body = try Body(parsing: response.body)
    } catch {
      guard response.status == 200 else { throw httpRefusal(response, "is not a UAF message", isNoUAF: true) }
      throw refusal(error)
    }
    let (code, text, seen) = status(body)
    guard code == .ok else {
      var refusal = refusal(status: code, text: text, operation: operation)
      refusal.seenCounter = seen
      throw refusal
    }
    guard response.status == 200 else { throw httpRefusal(response, "contradicts its body") }
    return body
  }

  /// The refusal for an answer that did not come from a UAF server.
  ///
  /// - Parameter isNoUAF: whether the refusal certainly did not come from a UAF server, because that would have sent a UAF
  ///   message.
  func httpRefusal(_ response: TransportResponse, _ fault: String, isNoUAF: Bool = false) -> Refusal {
    let hasFailed = response.status == 429 || (500...599).contains(response.status)
    // Only a proxy sends 407. A 403 without a UAF message may come from a proxy too, but in the plain dialect the server itself
    // may send it.
    let isOnTheWay = response.status == 407 || response.status == 403 && isNoUAF
    return Refusal(
      hasFailed ? .forbidden : .jsonParser, spokenByServer: true, handshakeCompleted: handshakeCompleted,
      httpStatus: response.status, cause: isOnTheWay ? .refusedOnTheWay : nil,
      detail: isOnTheWay
        ? "a proxy or a gateway in front of the server has refused the request (HTTP status \(response.status)); "
          + "have it pass the request on"
        : "the reply with HTTP status \(response.status) \(fault); check the addresses in the configuration")
  }
}

extension ServerLink {
  /// What is known about the AppID of a UAF request before its list of facets has been read.
  enum AppIDClaim: Sendable {
    /// This client may use the AppID.
    case settled(String)
    /// The list of facets at this address was asked for. It must name this client for this version of the message.
    case listed(String, HTTPSAddress, UPV)
  }

  /// Finds the AppID of a UAF request.
  ///
  /// If its list of facets must be read, asks for the list, without waiting for it.
  ///
  /// FIDO AppID and facets 1.1, section 3.1.2:
  /// - If there is no AppID, or it is our own FacetID, the FacetID is the AppID.
  /// - If it is an https AppID on the host of an https FacetID of ours, no list is needed.
  /// - If it is any other https AppID, its list is fetched for this request, and must name us for the message's version.
  /// - Any other AppID belongs to a different client, and is refused.
  mutating func claim<Wire: Transport & ~Copyable>(
    of header: OperationHeader, _ operation: UAFOperation, settings: ClientSettings, over transport: inout Wire
  ) throws(Refusal) -> AppIDClaim {
    let facetID = settings.facetID
    guard let appID = header.appID, !appID.isEmpty, !appID.isIdentical(to: facetID) else { return .settled(facetID) }
    guard let address = settings.address(appID) else { throw untrusted("the AppID is neither https nor our own") }
    if let origin = HTTPSAddress(facetID), origin.host == address.host { return .settled(appID) }
    guard settings.mayAsk(appID, of: settings.endpoint(for: operation)) else {
      throw untrusted("the AppID has a different host or port from the server, and is not in server.app_ids")
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

  /// Why the list does not trust this client, as a hint for the list's administrator.
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

  /// Receives the list of facets.
  ///
  /// Redirects are followed if the server marks them as authorised for this.
  ///
  /// Every redirect must lead to an address from which this machine may fetch (``mayAsk(_:of:)``). A list is used once and not
  /// stored, so it is never older than its server allows.
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
          throw untrusted("the AppID redirects to a host or port that is not the server's")
        }
        if redirects < Self.maximumRedirects { try ask(redirect.url, over: &transport) }
        continue
      }
      guard response.status == 200 else {
        throw unread("the list of facets came with HTTP status \(response.status)")
      }
      guard MediaType.matches(response.contentType, [TrustedFacetList.contentType]) else {
        let type = MediaType.essence(of: response.contentType)
        throw unread(
          "the list of facets came as '\(Text.cleaned(type, limit: 64))'; have the server send the media type "
            + TrustedFacetList.contentType)
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

  /// The refusal if no list could be fetched: without a list, this client is not trusted.
  ///
  /// But if our own network program is gone, that is reported instead.
  private mutating func noList(_ failure: TransportFailure) -> Refusal {
    if failure == .unavailable { return noAnswer(failure) }
    return refusal(
      .untrustedFacet, "the list of facets cannot be fetched: \(failure.description)", because: .facetsNotRead)
  }

  /// The refusal for an answer that is not a list of facets, so that it is unknown whether the list would name this client.
  private func unread(_ detail: String) -> Refusal {
    refusal(ofServer: .untrustedFacet, detail, because: .facetsNotRead)
  }

  private func untrusted(_ detail: String) -> Refusal { refusal(ofServer: .untrustedFacet, detail) }

  private static let maximumRedirects = 3
}

extension ClientSettings {
  /// Whether this machine may fetch an address that a server named as an AppID, or as a redirect from one.
  ///
  /// It may, if the host and port are those that root has configured for this operation, or the address is on root's separate
  /// list. FIDO allows any https address, but a server must not be able to use this machine to probe networks that it cannot
  /// reach itself.
  func mayAsk(_ url: String, of endpoint: ServerEndpoint) -> Bool {
    guard let asked = address(url) else { return false }
    if appIDs.contains(where: { $0.isIdentical(to: url) }) { return true }
    return [endpoint.requestURL, endpoint.responseURL].compactMap(address).contains { server in
      server.host == asked.host && server.port == asked.port
    }
  }
}

/// The part of a host name that its owner registered: the public suffix and one more label.
enum RegistrableDomain {
  /// The registrable domain of a name; nil in the same cases as for an address.
  static func of(name: String) -> String? { HTTPSAddress("https://\(name)/").flatMap { of($0) } }

  /// The registrable domain of a URL's host; nil for IP addresses, names of one label, and public suffixes themselves.
  ///
  /// This uses the public suffix list that is built into libpsl and that the distribution maintains: no file is read, and no
  /// server is contacted. If no suffix in the list matches, the last label counts as the suffix.
  static func of(_ address: HTTPSAddress) -> String? {
    guard address.hasDomain else { return nil }
    // SAFETY: the list lives as long as the process; the result points into `host`, or is NULL.
    return unsafe address.host.withCString { host in
      guard let list = unsafe psl_builtin(), let domain = unsafe psl_registrable_domain(list, host) else { return nil }
      return unsafe String(cString: domain)
    }
  }

  /// Whether two hosts have the same registrable domain.
  ///
  /// A host without one only matches itself.
  static func isShared(by first: HTTPSAddress, _ second: HTTPSAddress) -> Bool {
    if first.host == second.host { return true }
    guard let domain = of(first) else { return false }
    return domain == of(second)
  }
}
