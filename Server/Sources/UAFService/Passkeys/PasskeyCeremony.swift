import UAFCrypto
import UAFMessages
import WebAuthn

/// The server as a relying party of WebAuthn.
package struct PasskeyRelyingParty: Sendable {
  /// The host of the server's URL.
  package let id: RelyingPartyID
  /// The origins that may answer: this server's own pages, and this project's PAM module on a workstation.
  package let origins: [String]

  /// Makes the relying party of a server.
  ///
  /// An IP address cannot have passkeys: no browser makes one for it.
  ///
  /// - Parameter publicURL: as in ``ServerIdentity/publicURL``.
  /// - Returns: nil if the host of the URL is not a domain.
  /// - Throws: ``CryptoError``.
  package init?(publicURL: String) throws(CryptoError) {
    let scheme = "https://"
    guard publicURL.hasPrefix(scheme) else { return nil }
    let authority = publicURL.dropFirst(scheme.count).prefix { $0 != "/" }.lowercased()
    let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let host = parts.first.map(String.init) else { return nil }
    id = try RelyingPartyID(host)
    // An IPv6 address begins with a bracket, which no domain has.
    guard id.isAllowed(forHost: host, registrableDomain: { _ in nil }) else { return nil }
    guard let port = parts.count == 1 ? Self.standardPort : Int(parts[1]) else { return nil }
    origins = [Self.origin(host, port), "linux://\(host)"]
  }

  private static let standardPort = 443

  /// The origin of pages at a port of the host, as browsers write it.
  ///
  /// The port is a part of the origin, but not of the relying party's identifier.
  func origin(port: Int) -> String { Self.origin(id.text, port) }

  private static func origin(_ host: String, _ port: Int) -> String {
    port == standardPort ? "https://\(host)" : "https://\(host):\(port)"
  }
}

/// A challenge for a passkey, which carries all that the server must know when the answer comes.
///
/// It is the challenge of ``PurposedChallenge`` with its session data (``ServerDataSeal``) after it. In UAF a client sends the
/// session data back in a field of its own, which WebAuthn does not have. So the server stores nothing for an authentication.
struct PasskeyChallenge: Sendable {
  /// The whole challenge, at most 1024 bytes.
  let bytes: [UInt8]
  let data: ServerData
  /// The challenge in the form in which a store keeps it.
  let issued: IssuedChallenge

  /// SHA-256 of the whole challenge.
  let hash: [UInt8]
  /// The hash by which the challenge is bound to its purpose, account and text.
  private let binding: [UInt8]

  private static let tagByteCount = PurposedChallenge.byteCount

  /// Makes the challenge of a new request.
  ///
  /// - Parameters:
  ///   - data: the session data; the account's name is empty if the person may choose any passkey of this server.
  ///   - text: the text that the challenge is about, such as the text of a step; nil for none.
  ///   - unique: 32 random bytes.
  /// - Throws: ``CryptoError``; ``MessageError``.
  init(_ data: ServerData, text: String? = nil, unique: [UInt8], keys: ServerKeys) throws {
    let statement = try Self.statement(data, text)
    let purposed = PurposedChallenge(data.purpose, hash: statement, unique: unique)
    binding = purposed.binding
    let challenge = try purposed.challenge.bytes
    bytes =
      challenge
      + (try ServerDataSeal(keys: keys, place: .passkeys).sealedBytes(data, challenge: challenge))
    self.data = data
    issued = IssuedChallenge(hash: try SHA256.hash(unique), expiresAt: data.expiresAt)
    hash = try SHA256.hash(bytes)
  }

  /// Reads the challenge in an answer.
  ///
  /// - Throws: ``ServiceRefusal/invalidServerData`` for a challenge that is not of this server;
  ///   ``ServiceRefusal/expiredChallenge``; ``CryptoError``.
  init(answered bytes: [UInt8], keys: ServerKeys, now: Int64) throws {
    let challenge = Array(bytes.prefix(Self.tagByteCount))
    guard
      let data = try ServerDataSeal(keys: keys, place: .passkeys).open(
        Array(bytes.dropFirst(challenge.count)), challenge: challenge),
      case .marked(let marked)? = (try? ServerChallenge(bytes: challenge)).map(PurposedChallenge.read),
      marked.purpose == data.purpose
    else { throw ServiceRefusal.invalidServerData }
    guard data.expiresAt > now else { throw ServiceRefusal.expiredChallenge }
    self.bytes = bytes
    self.data = data
    binding = marked.binding
    issued = IssuedChallenge(hash: try SHA256.hash(marked.unique), expiresAt: data.expiresAt)
    hash = try SHA256.hash(bytes)
  }
}

extension PasskeyChallenge {
  /// Whether the challenge was made for this text, or without a text if there is none.
  ///
  /// - Throws: ``CryptoError``.
  func isAbout(_ text: String?) throws -> Bool {
    try binding == Array(Self.statement(data, text).prefix(PurposedChallenge.bindingByteCount))
  }

  private static func statement(_ data: ServerData, _ text: String?) throws -> [UInt8] {
    try SHA256.hash(
      PurposedChallenge.statement(data.purpose, context: "webauthn \(data.username)", text: text))
  }
}

/// Which passkeys are accepted.
package struct PasskeyPolicy: Equatable, Sendable {
  /// Whether the authenticator must have verified who the person is.
  package let requiresUserVerification: Bool
  /// Whether passkeys are accepted that may be copied to other devices.
  package let acceptsSynced: Bool
  /// The models that are accepted, if a certificate vouches for them; nil for every passkey.
  package let models: Set<AAGUID>?

  package init(requiresUserVerification: Bool = true, acceptsSynced: Bool = true, models: Set<AAGUID>? = nil) {
    self.requiresUserVerification = requiresUserVerification
    self.acceptsSynced = acceptsSynced
    self.models = models
  }

  /// The policy that accepts what both this policy and a different one accept.
  func together(with other: PasskeyPolicy) -> PasskeyPolicy {
    let both = models.map { own in other.models.map(own.intersection) ?? own } ?? other.models
    return PasskeyPolicy(
      requiresUserVerification: requiresUserVerification || other.requiresUserVerification,
      acceptsSynced: acceptsSynced && other.acceptsSynced, models: both)
  }

  /// Whether a passkey may be used, by what is known of it.
  ///
  /// - Parameter attestedModel: the model for which a certificate vouches; nil for none.
  func accepts(isBackupEligible: Bool, attestedModel: AAGUID?) -> Bool {
    let isKnown = models.map { models in attestedModel.map(models.contains) ?? false }
    return (acceptsSynced || !isBackupEligible) && isKnown ?? true
  }

  /// Whether passkeys of a kind may be used.
  func accepts(_ kind: PasskeyKind) -> Bool {
    accepts(isBackupEligible: kind.isBackupEligible, attestedModel: kind.attestedModel)
  }
}

/// Which passkeys can be used at this server now.
package struct PasskeyReach: Sendable {
  private let relyingPartyID: String?
  private let policies: AccountPolicies?

  /// No passkey can be used.
  package static let nothing = PasskeyReach(relyingPartyID: nil, policies: nil)

  private init(relyingPartyID: String?, policies: AccountPolicies?) {
    self.relyingPartyID = relyingPartyID
    self.policies = policies
  }

  /// Makes the reach of a server.
  ///
  /// - Parameters:
  ///   - publicURL: as in ``ServerIdentity/publicURL``; nil if it is not known.
  ///   - policies: those in force; nil if they are not known.
  package init(publicURL: String?, policies: AccountPolicies?) {
    let party = publicURL.flatMap { try? PasskeyRelyingParty(publicURL: $0) }
    self.init(relyingPartyID: party?.id.text, policies: policies)
  }

  /// Whether an account can log in with one of its passkeys.
  ///
  /// - Parameter others: policies that apply instead of those in force; nil for none.
  package func allows(_ username: String, _ kinds: Set<PasskeyKind>, under others: AccountPolicies? = nil) -> Bool {
    guard let policy = (others ?? policies)?.passkeys(for: username), let relyingPartyID else { return false }
    return kinds.contains { kind in
      kind.relyingPartyID.isIdentical(to: relyingPartyID) && policy.accepts(kind)
    }
  }
}

/// Makes up passkeys for names that have none, so that a request does not show who is registered.
struct PasskeyDecoys {
  let keys: ServerKeys

  /// The shape of an account's decoys as long as no account has a passkey: one of this project's own authenticators.
  private static let plain = KeyShape([(aaid: "internal", length: 32)])

  /// The decoys of a name, which stay the same as long as the accounts' shapes do.
  ///
  /// - Throws: ``CryptoError``.
  func descriptors(of username: String, shapes: KeyShapes?) throws -> [CredentialDescriptor] {
    let code = try keys.decoyCode("passkey shape", Array(username.utf8))
    let place = code.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let shape = shapes?.shape(at: place) { _ in true } ?? Self.plain
    return try shape.models.flatMap { model in
      try model.lengths.enumerated().map { number, length in
        CredentialDescriptor(
          id: try identifier(of: username, transports: model.aaid, number: number, length: length),
          transports: PasskeyShape.transports(model.aaid))
      }
    }
  }

  /// The identifier follows from name, transports and number alone, whatever other decoys there are.
  private func identifier(of username: String, transports: String, number: Int, length: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < length {
      bytes += try keys.decoyCode("passkey", Array("\(transports) \(number) \(bytes.count) \(username)".utf8))
    }
    return Array(bytes.prefix(length))
  }
}

/// What a request reveals about an account's passkeys: the lengths of their identifiers, and how they can be reached.
package enum PasskeyShape {
  /// The shape of passkeys, oldest first; the transports take the place of the model.
  package static func shape(_ passkeys: [(transports: String, length: Int)]) -> KeyShape {
    KeyShape(passkeys.map { (aaid: $0.transports, length: $0.length) })
  }

  /// Transports as one text.
  package static func text(_ transports: [String]) -> String { transports.joined(separator: ",") }

  /// The transports of a text.
  package static func transports(_ text: String) -> [String] { text.split(separator: ",").map(String.init) }

  /// The passkeys that a request names: those that can be used, and the newest of the others as far as there is room.
  ///
  /// Revoked ones are listed too, so that only who can sign with one learns that it is revoked.
  ///
  /// - Parameter passkeys: oldest first.
  package static func listed<Passkey>(_ passkeys: [Passkey], isRevoked: (Passkey) -> Bool) -> [Passkey] {
    var room = PasskeyRecord.mostOfAccount - passkeys.count { !isRevoked($0) }
    let kept = passkeys.reversed().filter { passkey in
      guard isRevoked(passkey) else { return true }
      room -= 1
      return room >= 0
    }
    return kept.reversed()
  }

  /// The descriptors of an account's passkeys, in the order in which decoys come too.
  static func descriptors(_ passkeys: [PasskeyRecord]) -> [CredentialDescriptor] {
    let groups = Dictionary(grouping: passkeys) { text($0.transports).lowercased() }
    return groups.sorted { $0.key < $1.key }.flatMap { group in
      group.value.map { CredentialDescriptor(id: $0.id, transports: $0.transports) }
    }
  }

  /// The transports of a new passkey that are kept: known names, each once, in the order of the alphabet.
  ///
  /// Others would make an account's request unlike any other's.
  static func kept(_ transports: [String]) -> [String] {
    ["ble", "hybrid", "internal", "nfc", "smart-card", "usb"].filter(transports.contains)
  }
}
