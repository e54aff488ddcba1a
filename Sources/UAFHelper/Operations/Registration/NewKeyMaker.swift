import Authenticator
import FidoResults
import UAFClient
import UAFCrypto
import UAFMessages

/// An open authenticator that makes one new key and signs its registration with it.
struct NewKeyMaker: KeyMaker {
  let aaid: AAID
  let authenticatorVersion: UInt16 = 1
  let unlocked: UnlockedAuthenticatorBox
  /// The key, once made; kept only if the server accepts it.
  private(set) var made: UAFKey?

  /// - Throws: ``Ending`` if the type has no valid AAID.
  init(_ unlocked: UnlockedAuthenticatorBox) throws(Ending) {
    do { aaid = try AAID(unlocked.type.aaid) } catch { throw Ending(StateError.damaged) }
    self.unlocked = unlocked
    made = nil
  }

  var type: AuthenticatorType { unlocked.type }

  mutating func makeKey(appID: String) throws(SigningFailure) -> NewKey {
    do {
      let key = try unlocked.authenticator.makeKey(appID: appID)
      made = key
      return NewKey(
        keyID: try KeyID(bytes: key.keyID), publicKey: key.publicKey, signCounter: key.signCounter,
        regCounter: unlocked.authenticator.nextRegistrationCounter)
    } catch { throw SigningFailure(.cannotUse, detail: "\(error)") }
  }

  /// The new key, ready to sign an authentication before it is stored.
  ///
  /// Its counter is stored with it.
  ///
  /// - Throws: ``Ending``.
  mutating func signer() throws(Ending) -> KeySigner {
    guard var key = made else { throw Ending(.cannotUse, log: "no key was made") }
    do {
      let counter = try key.countSignature()
      made = key
      return try KeySigner(key, counter: counter, nonce: RandomBytes.make(16), unlocked: unlocked)
    } catch let error as Ending { throw error } catch { throw Ending(.cannotUse, log: "\(error)") }
  }

  mutating func sign(_ keyRegistrationData: [UInt8]) throws(SigningFailure) -> [UInt8] {
    guard let made else { throw SigningFailure(.cannotUse, detail: "no key was made") }
    do throws(StateError) { return try unlocked.authenticator.sign(keyRegistrationData, with: made) } catch {
      throw SigningFailure(.cannotUse, detail: "\(error)")
    }
  }
}
