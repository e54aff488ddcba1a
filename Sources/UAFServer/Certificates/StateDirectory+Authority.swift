import UAFCrypto

extension StateDirectory {
  /// The authority that a payload for `url` carries, PEM; nil where this server has none of its own.
  ///
  /// - Throws: ``ServerError/invalidArgument(_:)`` where this server's certificate does not name the URL's host: a payload would
  ///   have a person trust our authority for a server of others.
  func authority(for url: String) throws -> String? {
    guard let authority = try StateFile.read(path: authorityPath, isSecret: false),
      let host = PublicURL(argument: url)?.host
    else { return nil }
    guard try X509.isFor(host, der: CertificateFiles.leaf(path: certificatePath)) else {
      throw ServerError.invalidArgument(
        "the certificate of this server does not name \(host), and a payload would carry this server's authority: for another "
          + "name of this server start 'serve' with --public-url; a server of others gives out its own codes")
    }
    return String(decoding: authority, as: UTF8.self)
  }
}
