import Foundation
import Testing
import UAFMessages

@testable import UAFDecoder

struct DecodedMessageTests {
  /// The request or the response of a vector in Tests/Vectors/uaf, as text.
  private static func vector(_ name: String, _ member: String) throws -> String {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let json = try JSONValue(parsing: Array(Data(contentsOf: tests.appending(path: "Vectors/uaf/\(name).json"))))
    guard case .object(let object) = json, let value = object[member] else { throw CocoaError(.coderValueNotFound) }
    return value.text
  }

  private static func decode(_ text: String) throws -> DecodedMessage { try DecodedMessage(Array(text.utf8)) }

  /// The registration response of a vector, and its first assertion.
  private static func registration(_ name: String) throws -> (RegistrationResponse, [UInt8]) {
    guard case .registration(let response) = try UAFResponse(parsing: vector(name, "response")),
      let assertion = response.assertions.first
    else { throw CocoaError(.coderReadCorrupt) }
    return (response, assertion.assertion)
  }

  /// Whether the decoder reports the surrogate signature of this message as valid.
  private static func isSigned(_ text: String) throws -> Bool {
    try decode(text).checks.contains { $0.outcome == .holds && $0.statement.contains("the surrogate signature") }
  }

  private static let names = [
    "auth-bad-signature", "auth-counter-same", "auth-ok-1", "auth-sig1-key100", "auth-sig2-key101",
    "auth-tx-sig1-key100", "auth-tx-sig2-key101", "auth-tx-wrong-hash", "reg-full-leaf-only", "reg-full-untrusted-root",
    "reg-order",
    "reg-ext-noncritical", "reg-surrogate-sig1-key100", "reg-surrogate-sig2-key101",
  ]

  @Test(arguments: names) func `accepts a message that only a server, with its own data, can refuse`(
    _ name: String
  ) throws {
    for member in ["request", "response"] {
      let message = try Self.decode(Self.vector(name, member))
      #expect(message.holds, "\(message.lines.joined(separator: "\n"))")
      #expect(message.checks.contains { $0.outcome == .holds })
      #expect(message.checks.contains { $0.outcome == .unknown })
    }
  }

  @Test(arguments: [
    ("reg-bad-fch", "message 1, assertion 1: the FinalChallengeHash is the SHA-256 of fcParams"),
    ("reg-bad-signature", "message 1, assertion 1: the surrogate signature was made with the registered key"),
  ])
  func `names the check that a message fails`(name: String, statement: String) throws {
    let message = try Self.decode(Self.vector(name, "response"))
    #expect(message.checks.filter { $0.outcome == .fails }.map(\.statement) == [statement])
    #expect(message.lines.last { $0.hasPrefix("FAIL") } == "FAIL  \(statement)")
  }

  @Test(arguments: ["reg-ext-critical", "reg-mode2", "reg-outer-auth-tag", "reg-trailing"])
  func `refuses a malformed assertion, but still shows its contents`(_ name: String) throws {
    let message = try Self.decode(Self.vector(name, "response"))
    #expect(message.checks.contains { $0.outcome == .fails && $0.statement.contains("malformed at byte") })
    #expect(message.tree.contains { $0.contains("assertion, ") })
  }

  @Test(
    arguments: [
      (
        [4, 0, 0, 0, 1, 0, 1, 0],
        "verified by: userVerification 4 (passcode), keyProtection 1 (software), matcherProtection 1 (software)"
      ),
      ([4, 0, 0, 0, 1, 0, 1], "not 1 to 3 verification methods of 8 bytes each"),
    ] as [([UInt8], String)])
  func `shows how the person was verified, or that this part cannot be read`(_ data: [UInt8], _ line: String) throws {
    var writer = TLVWriter()
    try writer.append(composite: .nonCriticalExtension) { (object) throws(TLVError) in
      try object.append(.extensionID, Array("fido.uaf.uvm".utf8))
      try object.append(.extensionData, data)
    }
    let message = try Self.decode(Base64URL.encode(writer.bytes))
    #expect(message.tree.map { $0.trimmingCharacters(in: .whitespaces) }.contains(line))
  }

  @Test func `shows the parts of a registration with their names in the specification`() throws {
    let message = try Self.decode(Self.vector("reg-surrogate-sig2-key101", "response"))
    let lines = message.tree.map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(lines.contains("upv: 1.0"))
    #expect(lines.contains(#"op: "Reg""#))
    #expect(lines.contains("fcParams (base64url)"))
    #expect(lines.contains(#"facetID: "https://example.test""#))
    #expect(lines.contains { $0.hasPrefix("0x3E01 TAG_UAFV1_REG_ASSERTION, ") })
    #expect(lines.contains(#"0x2E0B TAG_AAID: "EBA0#0002""#))
    let information = "0x2E0E TAG_ASSERTION_INFO: AuthenticatorVersion 1, mode 1 (user verified)"
    #expect(lines.contains { $0.hasPrefix(information) })
    let algorithms = "0x0002 ALG_SIGN_SECP256R1_ECDSA_SHA256_DER, key 0x0101 ALG_KEY_ECC_X962_DER"
    #expect(lines.contains { $0.hasSuffix(algorithms) })
    #expect(lines.contains { $0.hasPrefix("0x2E0D TAG_COUNTERS: SignCounter 0, RegCounter 1") })
    // The content of an element is indented by two more spaces.
    let krd = try #require(message.tree.first { $0.contains("TAG_UAFV1_KRD") })
    let aaid = try #require(message.tree.first { $0.contains("TAG_AAID") })
    #expect(aaid.prefix { $0 == " " }.count == krd.prefix { $0 == " " }.count + 2)
  }

  @Test func `decodes the messages inside the strings of a transport body`() throws {
    let response = try Self.vector("auth-sig1-key100", "response")
    let body = JSONValue.object(["uafResponse": .string(response), "context": .string(#"{"username":"maria"}"#)]).text
    let message = try Self.decode(body)
    #expect(message.holds)
    #expect(message.checks.contains { $0.statement == "message 1, assertion 1 is well-formed" })
    #expect(message.tree.contains { $0.hasSuffix(#"username: "maria""#) })
  }

  @Test func `explains the numbers in a policy with words`() throws {
    let lines = try Self.decode(#"{"policy":{"accepted":[[{"userVerification":1156,"keyProtection":6}]]}}"#).tree
    #expect(lines.contains { $0.hasSuffix("userVerification: 1156 (passcode, pattern, all of them)") })
    #expect(lines.contains { $0.hasSuffix("keyProtection: 6 (hardware, TEE)") })
  }

  @Test func `decodes an assertion, or final challenge parameters, without a message around it`() throws {
    let (response, assertion) = try Self.registration("reg-surrogate-sig1-key100")
    let bare = try Self.decode(Base64URL.encode(assertion) + "\n")
    #expect(bare.tree.first?.hasPrefix("0x3E01 TAG_UAFV1_REG_ASSERTION") == true)
    #expect(bare.holds && bare.checks.map(\.outcome) == [.holds, .holds, .unknown, .unknown])
    guard case .authentication(let login) = try UAFResponse(parsing: Self.vector("auth-sig1-key100", "response")) else {
      throw CocoaError(.coderReadCorrupt)
    }
    #expect(try Self.decode(Base64URL.encode(#require(login.assertions.first).assertion)).holds)
    let parameters = try Self.decode(response.fcParams)
    #expect(parameters.tree.contains(#"facetID: "https://example.test""#))
    #expect(parameters.holds && parameters.checks.map(\.outcome) == [.holds])
  }

  @Test func `verifies the signature of a registration assertion that is given without its message`() throws {
    let signed = try Self.decode(Base64URL.encode(Self.registration("reg-surrogate-sig1-key100").1))
    #expect(signed.checks.contains { $0.outcome == .holds && $0.statement.contains("the surrogate signature") })
    let certified = try Self.decode(Base64URL.encode(Self.registration("reg-full-leaf-only").1))
    #expect(certified.checks.contains { $0.outcome == .holds && $0.statement.contains("the attestation's signature") })
    let forged = try Self.decode(Base64URL.encode(Self.registration("reg-bad-signature").1))
    #expect(!forged.holds)
    #expect(
      forged.checks.filter { $0.outcome == .fails }.map(\.statement) == [
        "bare assertion: the surrogate signature was made with the registered key"
      ])
  }

  @Test(arguments: ["reg-ext-critical", "reg-mode2", "reg-outer-auth-tag", "reg-trailing"])
  func `refuses a malformed assertion that is given without its message`(_ name: String) throws {
    #expect(try !Self.decode(Base64URL.encode(Self.registration(name).1)).holds)
  }

  @Test(arguments: ["AQ", "AT4", "abc", "null", "true"]) func `refuses bytes that are not an assertion`(
    _ text: String
  ) throws {
    let message = try Self.decode(text)
    #expect(!message.holds && message.checks.count == 1)
    #expect(message.lines.last?.hasPrefix("FAIL  bare assertion: ") == true)
  }

  @Test(arguments: [
    "[]", "{}", "[{}]", "[1]", "[null]", "7", #""""#, #""abc""#, #"{"a":1}"#, #"{"uafProtocolMessage":"[{}]"}"#,
    #"{"uafProtocolMessage":"[{"}"#, #"{"statusCode":1200}"#, #"{"appID":"a","facetID":"a"}"#, "e30", "W10",
  ])
  func `refuses JSON that contains no UAF message`(_ text: String) throws {
    let message = try Self.decode(text)
    #expect(!message.holds && message.lines.last == "FAIL  no UAF message found")
  }

  @Test(arguments: ["", " \n", "{", "[1,]", "{\"a\":1,\"a\":2}", "not base64!", "\u{FEFF}[]"])
  func `refuses text that is neither JSON nor base64url`(_ text: String) {
    #expect(throws: JSONError.self) { try Self.decode(text) }
  }

  @Test(arguments: [#"[{"header":7}]"#, #"[{"header":{},"assertions":[]}]"#])
  func `refuses text that only begins like a message`(_ text: String) throws {
    let message = try Self.decode(text)
    #expect(!message.holds && !message.checks.contains { $0.outcome == .holds })
  }

  @Test func `shows a message without any control character of a terminal`() throws {
    let text = "\u{1B}[2J\u{202E}\u{9B}é\u{7F}"
    let body = JSONValue.object([text: .string(text), "header": .object(["appID": .string(text)])]).text
    let lines = try Self.decode(body).lines
    #expect(lines.allSatisfy { line in line.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
    #expect(lines.contains { $0.contains(#"\u{1b}[2J\u{202e}"#) })
  }

  @Test(arguments: ["reg-surrogate-sig1-key100", "reg-surrogate-sig2-key101"])
  func `reports no valid signature if a bit of the registration is flipped or its end is missing`(_ name: String) throws
  {
    let text = try Self.vector(name, "response")
    let (_, assertion) = try Self.registration(name)
    try #require(try Self.isSigned(text))
    for index in assertion.indices {
      for bit in 0..<8 {
        var changed = assertion
        changed[index] ^= 1 << UInt8(bit)
        let mutant = text.replacing(Base64URL.encode(assertion), with: Base64URL.encode(changed))
        #expect(try !Self.isSigned(mutant), "byte \(index), bit \(bit)")
      }
      let cut = text.replacing(Base64URL.encode(assertion), with: Base64URL.encode(assertion[..<index]))
      #expect(try !Self.isSigned(cut), "cut to \(index)")
    }
  }

  @Test(arguments: ["reg-full-leaf-only", "reg-full-untrusted-root"])
  func `verifies a full attestation, and refuses it with a flipped bit in the signed part`(
    _ name: String
  ) throws {
    let text = try Self.vector(name, "response")
    let statement = "message 1, assertion 1: the attestation's signature is made with the first certificate's key"
    func holds(_ text: String) throws -> Bool {
      try Self.decode(text).checks.contains { $0.outcome == .holds && $0.statement == statement }
    }
    try #require(try holds(text))
    let (_, assertion) = try Self.registration(name)
    let signed = try UnverifiedRegistrationAssertion(parsing: assertion).signedBytes.count
    for index in 0..<(4 + signed) {
      var changed = assertion
      changed[index] ^= 1 << UInt8(index % 8)
      #expect(try !holds(text.replacing(Base64URL.encode(assertion), with: Base64URL.encode(changed))), "byte \(index)")
    }
  }

  @Test func `reports a full attestation as invalid if its certificate has a different key`() throws {
    let (response, assertion) = try Self.registration("reg-full-leaf-only")
    let parsed = try UnverifiedRegistrationAssertion(parsing: assertion)
    guard case .full(let signature, let certificates) = parsed.attestation else { throw CocoaError(.coderReadCorrupt) }
    for other in [[0x30, 0], certificates[0] + [0]] as [[UInt8]] {
      var inner = TLVWriter()
      try inner.append(composite: .attestationBasicFull) { (object) throws(TLVError) in
        try object.append(.signature, signature)
        try object.append(.attestationCertificate, other)
      }
      var writer = TLVWriter()
      try writer.append(.registrationAssertion, parsed.signedBytes + inner.bytes)
      let changed = RegistrationResponse(
        header: response.header, fcParams: response.fcParams,
        assertions: [AuthenticatorRegistrationAssertion(assertion: writer.bytes)])
      let message = try Self.decode(UAFResponse.registration(changed).text)
      #expect(
        message.checks.filter { $0.outcome == .fails }.map(\.statement) == [
          "message 1, assertion 1: the first certificate has a key for the signature's algorithm"
        ])
    }
  }

  @Test func `does not crash at absurd nesting, lengths and numbers`() throws {
    let deep = String(repeating: "[", count: 15) + String(repeating: "]", count: 15)
    #expect(try !Self.decode("{\"a\":\(deep)}").holds)
    var nested: [UInt8] = []
    for _ in 0..<200 { nested = [0x01, 0x3E, UInt8(nested.count & 0xFF), UInt8(nested.count >> 8)] + nested }
    #expect(try Self.decode(Base64URL.encode(nested)).tree.count < 20)
    #expect(try Self.decode("{\"userVerification\":-1,\"x\":1e999}").tree.count == 2)
    #expect(throws: JSONError.self) { try Self.decode("\"" + String(repeating: "a", count: 300_000) + "\"") }
  }
}
