import Authenticator
import UAFMessages

/// The KeyIDs of the keys that a server may be asked to delete: those that this state folder made.
///
/// Otherwise a server that does not distinguish machines would delete the keys of other machines.
enum OwnKeys {
  /// The KeyIDs that were made here for an account, without those that are to be kept.
  ///
  /// - Throws: ``Ending`` where the list cannot be read.
  static func keyIDs(
    of identity: AccountIdentity, held: [UAFKey], without kept: [UAFKey], in directory: borrowing StateDirectory
  ) throws(Ending) -> [KeyID] {
    let made: [[UInt8]]
    do throws(StateError) {
      made = try MadeKeys.keyIDs(of: identity.uid, serverUserName: identity.serverUserName, in: directory)
    } catch { throw Ending(error) }
    // Keys that an earlier version registered are in the account's file, and not in the list.
    var keyIDs: [[UInt8]] = []
    for keyID in made + held.map(\.keyID)
    where !keyIDs.contains(keyID) && !kept.contains(where: { $0.keyID == keyID }) {
      keyIDs.append(keyID)
    }
    return keyIDs.compactMap { try? KeyID(bytes: $0) }
  }

  /// The KeyIDs that were made here for the authenticators of a type; nil for all of them.
  ///
  /// - Parameter held: the account's keys.
  /// - Throws: ``Ending`` where the list cannot be read.
  static func keyIDs(
    of identity: AccountIdentity, held: [UAFKey], ofType type: AuthenticatorType?,
    in directory: borrowing StateDirectory
  ) throws(Ending) -> [KeyID] {
    let kept = type.map { type in held.filter { $0.type != type } } ?? []
    return try keyIDs(of: identity, held: held, without: kept, in: directory)
  }
}
