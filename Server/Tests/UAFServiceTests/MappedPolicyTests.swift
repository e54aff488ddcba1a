import Testing
import UAFMessages
import WebAuthn

@testable import UAFService

/// The policies of accounts that are in groups of the policy by mappings.
struct MappedPolicyTests {
  private static let (passcode, pattern, fingerprint) = ("5541#0001", "5541#0002", "5541#0003")

  private static func sets(_ sets: [[String]]) throws -> AcceptedSets {
    AcceptedSets(checked: try sets.map { try $0.map { try AAID($0) } })
  }

  private func group(
    _ name: String, naming accounts: Set<String> = [], _ sets: [[String]], passkeys: PasskeyPolicy? = nil
  ) throws -> AccountGroup {
    AccountGroup(name: name, accounts: accounts, accepted: try Self.sets(sets), passkeys: passkeys)
  }

  private func policies(_ groups: AccountGroup...) throws -> AccountPolicies {
    AccountPolicies(
      everybody: try Self.sets([[Self.passcode], [Self.pattern]]), passkeys: PasskeyPolicy(), groups: groups)
  }

  @Test func `a mapped account has the policy of its group, and everybody else the one for everybody`() throws {
    let policies = try policies(group("strict", naming: ["named"], [[Self.passcode, Self.pattern]]))
      .mapping(["strict": ["mina"]])
    #expect(policies.accepted(for: "mina") == (try Self.sets([[Self.passcode, Self.pattern]])))
    #expect(policies.group(of: "mina") == "strict" && policies.passkeys(for: "mina") == nil)
    #expect(policies.members(of: "strict") == ["named", "mina"])
    #expect(policies.accepted(for: "jun") == policies.everybody && policies.group(of: "jun") == nil)
    #expect(policies.passkeys(for: "jun") == PasskeyPolicy())
  }

  @Test func `an account that the policy names keeps the policy of that group alone`() throws {
    let policies = try policies(
      group("named", naming: ["mina"], [[Self.fingerprint]]), group("strict", [[Self.passcode, Self.pattern]])
    ).mapping(["strict": ["mina"], "named": ["mina", "jun"]])
    #expect(policies.accepted(for: "mina") == (try Self.sets([[Self.fingerprint]])))
    #expect(policies.group(of: "mina") == "named" && policies.members(of: "strict") == [])
    #expect(policies.members(of: "named") == ["mina", "jun"])
  }

  @Test func `an account with several groups must meet all of their policies together`() throws {
    let any = PasskeyPolicy(requiresUserVerification: false)
    let policies = try policies(
      group("a", [[Self.passcode], [Self.pattern]], passkeys: any),
      group("b", [[Self.pattern], [Self.fingerprint]], passkeys: PasskeyPolicy(acceptsSynced: false))
    ).mapping(["b": ["mina", "bob"], "a": ["mina", "alice"]])
    // A set that contains another one would only ask for more.
    #expect(
      policies.accepted(for: "mina")
        == (try Self.sets([[Self.passcode, Self.fingerprint], [Self.pattern]])))
    #expect(policies.passkeys(for: "mina") == PasskeyPolicy(acceptsSynced: false))
    #expect(policies.group(of: "mina") == "a + b")
    #expect(policies.members(of: "a") == ["mina", "alice"] && policies.members(of: "b") == ["mina", "bob"])
  }

  @Test func `a further group never allows what one group alone refuses`() throws {
    let sets: [[[String]]] = [
      [[Self.passcode]], [[Self.pattern], [Self.fingerprint]], [[Self.passcode, Self.pattern], [Self.fingerprint]],
      [[Self.fingerprint, Self.passcode], [Self.pattern]],
    ]
    let models = [Self.passcode, Self.pattern, Self.fingerprint]
    for first in sets {
      for second in sets {
        let both = try Self.sets(first).together(with: Self.sets(second))
        #expect(!both.sets.isEmpty)
        for choice in 0..<8 {
          let shape = KeyShape(models.enumerated().filter { choice >> $0.offset & 1 == 1 }.map { ($0.element, 32) })
          #expect(
            try both.areMet(by: shape) == (Self.sets(first).areMet(by: shape) && Self.sets(second).areMet(by: shape)))
        }
      }
    }
  }

  @Test func `passkeys are refused to an account if one of its groups refuses them, whatever the others accept`() throws
  {
    let model = AAGUID(text: "cb69481e-8ff7-4039-93ec-0a2729a154a8")
    let one = PasskeyPolicy(models: Set([model].compactMap(\.self)))
    let policies = try policies(
      group("a", [[Self.passcode]], passkeys: PasskeyPolicy()), group("b", [[Self.passcode]]),
      group("c", [[Self.passcode]], passkeys: one)
    ).mapping(["a": ["mina", "jun"], "b": ["mina"], "c": ["jun"]])
    #expect(policies.passkeys(for: "mina") == nil)
    #expect(policies.passkeys(for: "jun") == one && one.models?.count == 1)
  }

  @Test func `refuses a mapping to a group that the policy does not have, even without members`() throws {
    let policies = try policies(group("strict", [[Self.passcode]]))
    #expect(throws: UnknownPolicyGroup(name: "gone")) { try policies.mapping(["gone": [], "strict": ["mina"]]) }
  }

  @Test func `new members replace those before`() throws {
    let policies = try policies(group("strict", [[Self.fingerprint]])).mapping(["strict": ["mina"]])
    let later = try policies.mapping(["strict": ["jun"]])
    #expect(later.accepted(for: "mina") == later.everybody && later.group(of: "jun") == "strict")
  }
}
