import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// What the server asks clients about how the person was verified, and which statements it believes.
@Suite(.onEachStore) struct VerificationMethodTests {
  private static let passcode = UserVerificationMethodEntry(
    userVerificationMethod: UserVerification.passcode, keyProtection: 1, matcherProtection: 1)

  private static func entry(_ bytes: [UInt8]) throws -> UserVerificationMethodEntry {
    try #require(UserVerificationMethodEntry.entries(parsing: bytes)?.first)
  }

  /// The outcome of an authentication whose assertion names these verification methods, at a server with this setting.
  private func outcome(
    _ setting: VerificationMethodPolicy, _ methods: [UserVerificationMethodEntry]?
  ) async throws -> ServiceRefusal? {
    let server = try TestServer(verificationMethods: setting)
    let alice = try await server.registered("alice", verificationMethods: [Self.passcode])
    let request = try await server.authenticationRequest("alice")
    let response = try alice.authenticate(request, counter: 1, verificationMethods: methods)
    return try await server.respond(response).0
  }

  @Test(arguments: [
    (VerificationMethodPolicy.off, [Extension]()),
    (.ask, [Extension(id: "fido.uaf.uvm", data: "", failIfUnknown: false)]),
    (.require, [Extension(id: "fido.uaf.uvm", data: "", failIfUnknown: true)]),
  ])
  func `the server asks for verification methods in the header of each request, if that is configured`(
    _ setting: VerificationMethodPolicy, _ expected: [Extension]
  ) async throws {
    let server = try TestServer(verificationMethods: setting)
    var context = UAFMessages.RequestContext(username: "alice")
    context.codeProof = try await server.enrol("alice")
    let registration = try await UAFRequest(parsing: #require(server.get(.registration, context).uafRequest))
    #expect(registration.header.exts == expected)
    #expect(try await server.authenticationRequest("alice").header.exts == expected)
  }

  @Test func `the server accepts the verification methods that the model has, whether it asked for them or not`()
    async throws
  {
    for setting in VerificationMethodPolicy.allCases { #expect(try await outcome(setting, [Self.passcode]) == nil) }
  }

  @Test func `a login whose assertion names no verification method is refused if one is required`() async throws {
    #expect(try await outcome(.require, nil) == .verificationMethodMissing)
    #expect(try await outcome(.ask, nil) == nil)
    #expect(try await outcome(.off, nil) == nil)
  }

  @Test func `a registration whose assertion names no verification method is refused if one is required`() async throws
  {
    let server = try TestServer(verificationMethods: .require)
    let authenticator = try FakeAuthenticator()
    var context = UAFMessages.RequestContext(username: "alice")
    context.codeProof = try await server.enrol("alice")
    let request = try await authenticator.registrationRequest(from: server.get(.registration, context))
    #expect(try await server.respond(authenticator.register(request)).0 == .verificationMethodMissing)
    let again = try await authenticator.registrationRequest(from: server.get(.registration, context))
    let other = try Self.entry([0x80, 0, 0, 0, 1, 0, 1, 0])
    let lie = try authenticator.register(again, verificationMethods: [other])
    #expect(try await server.respond(lie).0 == .otherVerificationMethod)
  }

  /// Each assertion is correctly signed, so only the entry can be the reason for the refusal.
  @Test func `refuses a verification method entry with any one bit changed`() async throws {
    let good = UserVerificationMethodEntry.data(of: [Self.passcode])
    let server = try TestServer()
    let alice = try await server.registered("alice")
    for bit in 0..<(good.count * 8) {
      var bytes = good
      bytes[bit / 8] ^= 1 << (bit % 8)
      let request = try await server.authenticationRequest("alice")
      let response = try alice.authenticate(request, counter: UInt32(bit + 1), verificationMethodData: bytes)
      let refusal = try await server.respond(response).0
      #expect(refusal == .otherVerificationMethod || refusal == .malformedAssertion, "bit \(bit)")
      #expect(refusal?.statusCode == .unacceptableContent)
    }
  }

  @Test func `if a model combines several verification methods, the server requires that all of them were used`() throws
  {
    var statement = MetadataStatement(
      aaid: try AAID("FFFF#0001"), description: "x",
      userVerificationDetails: [
        [VerificationMethodDescriptor(userVerification: 4), VerificationMethodDescriptor(userVerification: 2)],
        [VerificationMethodDescriptor(userVerification: 0x80)],
      ])
    statement.keyProtection = 6
    let model = try AuthenticatorModel(statement)
    let identity = try ServerIdentity(publicURL: "https://a.test", facets: [], certificates: [])
    let verifier = Verifier(identity: identity, models: try AuthenticatorModels([statement]), now: 0)
    func refusal(_ methods: [(UInt32, UInt16)]) -> ServiceRefusal? {
      do throws(ServiceRefusal) {
        try verifier.verify(
          methods.map {
            UserVerificationMethodEntry(userVerificationMethod: $0.0, keyProtection: $0.1, matcherProtection: 1)
          }, model: model)
        return nil
      } catch { return error }
    }
    #expect(refusal([(4, 6), (2, 4)]) == nil)
    #expect(refusal([(2, 2), (4, 2)]) == nil)
    #expect(refusal([(0x80, 6)]) == nil)
    for wrong in [[(4, 6)], [(2, 6)], [(4, 6), (0x80, 6)], [(4, 6), (2, 6), (0x80, 6)], [(0x80, 7)], [(0x80, 1)]]
      as [[(UInt32, UInt16)]]
    {
      #expect(refusal(wrong) == .otherVerificationMethod, "\(wrong)")
    }
  }
}
