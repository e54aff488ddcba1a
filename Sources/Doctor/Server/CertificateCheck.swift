import UAFCrypto

/// The server's certificate: how long it is valid, or why it is not.
struct CertificateCheck {
  /// Why a certificate is refused.
  enum Fault: Equatable {
    case expired(days: Int64)
    case notYetValid(days: Int64)
    case otherName
    /// Nothing else is wrong, so the issuer must be.
    case issuer
  }

  /// DER, as the server sent it.
  let certificate: [UInt8]
  /// The host of the configured address.
  let host: String
  /// Seconds since 1970.
  let now: Int

  private static let day: Int64 = 86_400
  /// With fewer days somebody has to act: automatic renewal happens earlier.
  private static let shortest: Int64 = 14

  /// The whole days that are left; nil for what cannot be read.
  var daysLeft: Int64? {
    guard let validity = try? X509.validity(der: certificate) else { return nil }
    return (validity.upperBound - Int64(now)) / Self.day
  }

  /// Whether it ends soon.
  var endsSoon: Bool { daysLeft.map { $0 < Self.shortest } ?? false }

  /// Why it was refused, as far as the certificate itself tells; nil for what cannot be read.
  var fault: Fault? {
    guard let validity = try? X509.validity(der: certificate) else { return nil }
    let now = Int64(now)
    if now > validity.upperBound { return .expired(days: (now - validity.upperBound) / Self.day) }
    if now < validity.lowerBound { return .notYetValid(days: (validity.lowerBound - now) / Self.day) }
    guard (try? X509.isFor(host, der: certificate)) == true else { return .otherName }
    return .issuer
  }
}
