import FidoResults
import UAFCrypto
import UAFMessages

/// The final challenge parameters of one response, and their hash.
struct FinalChallenge: Sendable {
  /// The text the response carries.
  let text: String

  /// SHA-256 over the text's ASCII bytes: what authenticators sign.
  let hash: [UInt8]

  /// Binds the challenge to application, client and, where its certificate is known, server.
  init(
    appID: String, challenge: ServerChallenge, facetID: String, certificate: [UInt8]
  ) throws(CryptoError) {
    let parameters = FinalChallengeParams(
      appID: appID, challenge: challenge, facetID: facetID,
      channelBinding: try Self.channelBinding(certificate))
    text = parameters.encoded
    hash = try SHA256.hash(Array(text.utf8))
  }

  /// A certificate whose signature has no hash function of its own has no `serverEndPoint`; the certificate goes along.
  private static func channelBinding(_ certificate: [UInt8]) throws(CryptoError) -> ChannelBinding {
    guard !certificate.isEmpty else { return ChannelBinding() }
    let endPoint: String?
    do {
      endPoint = Base64URL.encode(try X509.serverEndPoint(der: certificate))
    } catch {
      guard case .unavailable = error else { throw error }
      endPoint = nil
    }
    return ChannelBinding(
      serverEndPoint: endPoint,
      tlsServerCertificate: certificate.count <= maximumCertificate ? Base64URL.encode(certificate) : nil)
  }

  /// Encoded twice, a longer certificate would not leave room for the rest in one request body of the network program.
  private static let maximumCertificate = 8192
}

extension ServerLink {
  /// The final challenge for a request, bound to the certificate the request came with.
  func finalChallenge(
    appID: String, challenge: ServerChallenge, facetID: String
  ) throws(Refusal) -> FinalChallenge {
    do {
      return try FinalChallenge(appID: appID, challenge: challenge, facetID: facetID, certificate: certificate)
    } catch {
      throw refusal(error == .invalidCertificate ? .channelBinding : .cannotUse, error.description)
    }
  }
}
