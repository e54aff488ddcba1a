import Authenticator
import UAFMessages

/// Which keys a server may be asked to forget: those this state folder made, by their KeyIDs.
///
/// A server that tells no machines apart would otherwise delete the keys of other machines.
enum OwnKeys {
  /// The KeyIDs that were made here for an account, without those that stay.
  ///
  /// - Throws: ``Ending`` where the list cannot be read.
  static func keyIDs(
    of identity: AccountIdentity, held: [UAFKey], without kept: [UAFKey], in directory: borrowing StateDirectory
  ) throws(Ending) -> [KeyID] {
    let made: [[UInt8]]
    do throws(StateError) {
      made = try MadeKeys.keyIDs(of: identity.uid, serverUserName: identity.serverUserName, in: directory)
    } catch { throw Ending(error) }
    // A key that was registered by an earlier version is held, and was never noted.
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
