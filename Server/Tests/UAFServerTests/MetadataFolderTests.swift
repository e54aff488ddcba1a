import AuthenticatorTypes
import Foundation
import Testing
import UAFCrypto
import UAFMessages
import WebAuthn

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// The metadata statements that a server is given, and those that it prints.
final class MetadataFolderTests {
  private let folder: URL

  init() throws {
    folder = URL.temporaryDirectory.appending(path: "metadata-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  private func statement(_ aaid: String, algorithm: UInt16 = 1, encoding: UInt16 = 0x100) throws -> MetadataStatement {
    let method = VerificationMethodDescriptor(userVerification: UserVerification.passcode)
    var statement = MetadataStatement(aaid: try AAID(aaid), description: "x", userVerificationDetails: [[method]])
    statement.authenticationAlgorithm = algorithm
    statement.publicKeyAlgAndEncoding = encoding
    return statement
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: folder.appending(path: name))
  }

  private func models() throws -> AuthenticatorModels {
    try MetadataFolder(path: folder.path()).models()
  }

  private var error: ServerError? {
    do {
      _ = try models()
      return nil
    } catch { return error as? ServerError }
  }

  @Test func `the server adds the models of a metadata folder to the project's own, in the order of file names`() throws
  {
    try write(try statement("FFFF#0002", algorithm: 4, encoding: 0x103).jsonText, to: "a.json")
    try write(try statement("FFFF#0001").jsonText, to: "b.json")
    try write("not looked at", to: "README")
    let all = try models().all
    #expect(
      all.map(\.description.aaid.text) == [
        "5541#0001", "5541#0002", "5541#0003", "5541#0004", "FFFF#0002", "FFFF#0001",
      ])
    #expect(all[4].scheme == .rsassaPSSDER && all[4].publicKeyEncoding == .rsa2048DER)
  }

  @Test func `the server accepts an MDS 3 statement, and not the MDS entry with status reports that surrounds it`()
    throws
  {
    let statement = """
      {"aaid":"FFFF#0003","description":"x","authenticatorVersion":1,"protocolFamily":"uaf","schema":3,\
      "upv":[{"major":1,"minor":1}],"authenticationAlgorithms":["rsa_emsa_pkcs1_sha256_raw"],\
      "publicKeyAlgAndEncodings":["rsa_2048_raw"],"attestationTypes":["basic_surrogate"],"userVerificationDetails":\
      [[{"userVerificationMethod":"passcode_internal"}],[{"userVerificationMethod":"fingerprint_internal"}]],\
      "keyProtection":["hardware","tee"],"matcherProtection":["tee"],"tcDisplay":["any"],\
      "tcDisplayContentType":"text/plain","attestationRootCertificates":[]}
      """
    try write(statement, to: "a.json")
    let model = try #require(try models()[AAID("FFFF#0003")])
    #expect(model.scheme.rawValue == 8 && model.publicKeyEncoding == .rsa2048Raw)
    #expect(model.description.userVerification == 6 && model.verificationMethods == [[4], [2]])
    // An MDS entry has the statement and, next to it, reports such as a revocation. Accepting it would ignore these reports.
    try write("{\"aaid\":\"FFFF#0003\",\"metadataStatement\":\(statement),\"statusReports\":[]}", to: "a.json")
    #expect(error?.description.contains("an entry of the FIDO MDS") == true)
  }

  @Test(arguments: [
    ("{\"metadataStatement\":{},\"statusReports\":[]}", "is an entry of the FIDO MDS"),
    ("{\"no\":1,\"nextUpdate\":\"2026-01-01\",\"entries\":[]}", "is the list of the FIDO MDS"),
    ("eyJhbGciOiJFUzI1NiJ9.eyJlbnRyaWVzIjpbXX0.c2ln\n", "is the signed list of the FIDO MDS"),
    ("[]", "is not a metadata statement"), ("{}", "is not a metadata statement"),
    ("eyJ.eyJ", "is not a metadata statement"),
  ])
  func `the refusal of a metadata file names the FIDO MDS format that the file has`(text: String, words: String) throws
  {
    try write(text, to: "a.json")
    #expect(error?.description.contains("/a.json: \(words)") == true)
  }

  @Test func `a given statement about one of the project's own models replaces the built-in statement`() throws {
    var own = try statement("5541#0001")
    own.authenticatorVersion = 7
    try write(own.jsonText, to: "own.json")
    let models = try models()
    #expect(models.all.map(\.description.aaid.text) == ["5541#0002", "5541#0003", "5541#0004", "5541#0001"])
    #expect(models[try AAID("5541#0001")]?.description.authenticatorVersion == 7)
  }

  @Test(arguments: [
    ("assertionScheme", "\"UAFV2TLV\""), ("authenticationAlgorithm", "7"), ("authenticationAlgorithm", "10"),
    ("publicKeyAlgAndEncoding", "260"), ("publicKeyAlgAndEncoding", "258"), ("authenticationAlgorithm", "3"),
    ("keyProtection", "0"), ("attestationTypes", "[15879]"), ("aaid", "null"),
  ])
  func `the server refuses a statement that it cannot use for verification, and names the file`(
    member: String, value: String
  )
    throws
  {
    guard case .object(var object) = try statement("FFFF#0001").json else { return }
    object.set(member, try JSONValue(parsing: Array(value.utf8)))
    try write(JSONValue.object(object).text, to: "a.json")
    let path = if case .unusableFile(let path, _) = error { path } else { "" }
    #expect(path.hasSuffix("/a.json"))
  }

  @Test func `the server refuses a statement whose roots are not certificates`() throws {
    var statement = try statement("FFFF#0001")
    statement.attestationTypes = [15879]
    statement.attestationRootCertificates = [[0x30, 0]]
    #expect(throws: MetadataError.notACertificate) { try AuthenticatorModel(statement) }
  }

  @Test func `the server reads statements of the family fido2, whose models policies for passkeys can name`() throws {
    let root = try X509.certificates(pem: TestServerKeys.certificatePEM)[0]
    let aaguid = "cb69481e-8ff7-4039-93ec-0a2729a154a8"
    let statement = FIDO2Statement(aaguid: aaguid, description: "A key", attestationRootCertificates: [root])
    try write(statement.jsonText, to: "a.json")
    try write(try self.statement("FFFF#0001").jsonText, to: "b.json")
    let models = try models()
    #expect(models.passkeys.name(of: try #require(AAGUID(text: aaguid))) == "A key")
    #expect(!models.passkeys.contains(.zero) && models.all.last?.description.aaid.text == "FFFF#0001")
    try write(statement.jsonText, to: "c.json")
    let path = if case .unusableFile(let path, _) = error { path } else { "" }
    #expect(path.hasSuffix("/c.json"))
  }

  @Test(arguments: [
    ("aaguid", "null"), ("aaguid", "\"x\""), ("aaguid", "\"CB69481E-8FF7-4039-93EC-0A2729A154A8\""), ("schema", "2"),
    ("attestationTypes", "[\"basic_surrogate\"]"), ("attestationTypes", "[]"), ("attestationRootCertificates", "[]"),
    ("attestationRootCertificates", "[\"AAAA\"]"), ("description", "\"\""), ("protocolFamily", "\"u2f\""),
  ])
  func `the server refuses a statement about a passkey's model that it cannot use, and names the file`(
    member: String, value: String
  ) throws {
    let root = try X509.certificates(pem: TestServerKeys.certificatePEM)[0]
    let statement = FIDO2Statement(
      aaguid: "cb69481e-8ff7-4039-93ec-0a2729a154a8", description: "A key", attestationRootCertificates: [root])
    guard case .object(var object) = statement.json else {
      Issue.record("a statement is not an object")
      return
    }
    object.set(member, try JSONValue(parsing: Array(value.utf8)))
    try write(JSONValue.object(object).text, to: "a.json")
    let path = if case .unusableFile(let path, _) = error { path } else { "" }
    #expect(path.hasSuffix("/a.json"))
  }

  @Test func `the server refuses two statements about one model, even if their digits differ in case`() throws {
    try write(try statement("FFFF#000A").jsonText, to: "a.json")
    try write(try statement("ffff#000a").jsonText, to: "b.json")
    let path = if case .unusableFile(let path, _) = error { path } else { "" }
    #expect(path.hasSuffix("/b.json"))
  }

  @Test(arguments: ["", "{", "[]", "{}", "{\"aaid\":1,\"aaid\":2}"])
  func `the server refuses a metadata file that is not a statement`(text: String) throws {
    try write(text, to: "a.json")
    let path = if case .unusableFile(let path, _) = error { path } else { "" }
    #expect(path.hasSuffix("/a.json"))
  }

  @Test func `the server refuses a metadata folder that does not exist`() throws {
    let missing = MetadataFolder(path: folder.path() + "/missing")
    #expect(throws: ServerError.self) { try missing.models() }
  }

  @Test func `the server prints in its statements the limits that the configuration applies`() throws {
    let statement = try MetadataStatement.projectOwn(.passcode)
    #expect(
      statement.jsonText == """
        {"aaid":"5541#0001","description":"pam-uaf passcode","authenticatorVersion":1,"upv":[{"major":1,"minor":0},\
        {"major":1,"minor":1}],"assertionScheme":"UAFV1TLV","authenticationAlgorithm":1,\
        "publicKeyAlgAndEncoding":256,"attestationTypes":[15880],"userVerificationDetails":[[{"userVerification":4,\
        "caDesc":{"base":10,"minLength":4,"maxRetries":10,"blockSlowdown":30}}]],"keyProtection":1,\
        "isKeyRestricted":true,"isFreshUserVerificationRequired":true,"matcherProtection":1,"attachmentHint":1,\
        "isSecondFactorOnly":false,"tcDisplay":3,"tcDisplayContentType":"text/plain","attestationRootCertificates":[]}
        """)
    #expect(try MetadataStatement(parsing: statement.jsonText) == statement)
  }

  @Test
  func `the pattern's statement has as minComplexity the number of patterns with the smallest allowed number of nodes`()
    throws
  {
    let statement = try MetadataStatement.projectOwn(.pattern)
    #expect(
      statement.jsonText.contains(
        """
        "aaid":"5541#0002","description":"pam-uaf pattern"
        """))
    #expect(
      statement.jsonText.contains(
        """
        "userVerificationDetails":[[{"userVerification":128,"paDesc":{"minComplexity":1624,"maxRetries":10,\
        "blockSlowdown":30}}]]
        """))
    #expect(try MetadataStatement(parsing: statement.jsonText) == statement)
    #expect(Self.patterns(of: Pattern.minimumNodesRange.lowerBound) == 1624)
  }

  @Test
  func `the fingerprint's statement names fingerprint verification, with keys and matching protected by software`()
    throws
  {
    let statement = try MetadataStatement.projectOwn(.fingerprint)
    #expect(statement.userVerificationDetails == [[VerificationMethodDescriptor(userVerification: 0x02)]])
    #expect(
      statement.jsonText.contains(#""keyProtection":1,"#) && statement.jsonText.contains(#""matcherProtection":1,"#))
    #expect(try MetadataStatement(parsing: statement.jsonText) == statement)
  }

  @Test func `the face's statement names face verification, and states no accuracy that only a camera's maker knows`()
    throws
  {
    let statement = try MetadataStatement.projectOwn(.face)
    #expect(statement.userVerificationDetails == [[VerificationMethodDescriptor(userVerification: 0x10)]])
    #expect(!statement.jsonText.contains("baDesc") && statement.jsonText.contains(#""keyProtection":1,"#))
    #expect(try MetadataStatement(parsing: statement.jsonText) == statement)
  }

  /// Counts the patterns of this many nodes of the 3x3 grid in which no line passes over a node that is not part of the
  /// pattern.
  private static func patterns(of count: Int, after nodes: [Int] = []) -> Int {
    guard nodes.count < count else { return 1 }
    return (0..<9).filter { next in
      guard !nodes.contains(next) else { return false }
      guard let last = nodes.last else { return true }
      let (rows, columns) = (last / 3 + next / 3, last % 3 + next % 3)
      // Exactly between two nodes there is a node if their distances in rows and in columns are both even.
      guard rows.isMultiple(of: 2), columns.isMultiple(of: 2) else { return true }
      return nodes.contains(rows / 2 * 3 + columns / 2)
    }.reduce(0) { $0 + patterns(of: count, after: nodes + [$1]) }
  }

  @Test func `the server's statements describe the authenticators that the client has`() throws {
    for type in AuthenticatorType.allCases {
      let model = try #require(try AuthenticatorModels.projectOwn()[AAID(type.aaid)])
      #expect(model.description.userVerification == type.userVerification)
    }
  }
}
