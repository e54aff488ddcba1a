@testable import Authenticator

/// A slot in a box, since a non-copyable value cannot be required.
final class DerivationSlotBox {
  let slot: DerivationSlot

  init?(_ directory: borrowing StateDirectory) throws {
    guard let slot = try DerivationSlot.take(in: directory, count: 4, for: .localHost) else { return nil }
    self.slot = slot
  }
}
