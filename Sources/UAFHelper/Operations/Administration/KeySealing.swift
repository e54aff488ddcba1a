import Authenticator
import FidoResults
import SecretMemory

/// Seals a device key with the chip, and under a recovery key if root wants one.
struct KeySealing {
  let source: DeviceKeySource
  let prompter: Prompter

  /// Seals the key with the chip first: a recovery key is asked for only where there is something to recover.
  ///
  /// - Throws: ``Ending``.
  func seal(_ key: borrowing Secret) throws(Ending) -> SealedDeviceKey {
    let bytes = try source.seal(key)
    let words = try prompter.askRecoveryKey()
    guard words.count > 0 else { return SealedDeviceKey(bytes, recovery: nil) }
    let recovery: [UInt8]?
    do throws(StateError) { recovery = try RecoveryKey.seal(key, under: words) } catch { throw Ending(error) }
    guard let recovery else { throw .wrongRecoveryKey }
    return SealedDeviceKey(bytes, recovery: recovery)
  }

  /// What root is told of a key that was sealed.
  static func told(_ what: String, hasRecovery: Bool) -> String {
    hasRecovery
      ? "\(what): the device key is sealed by the chip"
      : "\(what): the device key is sealed by the chip; no recovery key was made, so without the chip every account has to be "
        + "registered anew"
  }
}
