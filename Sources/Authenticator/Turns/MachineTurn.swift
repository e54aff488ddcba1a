/// The right to change something that the machine has once, for as long as this value lives.
///
/// It is given back when its holder ends, however it ends.
public final class MachineTurn {
  /// What is changed.
  public enum Work: Int, Sendable {
    /// What the machine has told its server.
    case checkIn
    /// The logins without the server that it has to tell.
    case offlineLogins
  }

  private static let fileName = "machine.lock"

  private let locks: ByteLocks

  /// Takes the right, and does not wait for it: a holder may be stopped.
  ///
  /// - Parameters:
  ///   - path: the state folder.
  ///   - owner: who must own it.
  /// - Throws: ``StateError``; `superseded` if another call has it.
  public init(for work: Work, in path: String, owner: UInt32) throws(StateError) {
    locks = try ByteLocks(Self.fileName, in: try TrustedDirectory(path, owner: owner))
    guard locks.take(work.rawValue) else { throw .superseded }
  }
}
