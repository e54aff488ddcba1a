import UAFMessages

/// A key as the log names it.
package struct AcceptedKey: Equatable, Sendable {
  package let aaid: AAID
  package let keyID: KeyID
}
