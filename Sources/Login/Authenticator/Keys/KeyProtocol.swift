/// The protocol that a key signs for, and no other.
///
/// It is part of the seal of a private key: a key of one protocol does not open for the other, whatever its record says.
public enum KeyProtocol: UInt8, Sendable {
  /// FIDO UAF: the key belongs to an AppID.
  case uaf = 1
  /// WebAuthn: the key is a credential of a relying party, which its rpId names.
  case webAuthn = 2
}
