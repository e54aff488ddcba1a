/// Why a UAF message was refused.
///
/// Paths name members as the specification does (`header.upv.major`); no error carries a value that was sent.
public enum MessageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Not JSON.
  case json(JSONError)
  /// An assertion that is not TLV as the specification nests it.
  case tlv(TLVError)
  /// A mandatory member is absent.
  case missing(String)
  /// A member is null or of another type.
  case wrongType(String)
  /// A member is empty, too long, too large or outside its list of values.
  case outOfRange(String)
  /// A member is not base64url.
  case notBase64URL(String, Base64URLError)
  /// No version of the message is one of ours, or the header names another one.
  case unsupportedVersion
  /// Two messages of the same version in one array.
  case repeatedVersion
  /// The message belongs to another operation than its place allows.
  case wrongOperation
  /// An extension that must not be ignored is not known here.
  case unknownExtension(String)

  /// Says which member is at fault and who has to act.
  public var description: String {
    switch self {
    case .json(let error): error.description
    case .tlv(let error): error.description
    case .missing(let path): "the UAF message lacks \(path); the sender has to correct it"
    case .wrongType(let path): "\(path) in the UAF message is of the wrong type; the sender has to correct it"
    case .outOfRange(let path): "\(path) in the UAF message is outside its range; the sender has to correct it"
    case .notBase64URL(let path, let error): "\(path) in the UAF message: \(error.description)"
    case .unsupportedVersion: "no UAF version of the message is supported here (1.0 and 1.1 are)"
    case .repeatedVersion: "the UAF message has the same version twice; the sender has to correct it"
    case .wrongOperation: "the UAF message belongs to another operation; the sender has to correct it"
    case .unknownExtension(let path): "\(path) in the UAF message demands an extension that is not known here"
    }
  }
}

extension MessageError {
  /// The same error, whose path begins at `member`, with the path from further outside.
  func inside(_ path: String) -> MessageError {
    switch self {
    case .missing(let member): .missing(Self.path(path, member))
    case .wrongType(let member): .wrongType(Self.path(path, member))
    case .outOfRange(let member): .outOfRange(Self.path(path, member))
    case .notBase64URL(let member, let error): .notBase64URL(Self.path(path, member), error)
    case .unknownExtension(let member): .unknownExtension(Self.path(path, member))
    case .json, .tlv, .unsupportedVersion, .repeatedVersion, .wrongOperation: self
    }
  }

  /// The path of a member in an object; either may be empty.
  static func path(_ object: String, _ member: String) -> String {
    object.isEmpty || member.isEmpty ? object + member : "\(object).\(member)"
  }
}
