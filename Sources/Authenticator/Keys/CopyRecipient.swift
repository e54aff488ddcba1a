import SecretMemory

/// Whether, and to whom, a copy of a new share is sealed.
enum CopyRecipient: Equatable {
  /// No recovery key was made, or one of an earlier version, which has no public key.
  case none
  /// To this public key, which somebody with the device key has put there.
  case publicKey([UInt8])
  /// To nobody: what lies there cannot be read, or was not put there by somebody with the device key.
  case refused

  /// Reads what a state folder has.
  ///
  /// Whoever can write the folder, and has no device key, must get no copy: so only a marked public key is used. Whatever is
  /// wrong, the value is still registered: without a copy it is as safe.
  init(at place: RecoveryPlace, deviceSecret: borrowing Secret) {
    do throws(StateError) {
      guard let kept = try place.bytes() else {
        self = .none
        return
      }
      guard let file = RecoveryFile(kept) else {
        self = .refused
        return
      }
      guard let recipient = file.recipient else {
        self = .none
        return
      }
      self = try recipient.isMarked(under: deviceSecret) ? .publicKey(recipient.publicKey) : .refused
    } catch { self = .refused }
  }
}
