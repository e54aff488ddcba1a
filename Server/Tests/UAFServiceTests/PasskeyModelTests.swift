import AuthenticatorTypes
import Foundation
import SecretMemory
import Testing
import UAFCrypto
import UAFMessages
import WebAuthn

@testable import ServerTesting
@testable import UAFService

/// Policies that name the models of passkeys, with the chains of Tests/Vectors/attestation/passkeys.json.
@Suite(.onEachStore) struct PasskeyModelTests {
  private let file: JSONObject
  private let aaguid: AAGUID

  init() throws {
    let path = Checkout.file("Tests/Vectors/attestation/passkeys.json")
    guard case .object(let file) = try JSONValue(parsing: Array(Data(contentsOf: path))) else {
      throw TestServer.Unexpected()
    }
    self.file = file
    aaguid = try #require(file.text("aaguid").flatMap { AAGUID(text: $0) })
  }

  private func bytes(_ text: String?) throws -> [UInt8] { try Base64.decode(#require(text), maximumCount: 4096) }

  private func statement(_ aaguid: AAGUID, roots: [[UInt8]]? = nil) throws -> FIDO2Statement {
    FIDO2Statement(
      aaguid: aaguid.description, description: "Test key",
      attestationRootCertificates: try roots ?? [bytes(file.text("root"))])
  }

  private func house(
    _ policy: PasskeyPolicy, further: [FIDO2Statement] = [], roots: [[UInt8]]? = nil
  ) throws -> PasskeyHouse {
    let passkeys = try PasskeyModels([statement(aaguid, roots: roots)] + further)
    let own = try AuthenticatorType.allCases.map { try MetadataStatement.projectOwn($0) }
    return try PasskeyHouse(policy, models: AuthenticatorModels(own, passkeys: passkeys))
  }

  private func chain(_ name: String) throws -> [[UInt8]] {
    guard case .array(let cases)? = file["cases"] else { throw TestServer.Unexpected() }
    for case .object(let entry) in cases where entry.text("name") == name {
      guard case .array(let texts)? = entry["certificates"] else { break }
      return try texts.map { value in
        guard case .string(let text) = value else { throw TestServer.Unexpected() }
        return try bytes(text)
      }
    }
    throw TestServer.Unexpected()
  }

  /// A passkey of the model that attests with a chain.
  private func passkey(_ chain: [[UInt8]], change: ([UInt8]) -> [UInt8] = { $0 }) throws -> SoftPasskey {
    let passkey = try SoftPasskey()
    passkey.aaguid = aaguid
    let key = try bytes(file.text("leafPrivateKey"))
    let changed = change([])
    passkey.attest = { message in
      let signature = try ECDSASignature(raw: P256.sign(message + changed, privateKey: Secret(copying: key.span))).der
      return .packed(PackedStatement(algorithm: .es256, signature: signature, certificates: chain))
    }
    return passkey
  }

  /// Why a registration is refused; nil if it is accepted.
  private func refusal(_ passkey: SoftPasskey, at house: PasskeyHouse) async throws -> ServiceRefusal? {
    let options = try await house.creationOptions("mina", code: house.code(of: "mina"))
    do {
      try await house.register(passkey, for: options)
      return nil
    } catch let refusal as ServiceRefusal { return refusal }
  }

  @Test(arguments: ["leaf", "leaf and root", "leaf and issuer"])
  func `a passkey whose certificates lead to a root of its model is registered as attested, and logs in`(
    name: String
  ) async throws {
    let house = try house(PasskeyPolicy(models: [aaguid]))
    let passkey = try passkey(chain(name))
    let options = try await house.creationOptions("mina", code: house.code(of: "mina"))
    #expect(options.attestation == .direct)
    try await house.register(passkey, for: options)
    let record = try #require(await house.records(of: "mina").first)
    #expect(record.isAttested && record.aaguid == aaguid)
    #expect(try await house.authenticate(passkey, as: "mina").username == "mina")
    let kinds = try await house.server.store.read { try $0.passkeys.kinds(of: ["mina"]) }
    #expect(kinds == ["mina": [record.kind]] && record.kind.attestedModel == aaguid)
  }

  @Test(arguments: [
    ("issuer missing", ServiceRefusal.notInPolicy), ("leaf that names no model", .notInPolicy),
    ("other root of the same name", .notInPolicy),
    ("other root that was sent", .notInPolicy), ("expired", .notInPolicy), ("stranger at the end", .notInPolicy),
    ("leaf of another model", .untrustedAttestation), ("leaf of another unit", .untrustedAttestation),
    ("leaf that is an authority", .untrustedAttestation),
  ])
  func `a passkey is refused if its certificates do not vouch for the model`(
    name: String, expected: ServiceRefusal
  ) async throws {
    let house = try house(PasskeyPolicy(models: [aaguid]))
    #expect(try await refusal(passkey(chain(name)), at: house) == expected)
    #expect(try await house.records(of: "mina").isEmpty)
  }

  @Test func `a passkey that nobody vouches for is refused if the policy names models, whatever it claims`()
    async throws
  {
    let house = try house(PasskeyPolicy(models: [aaguid]))
    let claiming = try SoftPasskey()
    claiming.aaguid = aaguid
    #expect(try await refusal(claiming, at: house) == .notInPolicy)
    claiming.attestByItself()
    #expect(try await refusal(claiming, at: house) == .notInPolicy)
    let wrong = try passkey(chain("leaf")) { _ in [0] }
    #expect(try await refusal(wrong, at: house) == .invalidAttestationSignature)
    #expect(try await house.records(of: "mina").isEmpty)
  }

  @Test(arguments: [true, false])
  func `a passkey that attests in a format that is not read is refused, whether or not the policy names models`(
    isNamed: Bool
  ) async throws {
    let house = try house(PasskeyPolicy(models: isNamed ? [aaguid] : nil))
    for format in ["tpm", "fido-u2f", "android-key", "android-safetynet", "apple", "compound"] {
      let passkey = try SoftPasskey()
      passkey.aaguid = aaguid
      passkey.attest = { _ in .unread(format: format) }
      #expect(try await refusal(passkey, at: house) == .notInPolicy)
    }
    #expect(try await house.records(of: "mina").isEmpty)
  }

  @Test func `certificates vouch for no model that the policy does not name, and for none without a statement`()
    async throws
  {
    let other = try #require(AAGUID(text: "01020304-0506-0708-090a-0b0c0d0e0f10"))
    let named = try house(
      PasskeyPolicy(models: [other]), further: [statement(other, roots: [chain("leaf and issuer")[1]])])
    #expect(try await refusal(passkey(chain("leaf")), at: named) == .notInPolicy)
    let unknown = try passkey(chain("leaf that names no model"))
    unknown.aaguid = other
    let only = try house(PasskeyPolicy(models: [aaguid]))
    #expect(try await refusal(unknown, at: only) == .notInPolicy)
  }

  @Test func `a certificate that names no model vouches only if the statement names the certificate itself`()
    async throws
  {
    let leaf = try chain("leaf that names no model")
    let house = try house(PasskeyPolicy(models: [aaguid]), roots: leaf)
    #expect(try await refusal(passkey(leaf), at: house) == nil)
    #expect(try await house.records(of: "mina").first?.isAttested == true)
    #expect(try await refusal(passkey(chain("leaf")), at: house) == .notInPolicy)
  }

  @Test func `a passkey that is not attested cannot be used any more when a policy names models`() async throws {
    let open = try house(PasskeyPolicy())
    let options = try await open.creationOptions("mina", code: open.code(of: "mina"))
    #expect(options.attestation == .none)
    let passkey = try SoftPasskey()
    passkey.aaguid = aaguid
    try await open.register(passkey, for: options)
    let record = try #require(await open.records(of: "mina").first)
    #expect(!record.isAttested && record.kind.attestedModel == nil)
    let narrow = PasskeyPolicy(models: [aaguid])
    #expect(!narrow.accepts(record.kind) && PasskeyPolicy().accepts(record.kind))
    #expect(narrow.accepts(isBackupEligible: false, attestedModel: aaguid))
    #expect(!narrow.accepts(isBackupEligible: false, attestedModel: .zero))
  }

  @Test func `a statement is refused without an AAGUID, with a second one about the model, or with a bad root`() throws
  {
    let good = try statement(aaguid)
    #expect(throws: MetadataError.repeatedModel) { try PasskeyModels([good, good]) }
    #expect(throws: MetadataError.notACertificate) { try PasskeyModels([statement(aaguid, roots: [[1, 2, 3]])]) }
    for text in ["00000000-0000-0000-0000-000000000000", "not an AAGUID, but 36 characters...."] {
      var statement = good
      statement.aaguid = text
      #expect(throws: MetadataError.notAnAAGUID) { try PasskeyModels([statement]) }
    }
  }
}
