import UAFCrypto

extension CertificateFiles {
  /// The certificate authority for a payload for `url`, PEM; nil if this server has no authority of its own.
  ///
  /// - Throws: ``ServerError/invalidArgument(_:)`` if this server's certificate does not name the URL's host. With the payload
  ///   a person would trust this authority for somebody else's server.
  static func authority(of state: ServerDirectory, for url: String) throws -> String? {
    guard let authority = try StateFile.read(path: state.authorityPath, isSecret: false),
      let host = PublicURL(argument: url)?.host
    else { return nil }
    guard try X509.isFor(host, der: leaf(path: state.certificatePath)) else {
      throw ServerError.invalidArgument(
        "the certificate of this server does not name \(host), and a payload would carry this server's authority: for another "
          + "name of this server start 'serve' with --public-url; a server of others gives out its own codes")
    }
    return String(decoding: authority, as: UTF8.self)
  }
}
