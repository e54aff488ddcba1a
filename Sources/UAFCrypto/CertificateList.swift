import COpenSSL

/// Certificates in OpenSSL's form, freed when the list ends.
@safe struct CertificateList: ~Copyable {
  private let stack: OpaquePointer?

  /// Reads each certificate; the order is kept.
  ///
  /// - Throws: ``CryptoError/invalidCertificate`` for one that is not DER to the last byte.
  init(parsing certificates: [[UInt8]]) throws(CryptoError) {
    // SAFETY: freed by `deinit`, which also follows a throw; OpenSSL refuses to push on a stack it had no memory for.
    unsafe stack = OPENSSL_sk_new_null()
    for der in certificates {
      let certificate = try unsafe X509.parse(der)
      // SAFETY: the stack owns what was pushed, and nothing else does.
      guard unsafe OPENSSL_sk_push(stack, UnsafeRawPointer(certificate)) > 0 else {
        unsafe X509_free(certificate)
        throw OpenSSLQueue.failure(.outOfMemory)
      }
      // Written anew and compared: OpenSSL reads more than DER.
      guard try unsafe X509.der(of: certificate) == der else { throw .invalidCertificate }
    }
  }

  deinit {
    // SAFETY: every element is a certificate that was pushed above.
    while let element = unsafe OPENSSL_sk_pop(stack) { unsafe X509_free(OpaquePointer(element)) }
    unsafe OPENSSL_sk_free(stack)
  }

  var count: Int {
    // SAFETY: the stack lives as long as the list; one that there was no memory for counts -1.
    max(0, Int(unsafe OPENSSL_sk_num(stack)))
  }

  /// A certificate, borrowed for as long as the list lives.
  @unsafe subscript(index: Int) -> OpaquePointer? {
    // SAFETY: OpenSSL answers an index outside the list with no element.
    unsafe OPENSSL_sk_value(stack, CInt(clamping: index)).map { OpaquePointer($0) }
  }

  /// The list as OpenSSL's STACK_OF(X509), borrowed for as long as the list lives.
  @unsafe var borrowed: OpaquePointer? {
    unsafe stack
  }
}
