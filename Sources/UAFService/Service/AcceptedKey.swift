import UAFMessages

/// A key of an accepted answer, for the log.
package struct AcceptedKey: Equatable, Sendable {
  package let aaid: AAID
  package let keyID: KeyID
}
