/// The statement of an authenticator's maker about a model of WebAuthn (metadata statement 3, family `fido2`).
///
/// Only what a relying party needs to decide whether a new credential is one of this model is kept.
public struct FIDO2Statement: JSONRepresentable, Equatable, Sendable {
  /// The model's identifier: a UUID of 36 characters.
  public var aaguid: String
  /// For people, at most 200 characters.
  public var description: String
  /// Roots of the model's attestation certificates, DER; at least one.
  public var attestationRootCertificates: [[UInt8]]

  /// The family that these statements name in `protocolFamily`.
  public static let family = "fido2"

  /// The types of attestation whose certificates lead to a root (FIDO registry 2.2, section 3.6.3).
  private static let certifying: Set<String> = ["basic_full", "attca"]

  /// Makes a statement of a model that attests with certificates of its maker.
  public init(aaguid: String, description: String, attestationRootCertificates: [[UInt8]]) {
    self.aaguid = aaguid
    self.description = description
    self.attestationRootCertificates = attestationRootCertificates
  }

  /// Reads a statement.
  ///
  /// - Throws: ``MessageError``, including for a statement without roots, or of a model that does not attest by certificates:
  ///   nothing could vouch for it.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    guard try reader.integer("schema", as: Int.self) == MetadataStatement.schemaOfNames else {
      throw .outOfRange(reader.name("schema"))
    }
    guard try reader.string("protocolFamily").isIdentical(to: Self.family) else {
      throw .outOfRange(reader.name("protocolFamily"))
    }
    aaguid = try reader.string("aaguid", characters: 36...36)
    description = try reader.string("description", characters: 1...200)
    let types = try reader.list("attestationTypes") { (value, path) throws(MessageError) in
      try value.nonEmptyString(path: path)
    }
    guard types.contains(where: Self.certifying.contains) else { throw .outOfRange(reader.name("attestationTypes")) }
    attestationRootCertificates = try reader.list("attestationRootCertificates") {
      (value, path) throws(MessageError) in try MetadataStatement.certificate(value, path: path)
    }
  }

  /// The statement as JSON.
  public var json: JSONValue {
    .object([
      "schema": .integer(Int64(MetadataStatement.schemaOfNames)), "protocolFamily": .string(Self.family),
      "aaguid": .string(aaguid), "description": .string(description),
      "attestationTypes": .array([.string("basic_full")]),
      "attestationRootCertificates": .array(attestationRootCertificates.map { .string(Base64.encode($0)) }),
    ])
  }
}
