/// A text that somebody confirmed, with everything that proves it.
package struct ConfirmedText: Equatable, Sendable {
  package var id: Int64 = 0
  package let username: String
  /// Seconds since 1970.
  package let confirmedAt: Int64
  /// The whole text, as it was shown.
  package let shown: String
  /// The final challenge parameters as they were sent.
  package let fcParams: String
  package let assertion: [UInt8]
  /// The key that signed, in the form of ``StoredKey``.
  package let publicKey: [UInt8]
  package let signatureAlgorithm: UInt16

  package init(
    id: Int64 = 0, username: String, confirmedAt: Int64, shown: String, fcParams: String, assertion: [UInt8],
    publicKey: [UInt8], signatureAlgorithm: UInt16
  ) {
    self.id = id
    self.username = username
    self.confirmedAt = confirmedAt
    self.shown = shown
    self.fcParams = fcParams
    self.assertion = assertion
    self.publicKey = publicKey
    self.signatureAlgorithm = signatureAlgorithm
  }
}
