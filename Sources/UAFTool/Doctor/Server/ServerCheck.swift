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
      return [
        .failure(
          .serverAuthorities, "server: ca_file \(server.certificateAuthorityFile ?? ""): \(error)",
          do: "correct ca_file")
      ]
    }
    let facet = Finding.ok("facet: \(server.facetID), which the server's list has to have (uafctl facet)")
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
      return [
        .failure(
          .serverUnreachable, "server: \(address): uaf-fetch did not do its work",
          do: "the log says why; reinstall pam-uaf")
      ]
    }
    return [verdict(response, about: address)] + sandbox(response)
  }

  private func verdict(_ response: FetchResponse, about address: String) -> Finding {
    guard response.outcome == .answered else {
      let detail = response.detail.map { " (\($0))" } ?? ""
      return .failure(
        .serverUnreachable, "server: \(address): \(Self.text(response.outcome))\(detail)",
        do: Self.remedy(response.outcome))
    }
    let certificate = server.verifiesTLS ? "its certificate is trusted" : "its certificate was not checked"
    return .ok("server: \(address) answers (status \(response.status)), \(certificate)")
  }

  private func sandbox(_ response: FetchResponse) -> [Finding] {
    guard let missing = response.missing else { return [] }
    return [
      .warning(
        .kernelFetch, "fetch: its sandbox lacks \(missing) (feature and error number)",
        do: "logins work, with one wall less around the network; a newer kernel has it")
    ]
  }

  private static func text(_ outcome: FetchOutcome) -> String {
    switch outcome {
    case .answered: "answered"
    case .nameNotResolved: "the name cannot be resolved"
    case .refused: "no connection"
    case .timedOut: "no answer within the time"
    case .tlsFailed: "no TLS"
    case .certificateRefused: "its certificate is not trusted"
    case .tooLarge: "its answer is too large"
    case .connectionLost: "the connection was lost"
    case .unacceptableRequest: "not an address uaf-fetch goes to"
    case .stalled: "connected, and no TLS within the time"
    case .ownMeans: "this machine lacks what a connection needs"
    case .other: "failed"
    }
  }

  private static func remedy(_ outcome: FetchOutcome) -> String {
    switch outcome {
    case .nameNotResolved: "check request_url, and the machine's name service"
    case .refused, .timedOut, .connectionLost: "check request_url, the server, and what lies between"
    case .stalled: "check the server, and what accepts connections in its place"
    case .ownMeans: "look for limits on processes, descriptors and memory, and for who uses them up"
    case .tlsFailed: "the server must speak TLS 1.2 or newer"
    case .certificateRefused: "name the server's authority with ca_file, or have the certificate corrected"
    case .unacceptableRequest: "request_url and response_url must begin with https://"
    case .answered, .tooLarge, .other: "look into the server's log"
    }
  }
}
