import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFCrypto

extension Session {
  /// A new layout for one entry, where root has digits entered with other keys than their own.
  ///
  /// Not for programs that answer each prompt with the one string they have: there nobody would see it. Where a prompt must not
  /// show which type the account has, both are entered with it.
  ///
  /// - Returns: nil where the keys are plain.
  /// - Throws: ``Ending`` where there is no randomness.
  func keypad(for types: [AuthenticatorType]) throws(Ending) -> ShuffledKeypad? {
    guard isInteractive, types.contains(where: { configuration.rules(for: $0).usesShuffledKeypad }) else { return nil }
    do throws(CryptoError) { return try surroundings.keypad() } catch { throw Ending(.cannotUse, log: "\(error)") }
  }

  /// What was meant by the keys that were pressed.
  ///
  /// An entry with any other key than the ten is meant as it stands: what root asks of new values says nothing of one that was
  /// set before, which may be text.
  func meant(by entry: consuming Secret, on keypad: ShuffledKeypad?) -> Secret {
    guard let keypad, let digits = keypad.decode(entry) else { return entry }
    return digits
  }
}
