import UAFMessages

/// A one-time code as a person is given it; it is shown once, and the store has only its hash.
package struct IssuedPayload: Equatable, Sendable {
  /// The number of what it is for: an approval; nil for an enrolment.
  package let number: Int64?
  package let payload: EnrolmentPayload

  package init(number: Int64? = nil, payload: EnrolmentPayload) {
    self.number = number
    self.payload = payload
  }
}
