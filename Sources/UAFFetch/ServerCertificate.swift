import CCurl
import UAFWire

/// The certificate of the server a transfer is connected to.
///
/// It comes from the connection's SSL object: libcurl's own list (CURLINFO_CERTINFO) is empty when a
/// connection is used again.
enum ServerCertificate {
  /// The DER form of the leaf; nil without one, or if it is longer than ``WireLimit/certificate``.
  ///
  /// - Parameter curl: A handle whose transfer is connected.
  static func der(of curl: UnsafeMutableRawPointer) -> [UInt8]? {
    // SAFETY: the SSL object is libcurl's and valid while the transfer is; the certificate is ours and freed.
    guard let ssl = unsafe curl_get_ssl(curl), let certificate = unsafe SSL_get1_peer_certificate(ssl)
    else { return nil }
    defer { unsafe X509_free(certificate) }
    let length = unsafe Int(i2d_X509(certificate, nil))
    guard (1...WireLimit.certificate).contains(length) else { return nil }
    var bytes = [UInt8](repeating: 0, count: length)
    // SAFETY: i2d writes as many bytes as it just announced, and moves only its own copy of the pointer.
    let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      var next = buffer.baseAddress
      return unsafe Int(i2d_X509(certificate, &next))
    }
    return written == length ? bytes : nil
  }
}
