/// A text somebody confirmed, with all that shows it.
struct ConfirmedText: Equatable, Sendable {
  var id: Int64 = 0
  let username: String
  /// Seconds since 1970.
  let confirmedAt: Int64
  /// The whole text, as it was shown.
  let shown: String
  /// The final challenge parameters as they were sent.
  let fcParams: String
  let assertion: [UInt8]
  /// As ``StoredKey`` had it.
  let publicKey: [UInt8]
  let signatureAlgorithm: UInt16
}
