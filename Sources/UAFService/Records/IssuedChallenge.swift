/// A challenge of a request, as a store knows it.
///
/// It is known by the bytes that make it another one than all others: requests that have them in common are answered once
/// together.
///
/// The expiry is sealed with the challenge or is part of what the challenge is made of. So one challenge has one expiry, and a
/// store may look for it by both.
package struct IssuedChallenge: Equatable, Sendable {
  /// SHA-256 of the challenge's unique bytes.
  package let hash: [UInt8]
  /// When its request expires, in seconds since 1970.
  package let expiresAt: Int64

  package init(hash: [UInt8], expiresAt: Int64) {
    self.hash = hash
    self.expiresAt = expiresAt
  }
}
