import COpenSSL
import Glibc

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
