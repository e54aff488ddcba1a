import UAFCrypto
import UAFMessages

/// Who the server is to its clients: what a final challenge must name.
struct ServerIdentity: Sendable {
  /// The base URL clients use, without a slash at its end.
  let publicURL: String
  /// The applications that may use the AppID.
  let trustedFacets: TrustedFacetList
  /// The server's own certificate, DER; nil in front of a proxy that ends TLS.
  let certificate: [UInt8]?
  /// Its `serverEndPoint` hash.
  let serverEndPoint: [UInt8]?

  /// The AppID: where the trusted facets are listed.
  var appID: String { "\(publicURL)/uaf/facets" }

  init(publicURL: String, facets: [String], certificate: [UInt8]?) throws(CryptoError) {
    self.publicURL = publicURL
    trustedFacets = TrustedFacetList(
      trustedFacets: UPV.supported.map { TrustedFacetList.TrustedFacets(version: $0, ids: facets) })
    self.certificate = certificate
    if let certificate {
      serverEndPoint = try X509.serverEndPoint(der: certificate)
    } else {
      serverEndPoint = nil
    }
  }

  /// The application of this project's PAM module.
  static let pamModuleFacet = "linux:pam-module:pam_uaf"
}
