import Authenticator
import FidoResults
import UAFClient
import UAFMessages

/// The keys that have signed a proof, which can authorise new ones as long as the call lasts.
struct SignedKeys {
  let held: AccountAuthenticators
  let keys: [UAFKey]
  let records: KeyRecords

  /// What is known of their authenticators.
  var described: [AuthenticatorDescription] { AuthenticatorDescription.all(of: keys.map(\.type), keys: keys) }

  /// Makes a key ready for one more signature.
  ///
  /// - Throws: ``Ending``.
  func signer(_ index: Int) throws(Ending) -> KeySigner {
    guard keys.indices.contains(index), let unlocked = held[keys[index].type] else {
      throw Ending(.cannotUse, log: "the authenticator is not open")
    }
    return try records.signer(keys[index], held.account, unlocked)
  }
}
