import COpenSSL
import Glibc
import SecretMemory

/// The steps of making an X.509 certificate with OpenSSL.
@unsafe enum CertificateBuilder {
  /// Makes and signs a certificate; the caller frees it.
  ///
  /// - Parameter issuer: nil for a certificate that signs itself.
  static func make(
    commonName: String, validity: ClosedRange<Int64>, key: OpaquePointer, issuer: OpaquePointer?,
    issuerKey: OpaquePointer, extensions: [(CInt, String)]
  ) throws(CryptoError) -> OpaquePointer {
    // SAFETY: handed to the caller on success, freed here on every other path.
    guard let certificate = unsafe X509_new() else { throw OpenSSLQueue.failure(.outOfMemory) }
    do throws(CryptoError) {
      try unsafe setSerialNumber(of: certificate)
      let subject = unsafe X509_get_subject_name(certificate)
      let name = Array(commonName.utf8)
      // SAFETY: version 2 means X.509 v3; the name's bytes are copied.
      guard unsafe X509_set_version(certificate, 2) == 1,
        unsafe X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, CInt(name.count), -1, 0) == 1,
        unsafe X509_set_issuer_name(certificate, issuer == nil ? subject : X509_get_subject_name(issuer)) == 1,
        unsafe ASN1_TIME_set(X509_getm_notBefore(certificate), Int(validity.lowerBound)) != nil,
        unsafe ASN1_TIME_set(X509_getm_notAfter(certificate), Int(validity.upperBound)) != nil,
        unsafe X509_set_pubkey(certificate, key) == 1
      else { throw CryptoError.unavailable(.certificate) }
      for (identifier, value) in extensions {
        try unsafe add(identifier, value, to: certificate, issuer: issuer ?? certificate)
      }
      guard unsafe X509_sign(certificate, issuerKey, EVP_sha256()) > 0 else {
        throw CryptoError.unavailable(.certificate)
      }
    } catch {
      unsafe X509_free(certificate)
      throw OpenSSLQueue.failure(error)
    }
    return unsafe certificate
  }

  /// The certificate in PEM.
  static func pem(certificate: OpaquePointer) throws(CryptoError) -> [UInt8] {
    // SAFETY: the BIO is ours until the `defer`, and its bytes are copied before.
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw OpenSSLQueue.failure(.outOfMemory) }
    defer { unsafe BIO_free(bio) }
    var text: UnsafeMutableRawPointer?
    guard unsafe PEM_write_bio_X509(bio, certificate) == 1 else {
      throw OpenSSLQueue.failure(.unavailable(.certificate))
    }
    let length = unsafe BIO_ctrl(bio, BIO_CTRL_INFO, 0, &text)
    guard let text = unsafe text, length > 0 else { throw OpenSSLQueue.failure(.unavailable(.certificate)) }
    return unsafe Array(UnsafeRawBufferPointer(start: text, count: length))
  }

  /// The private key in PEM.
  ///
  /// OpenSSL clears a memory BIO when it frees it.
  static func pem(privateKey: OpaquePointer) throws(CryptoError) -> Secret {
    // SAFETY: as above.
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw OpenSSLQueue.failure(.outOfMemory) }
    defer { unsafe BIO_free(bio) }
    var text: UnsafeMutableRawPointer?
    guard unsafe PEM_write_bio_PKCS8PrivateKey(bio, privateKey, nil, nil, 0, nil, nil) == 1 else {
      throw OpenSSLQueue.failure(.unavailable(.certificate))
    }
    let length = unsafe BIO_ctrl(bio, BIO_CTRL_INFO, 0, &text)
    guard let text = unsafe text, length > 0 else { throw OpenSSLQueue.failure(.unavailable(.certificate)) }
    do {
      return try unsafe Secret(count: length) {
        unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: text, count: length))
      }
    } catch { throw CryptoError(error) }
  }

  /// 127 random bits, as the CA/Browser Forum's 64 and RFC 5280's "positive" ask for.
  private static func setSerialNumber(of certificate: OpaquePointer) throws(CryptoError) {
    var bytes = try RandomBytes.make(16)
    bytes[0] = bytes[0] & 0x7F | 0x40
    // SAFETY: the number is ours until the `defer`; the certificate keeps a copy.
    let number = unsafe BN_bin2bn(bytes, CInt(bytes.count), nil)
    defer { unsafe BN_free(number) }
    guard unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil else {
      throw .unavailable(.certificate)
    }
  }

  private static func add(
    _ identifier: CInt, _ value: String, to certificate: OpaquePointer, issuer: OpaquePointer
  ) throws(CryptoError) {
    // SAFETY: a structure of C, all zero, which X509V3_set_ctx fills.
    var context = unsafe X509V3_CTX()
    // SAFETY: the context borrows both certificates for the length of this function.
    unsafe X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
    guard let ext = unsafe X509V3_EXT_conf_nid(nil, &context, identifier, value) else {
      throw .unavailable(.certificate)
    }
    defer { unsafe X509_EXTENSION_free(ext) }
    guard unsafe X509_add_ext(certificate, ext, -1) == 1 else { throw .unavailable(.certificate) }
  }
}

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
  /// Checked, because a comma in a name would start a further name.
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
