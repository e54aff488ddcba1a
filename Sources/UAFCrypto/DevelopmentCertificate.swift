import COpenSSL
import Glibc
import SecretMemory

/// A private certificate authority of one certificate, for development and demonstrations.
///
/// The authority's key is dropped once it has signed: a client that trusts its certificate trusts this server
/// certificate, and none that could be issued later.
public struct DevelopmentCertificate: ~Copyable {
  /// The authority's certificate, PEM: clients are configured to trust it.
  public let authorityPEM: [UInt8]
  /// The server's certificate, PEM.
  public let certificatePEM: [UInt8]
  /// The server's private key, PEM (PKCS #8, not encrypted).
  public let privateKeyPEM: Secret

  /// Makes an authority and a server certificate, both ECDSA P-256 with SHA-256.
  ///
  /// - Parameters:
  ///   - commonName: 1 to 64 characters; shown to people, matched by nobody.
  ///   - dnsNames: ASCII letters, digits, dots and hyphens.
  ///   - ipAddresses: IPv4 or IPv6 in text.
  ///   - notBefore: seconds since 1970, UTC.
  ///   - notAfter: seconds since 1970, UTC, after `notBefore`.
  /// - Throws: ``CryptoError/invalidParameter(_:)``, ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public static func make(
    commonName: String, dnsNames: [String], ipAddresses: [String], notBefore: Int64, notAfter: Int64
  ) throws(CryptoError) -> DevelopmentCertificate {
    guard (1...64).contains(commonName.utf8.count), notBefore >= 0, notBefore < notAfter else {
      throw .invalidParameter(.certificate)
    }
    let names = try alternativeNames(dnsNames: dnsNames, ipAddresses: ipAddresses)
    // SAFETY: every object is ours until its `defer`.
    guard let authorityKey = unsafe uaf_generate_p256() else {
      throw OpenSSLQueue.failure(.unavailable(.certificate))
    }
    defer { unsafe EVP_PKEY_free(authorityKey) }
    guard let serverKey = unsafe uaf_generate_p256() else {
      throw OpenSSLQueue.failure(.unavailable(.certificate))
    }
    defer { unsafe EVP_PKEY_free(serverKey) }
    let validity = notBefore...notAfter
    let authority = try unsafe CertificateBuilder.make(
      commonName: "\(commonName.prefix(40)) development CA", validity: validity, key: authorityKey,
      issuer: nil, issuerKey: authorityKey, extensions: authorityExtensions)
    defer { unsafe X509_free(authority) }
    let server = try unsafe CertificateBuilder.make(
      commonName: commonName, validity: validity, key: serverKey, issuer: authority,
      issuerKey: authorityKey, extensions: serverExtensions + [(NID_subject_alt_name, names)])
    defer { unsafe X509_free(server) }
    return try unsafe DevelopmentCertificate(
      authorityPEM: CertificateBuilder.pem(certificate: authority),
      certificatePEM: CertificateBuilder.pem(certificate: server),
      privateKeyPEM: CertificateBuilder.pem(privateKey: serverKey))
  }

  // The key identifier comes before the authority's, which is copied from the issuer.
  private static let authorityExtensions: [(CInt, String)] = [
    (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
    (NID_subject_key_identifier, "hash"),
  ]
  private static let serverExtensions: [(CInt, String)] = [
    (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
    (NID_ext_key_usage, "serverAuth"), (NID_subject_key_identifier, "hash"),
    (NID_authority_key_identifier, "keyid:always"),
  ]

  /// The names in OpenSSL's notation.
  ///
  /// Checked, because a comma in a name would become another name.
  private static func alternativeNames(
    dnsNames: [String], ipAddresses: [String]
  ) throws(CryptoError) -> String {
    var names: [String] = []
    for name in dnsNames {
      let isPlain = name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || byte == 0x2E || byte == 0x2D
      }
      guard isPlain, (1...253).contains(name.utf8.count) else { throw .invalidParameter(.certificate) }
      names.append("DNS:\(name)")
    }
    for address in ipAddresses {
      var storage = in6_addr()
      // SAFETY: `storage` has room for either kind of address.
      let isAddress = unsafe inet_pton(AF_INET, address, &storage) == 1 || inet_pton(AF_INET6, address, &storage) == 1
      guard isAddress else { throw .invalidParameter(.certificate) }
      names.append("IP:\(address)")
    }
    guard !names.isEmpty else { throw .invalidParameter(.certificate) }
    return names.joined(separator: ",")
  }
}
