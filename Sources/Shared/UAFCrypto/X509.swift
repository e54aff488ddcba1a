import COpenSSL
import Glibc

/// What the two sides need to know about X.509 certificates.
public enum X509 {
  /// The most certificates read from one PEM text.
  public static let maximumChain = 8

  /// The `serverEndPoint` hash of a TLS server's certificate (RFC 5929, section 4.1; `ChannelBinding` of UAF protocol 1.1).
  ///
  /// The hash function is that of the certificate's own signature, with SHA-256 instead of MD5 and SHA-1.
  ///
  /// - Parameter der: one certificate, nothing after it.
  /// - Throws: ``CryptoError/invalidCertificate``; ``CryptoError/unavailable(_:)`` for a signature without a hash
  ///   function of its own (such as Ed25519), for which the RFC defines no value.
  public static func serverEndPoint(der: [UInt8]) throws(CryptoError) -> [UInt8] {
    var identifier = try signatureHash(der: der)
    if identifier == NID_md5 || identifier == NID_sha1 { identifier = NID_sha256 }
    // SAFETY: the name and the function are constants of OpenSSL.
    guard let function = unsafe EVP_get_digestbyname(OBJ_nid2sn(identifier)) else {
      throw OpenSSLQueue.failure(.unavailable(.certificate))
    }
    var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: CUnsignedInt = 0
    // SAFETY: `hash` has room for the longest digest OpenSSL knows.
    guard unsafe EVP_Digest(der, der.count, &hash, &length, function, nil) == 1 else {
      throw OpenSSLQueue.failure(.unavailable(.certificate))
    }
    return Array(hash.prefix(Int(length)))
  }

  /// The certificates of a PEM text in its order, each as DER.
  ///
  /// - Throws: ``CryptoError/invalidCertificate`` if there is none, more than ``maximumChain``, or one that is
  ///   broken or encrypted; nobody is asked for a password.
  public static func certificates(pem: [UInt8]) throws(CryptoError) -> [[UInt8]] {
    guard let length = CInt(exactly: pem.count), length > 0 else { throw .invalidCertificate }
    // SAFETY: the BIO copies the bytes it is given; it is ours until the `defer`.
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw OpenSSLQueue.failure(.outOfMemory) }
    defer { unsafe BIO_free(bio) }
    guard unsafe BIO_write(bio, pem, length) == length else { throw OpenSSLQueue.failure(.outOfMemory) }
    var chain: [[UInt8]] = []
    while let certificate = unsafe PEM_read_bio_X509(bio, nil, PEMPassword.refuse, nil) {
      // SAFETY: freed at the end of each turn.
      defer { unsafe X509_free(certificate) }
      guard chain.count < maximumChain else { throw .invalidCertificate }
      chain.append(try unsafe der(of: certificate))
    }
    // The loop ends with "no start line" at the end of the text, and with another reason before it.
    let isAtEnd = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
    guard isAtEnd, !chain.isEmpty else { throw OpenSSLQueue.failure(.invalidCertificate) }
    OpenSSLQueue.clear()
    return chain
  }

  /// The only certificate of a PEM text, as DER, with or without OpenSSL's additional trust restrictions.
  ///
  /// - Throws: ``CryptoError/invalidCertificate`` if there is none; nobody is asked for a password.
  public static func authority(pem: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard let length = CInt(exactly: pem.count), length > 0 else { throw .invalidCertificate }
    // SAFETY: the BIO copies the bytes it is given; both objects are ours until their `defer`.
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw OpenSSLQueue.failure(.outOfMemory) }
    defer { unsafe BIO_free(bio) }
    guard unsafe BIO_write(bio, pem, length) == length else { throw OpenSSLQueue.failure(.outOfMemory) }
    if let usual = unsafe usualCertificate(in: bio) { return usual }
    // Everything else is OpenSSL's own decision.
    OpenSSLQueue.clear()
    unsafe BIO_ctrl(bio, BIO_CTRL_RESET, 0, nil)
    guard unsafe BIO_write(bio, pem, length) == length else { throw OpenSSLQueue.failure(.outOfMemory) }
    guard let certificate = unsafe PEM_read_bio_X509_AUX(bio, nil, PEMPassword.refuse, nil) else {
      throw OpenSSLQueue.failure(.invalidCertificate)
    }
    defer { unsafe X509_free(certificate) }
    return try unsafe der(of: certificate)
  }

  /// The first block of a text if it is a usual certificate, which is recognised without decoding its public key.
  @unsafe private static func usualCertificate(in bio: OpaquePointer) -> [UInt8]? {
    var length = 0
    // SAFETY: OpenSSL allocates the bytes, and they are freed after they were copied.
    guard let bytes = unsafe uaf_usual_certificate(bio, &length) else { return nil }
    defer { unsafe CRYPTO_free(bytes, nil, 0) }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: length))
  }

  /// Whether a certificate names a host, without regard to its issuer: a DNS name, or an address as text without
  /// brackets.
  ///
  /// - Throws: ``CryptoError/invalidCertificate``.
  public static func isFor(_ host: String, der: [UInt8]) throws(CryptoError) -> Bool {
    // SAFETY: the certificate is ours until the `defer`; the text is lent for each call.
    let certificate = try unsafe parse(der)
    defer {
      unsafe X509_free(certificate)
      OpenSSLQueue.clear()
    }
    if unsafe X509_check_ip_asc(certificate, host, 0) == 1 { return true }
    return unsafe X509_check_host(certificate, host, host.utf8.count, 0, nil) == 1
  }

  /// Whether an authority has signed a certificate: its name is that of the issuer, and its key fits the signature.
  ///
  /// Nothing else about the two is checked, such as their times.
  ///
  /// - Parameters:
  ///   - authority: DER, nothing after it.
  ///   - der: one certificate, nothing after it.
  /// - Throws: ``CryptoError/invalidCertificate``.
  public static func isIssued(by authority: [UInt8], der: [UInt8]) throws(CryptoError) -> Bool {
    // SAFETY: both certificates are ours until their `defer`; the key belongs to the issuer.
    let certificate = try unsafe parse(der)
    defer { unsafe X509_free(certificate) }
    let issuer = try unsafe parse(authority)
    defer {
      unsafe X509_free(issuer)
      OpenSSLQueue.clear()
    }
    guard unsafe X509_check_issued(issuer, certificate) == X509_V_OK, let key = unsafe X509_get0_pubkey(issuer) else {
      return false
    }
    return unsafe X509_verify(certificate, key) == 1
  }

  /// Whether OpenSSL lets this certificate issue others: it is an authority by its extensions, or old enough to have none.
  ///
  /// - Parameter der: one certificate, nothing after it.
  /// - Returns: false too if it cannot be read.
  public static func isAuthority(der: [UInt8]) -> Bool {
    // SAFETY: the certificate is ours until the `defer`.
    guard let certificate = try? unsafe parse(der) else { return false }
    defer {
      unsafe X509_free(certificate)
      OpenSSLQueue.clear()
    }
    return unsafe X509_check_ca(certificate) != 0
  }

  /// Whether these bytes are one certificate, and nothing after it.
  public static func isCertificate(_ der: [UInt8]) -> Bool {
    // SAFETY: a certificate that could be read is freed immediately.
    guard let certificate = try? unsafe parse(der) else { return false }
    unsafe X509_free(certificate)
    return true
  }

  /// The public key of a certificate that has not been verified, as DER.
  ///
  /// - Parameter der: one certificate, nothing after it.
  /// - Throws: ``CryptoError/invalidCertificate``.
  public static func uncheckedSubjectPublicKeyInfo(der: [UInt8]) throws(CryptoError) -> [UInt8] {
    // SAFETY: the certificate is ours until the `defer`.
    let certificate = try unsafe parse(der)
    defer { unsafe X509_free(certificate) }
    guard let key = unsafe subjectPublicKeyInfo(of: certificate) else {
      throw OpenSSLQueue.failure(.invalidCertificate)
    }
    return key
  }

  /// A certificate's public key, DER; nil if it cannot be encoded.
  @unsafe static func subjectPublicKeyInfo(of certificate: OpaquePointer) -> [UInt8]? {
    // SAFETY: OpenSSL allocates what it writes, and it is freed after it was copied.
    var output: UnsafeMutablePointer<UInt8>?
    let length = unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &output)
    guard length > 0, let output = unsafe output else { return nil }
    defer { unsafe CRYPTO_free(output, nil, 0) }
    return unsafe Array(UnsafeBufferPointer(start: output, count: Int(length)))
  }

  /// Parses one certificate; the caller frees it.
  @unsafe static func parse(_ der: [UInt8]) throws(CryptoError) -> OpaquePointer {
    // SAFETY: d2i moves its own copy of the pointer, within the array; bytes left over are refused.
    let (certificate, used): (OpaquePointer?, Int) = unsafe der.withUnsafeBufferPointer { buffer in
      var position = buffer.baseAddress
      let certificate = unsafe d2i_X509(nil, &position, buffer.count)
      guard let start = buffer.baseAddress, let end = unsafe position else { return unsafe (certificate, 0) }
      return unsafe (certificate, start.distance(to: end))
    }
    guard let certificate = unsafe certificate else { throw OpenSSLQueue.failure(.invalidCertificate) }
    guard used == der.count else {
      unsafe X509_free(certificate)
      throw .invalidCertificate
    }
    return unsafe certificate
  }

  /// The certificate's encoding.
  @unsafe static func der(of certificate: OpaquePointer) throws(CryptoError) -> [UInt8] {
    // SAFETY: the first call returns the length, the second fills that many bytes.
    let length = unsafe i2d_X509(certificate, nil)
    guard length > 0 else { throw OpenSSLQueue.failure(.invalidCertificate) }
    var der = [UInt8](repeating: 0, count: Int(length))
    let written = unsafe der.withUnsafeMutableBufferPointer { buffer in
      var position = buffer.baseAddress
      return unsafe i2d_X509(certificate, &position)
    }
    guard written == length else { throw OpenSSLQueue.failure(.invalidCertificate) }
    return der
  }
}

extension X509 {
  /// The seconds since 1970 between which a certificate is valid.
  ///
  /// - Parameter der: one certificate, nothing after it.
  /// - Throws: ``CryptoError/invalidCertificate``.
  public static func validity(der: [UInt8]) throws(CryptoError) -> ClosedRange<Int64> {
    // SAFETY: the certificate is ours until the `defer`; both times belong to it.
    let certificate = try unsafe parse(der)
    defer { unsafe X509_free(certificate) }
    let first = try unsafe seconds(X509_get0_notBefore(certificate))
    let last = try unsafe seconds(X509_get0_notAfter(certificate))
    guard first <= last else { throw .invalidCertificate }
    return first...last
  }

  @unsafe private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) throws(CryptoError) -> Int64 {
    // SAFETY: the time belongs to a certificate that lives; `parts` is a tm, and both calls only read or fill it.
    var parts = unsafe tm()
    guard let time = unsafe time, unsafe ASN1_TIME_to_tm(time, &parts) == 1 else {
      throw OpenSSLQueue.failure(.invalidCertificate)
    }
    return Int64(unsafe timegm(&parts))
  }
}

extension X509 {
  /// The number of the hash function of a certificate's own signature.
  ///
  /// - Parameter der: one certificate, nothing after it.
  /// - Throws: ``CryptoError/invalidCertificate``; ``CryptoError/unavailable(_:)`` for a signature without a hash function.
  static func signatureHash(der: [UInt8]) throws(CryptoError) -> CInt {
    if let identifier = namedSignatureHash(der: der) { return identifier }
    // SAFETY: the certificate is ours until the `defer`.
    let certificate = try unsafe parse(der)
    defer { unsafe X509_free(certificate) }
    var identifier: CInt = NID_undef
    guard unsafe X509_get_signature_info(certificate, &identifier, nil, nil, nil) == 1, identifier != NID_undef
    else { throw OpenSSLQueue.failure(.unavailable(.certificate)) }
    return identifier
  }

  /// The same, if the name of the signature algorithm already determines it; nil for every other certificate, including broken
  /// ones.
  ///
  /// OpenSSL decodes the public key of each certificate that it reads, which takes 0.4 ms of a login. This reads only the
  /// second of a certificate's three parts (RFC 5280, section 4.1).
  private static func namedSignatureHash(der: [UInt8]) -> CInt? {
    // SAFETY: `next` stays within the array, which is lent for the closure; each length was checked against the rest of the
    // array.
    unsafe der.withUnsafeBufferPointer { bytes in
      defer { OpenSSLQueue.clear() }
      var next = bytes.baseAddress
      guard let end = unsafe bytes.baseAddress.map({ unsafe $0 + bytes.count }),
        let whole = unsafe lengthOfSequence(&next, end), unsafe next.map({ unsafe $0 + whole }) == end,
        let signed = unsafe lengthOfSequence(&next, end), let begin = unsafe next
      else { return nil }
      unsafe next = begin + signed
      guard let algorithm = unsafe d2i_X509_ALGOR(nil, &next, end - (begin + signed))
      else { return nil }
      defer { unsafe X509_ALGOR_free(algorithm) }
      var identifier: CInt = NID_undef
      let isKnown = unsafe OBJ_find_sigid_algs(OBJ_obj2nid(algorithm.pointee.algorithm), &identifier, nil) == 1
      return isKnown && identifier != NID_undef ? identifier : nil
    }
  }

  /// Reads the beginning of a sequence, and returns the length of its content; nil for anything else.
  @unsafe private static func lengthOfSequence(
    _ next: inout UnsafePointer<UInt8>?, _ end: UnsafePointer<UInt8>
  ) -> Int? {
    var (length, tag, kind) = (0, CInt(0), CInt(0))
    // SAFETY: `next` is not beyond the end. At most the given number of bytes is read, and no greater length is returned.
    guard let begin = unsafe next else { return nil }
    let form = unsafe ASN1_get_object(&next, &length, &tag, &kind, end - begin)
    return form == V_ASN1_CONSTRUCTED && tag == V_ASN1_SEQUENCE && kind == V_ASN1_UNIVERSAL ? length : nil
  }
}

extension X509 {
  /// Why clients of OpenSSL's usual security level refuse a certificate, whoever issued it.
  public enum Weakness: Equatable, Sendable {
    /// The certificate's key is too short.
    case key(bits: Int)
    /// The hash function of its signature can be forged, for example SHA-1.
    case signature
  }

  /// Level 2 of SSL_CTX_set_security_level(3), which Debian has: RSA from 2048 bits on, curves from 224 on, SHA-224.
  private static let leastSecurityBits: CInt = 112

  /// What is too weak in a server's certificate; nil for one that is strong enough.
  ///
  /// - Parameter der: one certificate, nothing after it.
  /// - Throws: ``CryptoError/invalidCertificate``.
  public static func weakness(der: [UInt8]) throws(CryptoError) -> Weakness? {
    // SAFETY: the certificate is ours until the `defer`; its key is lent while it lives.
    let certificate = try unsafe parse(der)
    defer {
      unsafe X509_free(certificate)
      OpenSSLQueue.clear()
    }
    guard let key = unsafe X509_get0_pubkey(certificate) else { throw .invalidCertificate }
    if unsafe EVP_PKEY_get_security_bits(key) < leastSecurityBits {
      return unsafe .key(bits: Int(EVP_PKEY_get_bits(key)))
    }
    // Nobody checks the signature with which a certificate signs itself.
    guard unsafe X509_get_extension_flags(certificate) & UInt32(EXFLAG_SS) == 0 else { return nil }
    var bits: CInt = 0
    // SAFETY: the call fills one number, and output pointers that are not needed may be NULL.
    guard unsafe X509_get_signature_info(certificate, nil, nil, &bits, nil) == 1 else { return nil }
    return bits < leastSecurityBits ? .signature : nil
  }
}
