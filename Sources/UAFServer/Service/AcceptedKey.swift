import UAFMessages

/// A key as the log names it.
struct AcceptedKey: Equatable, Sendable {
  let aaid: AAID
  let keyID: KeyID
}
