import COpenSSL
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
      // SAFETY: version 2 stands for X.509 v3; the name's bytes are copied.
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
