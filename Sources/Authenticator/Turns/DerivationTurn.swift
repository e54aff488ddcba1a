import Glibc

/// The right of an account to do one key derivation, before it asks for a ``DerivationSlot``.
///
/// One at a time: otherwise a person could keep every slot busy with correct entries in a hundred prompts of su, which
/// no count stops. Each claim has turns of its own: otherwise remote attempts on a name would use up the turns of the
/// person at the machine. A source has turns too, for known and made-up names alike: otherwise unknown names, which no
/// count stops, could keep every slot for remote logins busy.
public final class DerivationTurn {
  /// Whose secret is derived.
  public enum Subject: Equatable, Sendable {
    case account(UInt32)
    /// An unknown name: its attempts wait for each other like those on an account.
    case name([UInt8])

    fileprivate var number: Int {
      switch self {
      case .account(let uid): Int(uid)
      case .name(let bytes): DerivationTurn.number(1, bytes)
      }
    }
  }

  private static let name = "turns.lock"

  private let locks: ByteLocks

  /// Takes the account's turn and one of the source's, if both are free now; otherwise takes neither.
  ///
  /// - Parameters:
  ///   - subject: whose secret is derived.
  ///   - source: where the attempt comes from; nil for root and for the account itself.
  ///   - count: slots on this machine.
  ///   - claim: who asks.
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  public static func take(
    in directory: borrowing StateDirectory, of subject: Subject, from source: AttemptSource? = nil,
    slots count: Int = 3, for claim: DerivationClaim
  ) throws(StateError) -> DerivationTurn? {
    let locks = try ByteLocks(name, in: directory.slots)
    if let source {
      // The same for every claim: a caller of su has one for their own account and those of others.
      let turns = 0..<source.turns(slots: count)
      guard turns.contains(where: { locks.take($0 << 36 | number(of: source)) }) else { return nil }
    }
    return locks.take(claim.rawValue << 48 | subject.number) ? DerivationTurn(locks) : nil
  }

  private static func number(of source: AttemptSource) -> Int {
    switch source {
    case .caller(let uid): 2 << 32 | Int(uid)
    case .address(let bytes): number(3, bytes)
    case .network(let bytes): number(4, bytes)
    case .domain(let bytes): number(5, bytes)
    }
  }

  /// Four bits of kind, 32 of FNV-1a.
  ///
  /// Two sources with the same number wait for each other; a collision costs nothing else.
  private static func number(_ kind: Int, _ bytes: [UInt8]) -> Int {
    kind << 32 | Int(bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 })
  }

  /// Makes the file, so that no first attempt needs room on the disk.
  static func makeFile(in slots: borrowing TrustedDirectory) throws(StateError) { _ = try ByteLocks(name, in: slots) }

  private init(_ locks: ByteLocks) { self.locks = locks }
}
