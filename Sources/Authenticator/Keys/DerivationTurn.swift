import Glibc

/// The right of an account to do one key derivation, before it asks for a ``DerivationSlot``.
///
/// One at a time: whoever knows one value could otherwise keep every slot busy with right entries, which no count ever
/// stops, from a hundred prompts of su. Each claim has turns of its own, or whoever is far away would take those of the
/// person at the machine with attempts on that name.
public final class DerivationTurn {
  /// Whose value is derived.
  public enum Subject: Equatable, Sendable {
    case account(UInt32)
    /// A name that nobody has: its attempts wait for each other as those on an account do.
    case name([UInt8])

    /// 33 bits: user ids first, then names.
    fileprivate var number: Int {
      switch self {
      case .account(let uid): Int(uid)
      case .name(let bytes):
        // FNV-1a. Two names of one number wait for each other, and nothing else.
        1 << 32 | Int(bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 })
      }
    }
  }

  private static let name = "turns.lock"

  private let locks: ByteLocks

  /// Takes the turn if nobody has it now.
  ///
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  public static func take(
    in directory: borrowing StateDirectory, of subject: Subject, for claim: DerivationSlot.Claim
  ) throws(StateError) -> DerivationTurn? {
    let locks = try ByteLocks(name, in: directory.slots)
    return locks.take(claim.rawValue << 33 | subject.number) ? DerivationTurn(locks) : nil
  }

  /// Makes the file, so that nobody's first attempt needs room on the disk.
  static func makeFile(in slots: borrowing TrustedDirectory) throws(StateError) { _ = try ByteLocks(name, in: slots) }

  private init(_ locks: ByteLocks) { self.locks = locks }
}
