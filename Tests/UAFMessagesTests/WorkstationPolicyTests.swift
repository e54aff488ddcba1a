import Testing

@testable import UAFMessages

/// What a server demands of the machines of a group, as the claims of a signed token.
@Suite struct WorkstationPolicyTests {
  private static let now: Int64 = 1_800_000_000

  private func policy(text: String = "[passcode]\nmin_length = 12\n") -> WorkstationPolicy {
    WorkstationPolicy(
      deviceID: "d-1", group: .standard, version: 7, text: text, issuedAt: Self.now, notBefore: Self.now,
      expiresAt: Self.now + WorkstationPolicy.standardLifetime)
  }

  private func claims(_ changes: [String: JSONValue] = [:]) throws -> JSONObject {
    var object: JSONObject = [:]
    if case .object(let own) = policy().json { object = own }
    for (name, value) in changes { object.set(name, value) }
    return object
  }

  @Test func `a policy is read back as it was written, even one that demands nothing`() throws {
    #expect(WorkstationPolicy(claims: try claims()) == policy())
    #expect(WorkstationPolicy(claims: try claims(["toml": .string("")])) == policy(text: ""))
  }

  @Test func `ignores unknown claims of a policy, which a later version may have`() throws {
    #expect(WorkstationPolicy(claims: try claims(["more": .integer(1)])) == policy())
  }

  @Test(arguments: ["machine", "group", "version", "iat", "nbf", "exp", "toml"])
  func `refuses a policy in which any claim has a wrong type`(_ name: String) throws {
    #expect(WorkstationPolicy(claims: try claims([name: .null])) == nil)
    #expect(WorkstationPolicy(claims: try claims([name: .bool(true)])) == nil)
    #expect(WorkstationPolicy(claims: try claims([name: .array([])])) == nil)
  }

  @Test(
    arguments: [
      ("machine", .string("")), ("machine", .string(String(repeating: "d", count: 129))),
      ("group", .string("")), ("group", .string("Lab")), ("group", .string("../lab")),
      ("version", .integer(0)), ("version", .integer(-1)), ("version", .integer(1 << 53)), ("version", .integer(.max)),
      ("iat", .integer(-1)), ("nbf", .integer(-1)), ("iat", .integer(.max)), ("iat", .integer(.min)),
      ("exp", .integer(now)), ("exp", .integer(.max)), ("exp", .integer(.min)), ("nbf", .integer(.max)),
      ("exp", .integer(now + 31_622_401)), ("iat", .integer(now + 7_776_000)),
    ] as [(String, JSONValue)])
  func `refuses a policy with a claim outside its limits`(_ name: String, _ value: JSONValue) throws {
    #expect(WorkstationPolicy(claims: try claims([name: value])) == nil)
  }

  @Test func `refuses a policy text of more than 16 KiB`() throws {
    let most = String(repeating: "#", count: WorkstationPolicy.maximumTextBytes)
    #expect(WorkstationPolicy(claims: try claims(["toml": .string(most)])) != nil)
    #expect(WorkstationPolicy(claims: try claims(["toml": .string(most + "#")])) == nil)
    // 17 KiB as UTF-8, although it has fewer than 16,384 characters.
    let korean = String(repeating: "가", count: 17 * 1024 / 3)
    #expect(WorkstationPolicy(claims: try claims(["toml": .string(korean)])) == nil)
  }
}
