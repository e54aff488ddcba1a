import UAFMessages

/// The relying party as options name it (WebAuthn Level 3, section 5.4.2).
public struct RelyingPartyEntity: Equatable, Sendable {
  /// Its identifier, a domain; nil means the host that the client asked for the options.
  public let id: String?

  /// Its name for people; a text of the server's, to be cleaned before it is shown.
  public let name: String

  /// Makes an entity.
  public init(id: String?, name: String) {
    self.id = id
    self.name = name
  }

  init(_ members: Members) throws(WebAuthnError) {
    id = try members.optionalText("id", bytes: 1...253)
    name = try members.text("name", bytes: 0...1024)
  }

  var json: JSONValue {
    var object = JSONObject()
    object.set("id", id.map(JSONValue.string))
    object.set("name", .string(name))
    return .object(object)
  }
}

/// The account as options name it (WebAuthn Level 3, section 5.4.3).
public struct UserEntity: Equatable, Sendable {
  /// The user handle, which says nothing about the person.
  public let id: [UInt8]

  /// The account's name; a text of the server's, to be cleaned before it is shown.
  public let name: String

  /// The person's name, which may be empty; also a text of the server's, to be cleaned before it is shown.
  public let displayName: String

  /// Allowed lengths of a user handle in bytes.
  public static let idByteCounts = 1...64

  /// Makes an entity.
  ///
  /// - Throws: ``WebAuthnError/outOfRange(_:)`` for a user handle of a length that is not allowed.
  public init(id: [UInt8], name: String, displayName: String) throws(WebAuthnError) {
    guard Self.idByteCounts.contains(id.count) else { throw .outOfRange("user.id") }
    self.id = id
    self.name = name
    self.displayName = displayName
  }

  init(_ members: Members) throws(WebAuthnError) {
    id = try members.bytes("id", counts: Self.idByteCounts)
    name = try members.text("name", bytes: 0...1024)
    displayName = try members.optionalText("displayName", bytes: 0...1024) ?? ""
  }

  var json: JSONValue {
    .object(["id": .base64URL(id), "name": .string(name), "displayName": .string(displayName)])
  }
}

/// A credential as options name it (WebAuthn Level 3, section 5.8.3).
public struct CredentialDescriptor: Equatable, Sendable {
  /// The credential's identifier.
  public let id: [UInt8]

  /// How its authenticator can be reached (USB, NFC and so on), as far as the relying party knows.
  public let transports: [String]

  /// The most credentials that are read in one list: servers add decoys.
  public static let maximumCount = 1024

  /// Makes a descriptor.
  public init(id: [UInt8], transports: [String] = []) {
    self.id = id
    self.transports = transports
  }

  private init(_ members: Members) throws(WebAuthnError) {
    id = try members.bytes("id", counts: 1...AttestedCredential.credentialIDByteCounts.upperBound)
    transports = try members.texts("transports")
  }

  /// The credentials of a list; credentials of any type but `public-key` are left out.
  static func list(_ name: String, of members: Members) throws(WebAuthnError) -> [CredentialDescriptor] {
    var credentials: [CredentialDescriptor] = []
    for element in try members.objects(name, maximumCount: maximumCount) {
      guard try element.text("type", bytes: 0...1024).isIdentical(to: CredentialType.publicKey) else { continue }
      credentials.append(try CredentialDescriptor(element))
    }
    return credentials
  }

  var json: JSONValue {
    var object: JSONObject = ["type": .string(CredentialType.publicKey), "id": .base64URL(id)]
    if !transports.isEmpty { object.set("transports", .texts(transports)) }
    return .object(object)
  }
}

/// The only type of credentials that WebAuthn has.
enum CredentialType {
  static let publicKey = "public-key"
}

/// Whether a relying party wants to know that the person was verified (WebAuthn Level 3, section 5.8.6).
public enum UserVerificationRequirement: String, Equatable, Sendable, CaseIterable {
  case required
  case preferred
  case discouraged
}

/// What a relying party wants to know about the authenticator (WebAuthn Level 3, section 5.4.7).
public enum AttestationConveyance: String, Equatable, Sendable, CaseIterable {
  case none
  case indirect
  case direct
  case enterprise
}

/// Whether the authenticator has to find the credential without being told its identifier (WebAuthn Level 3, section 5.4.6).
public enum ResidentKeyRequirement: String, Equatable, Sendable, CaseIterable {
  case required
  case preferred
  case discouraged
}

/// Whether an authenticator is part of the machine (WebAuthn Level 3, section 5.4.5).
public enum AuthenticatorAttachment: String, Equatable, Sendable, CaseIterable {
  case platform
  case crossPlatform = "cross-platform"
}
