import UAFConfiguration
import UAFWire

/// The server: reachable from here, with a certificate this configuration trusts.
struct ServerCheck {
  let server: ServerSettings
  let owner: UInt32
  let exchange: (FetchRequest) -> FetchResponse?

  // Long enough for any server that logins could wait for.
  private static let longestMilliseconds: UInt32 = 10_000

  func findings() -> [Finding] {
    let authorities: String?
    do throws(ConfigurationFileProblem) {
      authorities = try readAuthorities()
    } catch {
      let path = server.certificateAuthorityFile ?? ""
      return [.failure(.serverAuthorities, ServerText.authorities(path: path, error))]
    }
    let facet = Finding.ok(ServerText.facet(server.facetID))
    return [facet] + addresses().flatMap { findings($0, authorities: authorities) }
  }

  private func readAuthorities() throws(ConfigurationFileProblem) -> String? {
    guard let path = server.certificateAuthorityFile else { return nil }
    let bytes = try ConfigurationFile.read(path: path, requiredOwner: owner)
    guard bytes.count <= WireLimit.certificateAuthorities, !bytes.contains(0) else { throw .tooLarge }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// One address for each server that is named, in the order of the file's sections.
  private func addresses() -> [String] {
    let urls = [
      server.requestURL, server.responseURL, server.registration.requestURL, server.registration.responseURL,
      server.authentication.requestURL, server.authentication.responseURL, server.deregistration.requestURL,
    ]
    var addresses: [String] = []
    for url in urls.compactMap({ $0 }) {
      let host = url.host.contains(":") ? "[\(url.host)]" : url.host
      let address = "\(url.isSecure ? "https" : "http")://\(host):\(url.port)"
      if !addresses.contains(address) { addresses.append(address) }
    }
    return addresses
  }

  private func findings(_ address: String, authorities: String?) -> [Finding] {
    let timeout = UInt32(clamping: server.timeout.components.seconds * 1000)
    var request = FetchRequest(
      .get, url: address + "/health", timeoutMilliseconds: max(1, min(timeout, Self.longestMilliseconds)))
    request.certificateAuthorities = authorities
    request.proxy = server.proxy?.text
    if !server.verifiesTLS { request.skipsVerification = true }
    guard let response = exchange(request) else {
      return [.failure(.serverUnreachable, ServerText.noWork(address: address))]
    }
    return [verdict(response, about: address)] + sandbox(response)
  }

  private func verdict(_ response: FetchResponse, about address: String) -> Finding {
    guard response.outcome == .answered else {
      return .failure(
        .serverUnreachable, ServerText.failed(address: address, response.outcome, detail: response.detail))
    }
    return .ok(
      ServerText.answers(address: address, status: UInt32(response.status), isVerified: server.verifiesTLS))
  }

  private func sandbox(_ response: FetchResponse) -> [Finding] {
    guard let missing = response.missing else { return [] }
    return [.warning(.kernelFetch, ServerText.fetchLacks(missing))]
  }
}
