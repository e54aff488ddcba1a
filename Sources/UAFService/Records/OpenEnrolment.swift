/// An enrolment code that somebody can register with.
package struct OpenEnrolment: Equatable, Sendable {
  package let id: Int64
  /// As ``EnrolmentSeal`` has made it.
  package let sealedKey: [UInt8]

  package init(id: Int64, sealedKey: [UInt8]) {
    self.id = id
    self.sealedKey = sealedKey
  }
}
