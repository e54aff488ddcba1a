// Purpose: W3C Web Authentication Level 3 as data, for both sides: options, collected client data, authenticator data, COSE
// keys, attestation and responses are read and made, and a relying party's checks are pure functions. Bytes in, values out: no
// clock, no randomness, no files, no sockets. Origins are opaque and compared byte by byte. Imports CBOR, UAFCrypto and
// UAFMessages (JSON, base64url).

import CBOR
import UAFMessages

/// Why a message of WebAuthn could not be understood.
///
/// Paths name members as the specification does (`response.clientDataJSON`); no error contains a value that was sent.
public enum WebAuthnError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Not JSON; the path is empty if the whole message is not.
  case json(String, JSONError)
  /// Not the CTAP2 canonical form.
  case cbor(String, CBORError)
  /// A member that must be there is absent.
  case missing(String)
  /// A member is of the wrong type.
  case wrongType(String)
  /// A member is empty, too long, too short, or outside its list of values.
  case outOfRange(String)
  /// A member is neither base64url nor base64.
  case notBase64(String, Base64URLError)
  /// Fewer bytes than the structure needs.
  case truncated(String)
  /// Bytes after the structure's end.
  case trailingBytes(String)
  /// A key that is not in the canonical form, or whose algorithm is not known here.
  case invalidKey(String)
  /// A member contradicts another member with the same data.
  case contradiction(String)

  /// Says which member is at fault and who must act.
  public var description: String {
    switch self {
    case .json(let path, let error): path.isEmpty ? error.description : "\(path): \(error.description)"
    case .cbor(let path, let error): "\(path): \(error.description)"
    case .missing(let path): "the WebAuthn message lacks \(path); the sender has to correct it"
    case .wrongType(let path): "\(path) in the WebAuthn message is of the wrong type; the sender has to correct it"
    case .outOfRange(let path): "\(path) in the WebAuthn message is outside its range; the sender has to correct it"
    case .notBase64(let path, let error): "\(path) in the WebAuthn message: \(error.description)"
    case .truncated(let path): "\(path) in the WebAuthn message ends too early; the sender has to correct it"
    case .trailingBytes(let path): "\(path) in the WebAuthn message has bytes left over; the sender has to correct it"
    case .invalidKey(let path): "\(path) in the WebAuthn message is not a key that can be used here"
    case .contradiction(let path):
      "\(path) in the WebAuthn message contradicts another member; the sender has to correct it"
    }
  }
}
