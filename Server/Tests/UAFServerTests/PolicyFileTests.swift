import Foundation
import Testing
import UAFAdministration
import UAFCrypto
import UAFMessages
import WebAuthn

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// The file that says which authenticators each account must use.
final class PolicyFileTests {
  private let path: String

  init() throws {
    path = URL.temporaryDirectory.appending(path: "policy-\(UUID().uuidString).json").path()
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  private func policies(_ text: String) throws -> AccountPolicies {
    try Data(text.utf8).write(to: URL(filePath: path))
    return try PolicyFile(path: path).policies(.projectOwn())
  }

  private func texts(_ accepted: AcceptedSets) -> [[String]] { accepted.sets.map { $0.map(\.text) } }

  @Test func `the policy file gives a group its own policy, and everybody else the common policy`() throws {
    let policies = try policies(
      """
      {"accepted": [["passcode"], ["5541#0002"]],
       "groups": {"operators": {"accounts": ["alice", "bob"], "accepted": [["pattern", "passcode"]]},
                  "guests": {"accounts": ["carol"], "accepted": [["pattern"]]}}}
      """)
    #expect(texts(policies.accepted(for: "alice")) == [["5541#0002", "5541#0001"]])
    #expect(texts(policies.accepted(for: "bob")) == [["5541#0002", "5541#0001"]])
    #expect(texts(policies.accepted(for: "carol")) == [["5541#0002"]])
    #expect(texts(policies.accepted(for: "Alice")) == [["5541#0001"], ["5541#0002"]])
    #expect(policies.groups.map(\.name) == ["operators", "guests"])
  }

  @Test func `the server accepts any single model if the policy file says nothing else`() throws {
    #expect(texts(try policies("{}").everybody) == [["5541#0001"], ["5541#0002"], ["5541#0003"], ["5541#0004"]])
  }

  @Test func `passkeys are accepted where the policy file says so, for everybody and for each group`() throws {
    let policies = try policies(
      """
      {"passkeys": {"userVerification": "preferred", "synced": false},
       "groups": {"operators": {"accounts": ["alice"], "accepted": [["pattern"]], "passkeys": {}},
                  "guests": {"accounts": ["carol"], "accepted": [["pattern"]]}}}
      """)
    #expect(
      policies.passkeys(for: "bob") == PasskeyPolicy(requiresUserVerification: false, acceptsSynced: false))
    #expect(policies.passkeys(for: "alice") == PasskeyPolicy(requiresUserVerification: true, acceptsSynced: true))
    #expect(policies.passkeys(for: "carol") == nil)
    #expect(try self.policies("{}").passkeys(for: "bob") == nil)
  }

  @Test func `a policy names models of passkeys by the AAGUIDs of metadata statements, each once`() throws {
    let text = "cb69481e-8ff7-4039-93ec-0a2729a154a8"
    let root = try X509.certificates(pem: TestServerKeys.certificatePEM)[0]
    let passkeys = try PasskeyModels([
      FIDO2Statement(aaguid: text, description: "x", attestationRootCertificates: [root])
    ])
    let parser = PolicyParser(models: try AuthenticatorModels([], passkeys: passkeys))
    func policies(_ models: String) throws -> AccountPolicies {
      try parser.policies(Array("{\"passkeys\":{\"models\":[\(models)]}}".utf8))
    }
    let aaguid = try #require(AAGUID(text: text))
    #expect(try policies("\"\(text)\"").passkeys(for: "bob") == PasskeyPolicy(models: [aaguid]))
    #expect(throws: PolicyProblem.self) { try policies("\"\(text)\",\"\(text)\"") }
    #expect(throws: PolicyProblem.self) { try policies("\"00000000-0000-0000-0000-000000000000\"") }
  }

  @Test func `the shipped example of a policy file can be read`() throws {
    let example = Checkout.file("examples/uaf-server-policy.json")
    let policies = try PolicyFile(path: example.path(percentEncoded: false)).policies(.projectOwn())
    #expect(!policies.groups.isEmpty)
  }

  @Test(arguments: [
    ("", "JSON"), ("{\"passkeys\":true}", "passkeys"), ("{\"passkeys\":{\"uv\":true}}", "uv"),
    ("{\"passkeys\":{\"userVerification\":\"discouraged\"}}", "passkeys.userVerification"),
    ("{\"passkeys\":{\"models\":[]}}", "passkeys.models"), ("{\"passkeys\":{\"models\":\"any\"}}", "passkeys.models"),
    ("{\"passkeys\":{\"models\":[\"cb69481e-8ff7-4039-93ec-0a2729a154a8\"]}}", "cb69481e-8ff7-4039-93ec-0a2729a154a8"),
    ("{\"passkeys\":{\"models\":[\"passcode\"]}}", "passkeys.models"),
    ("{\"passkeys\":{\"synced\":\"no\"}}", "passkeys.synced"), ("{\"passkeys\":{\"synced\":null}}", "passkeys.synced"),
    ("[]", "not a JSON object"), ("{\"accept\":[[\"passcode\"]]}", "accept"),
    ("{\"accepted\":[]}", "accepted"), ("{\"accepted\":[[]]}", "accepted[0]"),
    ("{\"accepted\":[\"passcode\"]}", "accepted[0]"), ("{\"accepted\":[[\"passcode\"],[4]]}", "accepted[1]"),
    ("{\"accepted\":null}", "accepted"), ("{\"accepted\":[[\"passcod\"]]}", "passcod"),
    ("{\"accepted\":[[\"FFFF#0001\"]]}", "FFFF#0001"), ("{\"accepted\":[[\"passcode\",\"5541#0001\"]]}", "twice"),
    ("{\"accepted\":[[\"passcode\"]],\"accepted\":[[\"pattern\"]]}", "duplicateMember"),
    ("{\"groups\":[]}", "groups"), ("{\"groups\":{\"g\":{}}}", "groups.g.accepted"),
    ("{\"groups\":{\"g\":{\"accepted\":[[\"passcode\"]]}}}", "groups.g.accounts"),
    ("{\"groups\":{\"g\":{\"accounts\":[],\"accepted\":[[\"passcode\"]]}}}", "groups.g.accounts"),
    ("{\"groups\":{\"g\":{\"accounts\":[\"a b\"],\"accepted\":[[\"passcode\"]]}}}", "a b"),
    ("{\"groups\":{\"g\":{\"accounts\":[\"a\",\"a\"],\"accepted\":[[\"passcode\"]]}}}", "twice"),
    ("{\"groups\":{\"g\":{\"accounts\":[\"a\"],\"accepted\":[[\"passcode\"]],\"disallowed\":[]}}}", "disallowed"),
    (
      """
      {"groups":{"g":{"accounts":["a"],"accepted":[["passcode"]]},"h":{"accounts":["b","a"],"accepted":[["pattern"]]}}}
      """, "another group"
    ),
  ])
  func `the server refuses a policy file that it does not fully understand, and says where`(
    text: String, reason: String
  ) throws {
    let error = #expect(throws: ServerError.self) { try policies(text) }
    let description = error?.description ?? ""
    #expect(description.hasPrefix(path) && description.contains(reason), "\(description)")
  }

  @Test func `the server refuses a policy file that does not exist`() throws {
    #expect(throws: ServerError.self) { try PolicyFile(path: path).policies(.projectOwn()) }
  }
}
