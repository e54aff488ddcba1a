import Authenticator
import FidoResults
import UAFClient
import UAFMessages

/// An open authenticator that makes one new key and signs its registration with it.
struct NewKeyMaker: KeyMaker, ~Copyable {
  let aaid: AAID
  let authenticatorVersion: UInt16 = 1
  let unlocked: UnlockedAuthenticator
  /// The key, once made; kept only if the server accepts it.
  private(set) var made: UAFKey?

  /// - Throws: ``Ending`` if the type has no valid AAID.
  init(_ unlocked: consuming UnlockedAuthenticator) throws(Ending) {
    do { aaid = try AAID(unlocked.type.aaid) } catch { throw Ending(StateError.damaged) }
    self.unlocked = unlocked
    made = nil
  }

  mutating func makeKey(appID: String) throws(SigningFailure) -> NewKey {
    do {
      let key = try unlocked.makeKey(appID: appID)
      made = key
      return NewKey(
        keyID: try KeyID(bytes: key.keyID), publicKey: key.publicKey, signCounter: key.signCounter,
        regCounter: unlocked.nextRegistrationCounter)
    } catch { throw SigningFailure(.cannotUse, detail: "\(error)") }
  }

  mutating func sign(_ keyRegistrationData: [UInt8]) throws(SigningFailure) -> [UInt8] {
    guard let made else { throw SigningFailure(.cannotUse, detail: "no key was made") }
    do throws(StateError) { return try unlocked.sign(keyRegistrationData, with: made) } catch {
      throw SigningFailure(.cannotUse, detail: "\(error)")
    }
  }
}
