@testable import Authenticator

extension DerivationSlot {
  /// Takes a slot for an account for which nobody else derives a key; each number stands for a different account.
  static func take(
    in directory: borrowing StateDirectory, count: Int, for claim: Claim, by uid: UInt32 = 1000
  ) throws -> DerivationSlot? {
    guard let turn = try DerivationTurn.take(in: directory, of: .account(uid), for: claim) else { return nil }
    return try take(in: directory, count: count, for: claim, holding: turn)
  }
}

/// A slot in a box, because a non-copyable value cannot be required.
final class DerivationSlotBox {
  let slot: DerivationSlot

  init?(_ directory: borrowing StateDirectory, by uid: UInt32 = 1000) throws {
    guard let slot = try DerivationSlot.take(in: directory, count: 4, for: .localHost, by: uid) else { return nil }
    self.slot = slot
  }
}
