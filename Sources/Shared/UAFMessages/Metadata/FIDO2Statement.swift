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

  /// Makes a statement.
  public init(aaguid: String, description: String, attestationRootCertificates: [[UInt8]]) {
    self.aaguid = aaguid
    self.description = description
    self.attestationRootCertificates = attestationRootCertificates
  }

  /// Reads a statement.
  ///
  /// - Throws: ``MessageError``, including for a statement without roots: nothing could vouch for the model.
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
    attestationRootCertificates = try reader.list("attestationRootCertificates") {
      (value, path) throws(MessageError) in try MetadataStatement.certificate(value, path: path)
    }
  }

  /// The statement as JSON.
  public var json: JSONValue {
    .object([
      "schema": .integer(Int64(MetadataStatement.schemaOfNames)), "protocolFamily": .string(Self.family),
      "aaguid": .string(aaguid), "description": .string(description),
      "attestationRootCertificates": .array(attestationRootCertificates.map { .string(Base64.encode($0)) }),
    ])
  }
}
