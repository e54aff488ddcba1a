/// A challenge of this project's server, which says what it is for (docs/protocol.md, "What a challenge is for").
///
/// 57 bytes: the tag `pam-uaf` (7), the form 1, the purpose, the binding (16), and 32 bytes that are unique. The binding is a
/// hash over the whole request that the challenge answers. So a client, which knows its own request, recognises a challenge
/// that was issued for a different one. A challenge without the tag comes from another vendor's server: random bytes begin with
/// the tag once in 2^56.
public struct PurposedChallenge: Equatable, Sendable {
  /// What was found in a challenge.
  public enum Reading: Equatable, Sendable {
    /// It has no tag: it comes from another vendor's server.
    case unmarked
    /// It has the tag, but a different form or length, or a purpose that is not known here.
    case unreadable
    case marked(PurposedChallenge)
  }

  /// Length of ``binding`` in bytes.
  public static let bindingByteCount = 16
  /// Length of ``unique`` in bytes.
  public static let uniqueByteCount = 32

  private static let mark = Array("pam-uaf".utf8)
  private static let form: UInt8 = 1
  /// Length of a challenge in bytes.
  public static let byteCount = mark.count + 2 + bindingByteCount + uniqueByteCount

  /// The purpose.
  public let purpose: ChallengePurpose
  /// The first 16 bytes of the SHA-256 of a statement: ``statement(_:context:text:)`` or ``NewKeysStatement``.
  public let binding: [UInt8]
  /// The bytes that distinguish the challenge from all others.
  public let unique: [UInt8]

  /// Makes a challenge.
  ///
  /// - Parameters:
  ///   - hash: the SHA-256 of the statement, of which the first 16 bytes are used.
  ///   - unique: 32 bytes.
  public init(_ purpose: ChallengePurpose, hash: [UInt8], unique: [UInt8]) {
    self.purpose = purpose
    binding = Array(hash.prefix(Self.bindingByteCount))
    self.unique = unique
  }

  /// Reads a challenge.
  public static func read(_ challenge: ServerChallenge) -> Reading {
    let bytes = challenge.bytes
    guard bytes.starts(with: mark) else { return .unmarked }
    guard bytes.count == byteCount, bytes[mark.count] == form,
      let purpose = ChallengePurpose(rawValue: bytes[mark.count + 1])
    else { return .unreadable }
    let rest = bytes.dropFirst(mark.count + 2)
    return .marked(
      PurposedChallenge(
        purpose, hash: Array(rest.prefix(bindingByteCount)), unique: Array(rest.dropFirst(bindingByteCount))))
  }

  /// The challenge, as it is in a request.
  ///
  /// - Throws: ``MessageError/outOfRange(_:)`` if it was made from parts of the wrong length.
  public var challenge: ServerChallenge {
    get throws(MessageError) {
      guard binding.count == Self.bindingByteCount, unique.count == Self.uniqueByteCount else {
        throw .outOfRange("challenge")
      }
      return try ServerChallenge(bytes: Self.mark + [Self.form, purpose.rawValue] + binding + unique)
    }
  }

  /// The statement whose hash is the binding of a server's challenge.
  ///
  /// - Parameters:
  ///   - context: the context of the request, as it was sent: account, machine, code, text, KeyIDs.
  ///   - text: the text that the server adds: the text to be approved or confirmed in the console.
  public static func statement(_ purpose: ChallengePurpose, context: String, text: String? = nil) -> [UInt8] {
    var statement = Statement("pam-uaf challenge")
    statement.add(purpose.rawValue)
    statement.add(fields: [context, text ?? ""])
    return statement.bytes
  }
}

/// What a challenge of this project's server is for (docs/protocol.md, "What a challenge is for").
///
/// A signature over the challenge is a signature over its purpose: it cannot be used for anything else.
public enum ChallengePurpose: UInt8, CaseIterable, Sendable {
  /// To log in.
  case login = 1
  /// To log in, and to confirm a text that the client has sent.
  case text = 2
  /// To register keys with an enrolment code.
  case registrationByCode = 3
  /// To register keys that a registered key must authorise.
  case registrationByKey = 4
  /// To be allowed to ask for a registration of further keys.
  case furtherKeys = 5
  /// To authorise new keys, each by its AAID, KeyID and public key.
  case newKeys = 6
  /// To remove keys, each by its KeyID.
  case removal = 7
  /// To approve a text that waits at the server.
  case approval = 8
  /// To sign in to the server's console.
  case consoleSignIn = 9
  /// To confirm a step in the server's console.
  case consoleStep = 10

  /// The purpose's name in signed verdicts and logs.
  public var word: String {
    switch self {
    case .login: "login"
    case .text: "text"
    case .registrationByCode: "registration by code"
    case .registrationByKey: "registration by key"
    case .furtherKeys: "further keys"
    case .newKeys: "new keys"
    case .removal: "removal"
    case .approval: "approval"
    case .consoleSignIn: "console sign-in"
    case .consoleStep: "console step"
    }
  }

  /// The operation that an authentication for this purpose authorises with its token; nil if it authorises none.
  public var authorizedOperation: UAFOperation? {
    switch self {
    case .furtherKeys: .registration
    case .removal: .deregistration
    case .login, .text, .registrationByCode, .registrationByKey, .newKeys, .approval, .consoleSignIn, .consoleStep: nil
    }
  }
}
