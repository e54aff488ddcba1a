import UAFCrypto

/// Why a file is not PEM that can be read, where its first bytes say so.
///
/// OpenSSL takes what it does not understand for a comment. Behind a byte order mark that is the first certificate of a chain, and
/// the second one would pass for the server's.
enum PEMForm {
  /// What is wrong, and what to do; nil where the form says nothing against it.
  static func objection(to bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      return "begins with a byte order mark (BOM): save it as ASCII, or as UTF-8 without one"
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "is UTF-16: save it as ASCII" }
    if X509.isCertificate(bytes) { return "is a certificate in DER: convert it with openssl x509 -inform DER" }
    return nil
  }

  /// Refuses a file whose form says that it cannot be read.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  static func require(_ bytes: [UInt8], of path: String) throws(ServerError) {
    if let reason = objection(to: bytes) { throw .unusableFile(path: path, reason: reason) }
  }
}
