import Authenticator
import FidoResults
import UAFClient
import UAFMessages

/// One registered key, open for one signature, with its counter already on disk.
struct KeySigner: AssertionSigner {
  let aaid: AAID
  let authenticatorVersion: UInt16 = 1
  let keyID: KeyID
  let signCounter: UInt32
  let nonce: [UInt8]
  private let key: UAFKey
  private let unlocked: UnlockedAuthenticatorBox

  /// - Throws: ``Ending`` for a key whose record is not valid.
  init(_ key: UAFKey, counter: UInt32, nonce: [UInt8], unlocked: UnlockedAuthenticatorBox) throws(Ending) {
    do {
      aaid = try AAID(key.type.aaid)
      keyID = try KeyID(bytes: key.keyID)
    } catch { throw Ending(StateError.damaged) }
    signCounter = counter
    self.nonce = nonce
    self.key = key
    self.unlocked = unlocked
  }

  func sign(_ signedData: [UInt8]) throws(SigningFailure) -> [UInt8] {
    do throws(StateError) { return try unlocked.authenticator.sign(signedData, with: key) } catch {
      throw SigningFailure(.cannotUse, detail: "\(error)")
    }
  }
}
