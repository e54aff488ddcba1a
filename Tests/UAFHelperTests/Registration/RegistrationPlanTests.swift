import AuthenticatorTypes
import FidoResults
import Testing

@testable import UAFHelper

@Suite struct RegistrationPlanTests {
  private let enabled: [AuthenticatorType] = [.passcode, .pattern]

  private func plan(
    _ enrolled: [AuthenticatorType], dead: [AuthenticatorType] = [], behind: [AuthenticatorType] = [],
    enabled: [AuthenticatorType]? = nil,
    needsCode: Bool = true, hasCode: Bool, named: AuthenticatorType? = nil
  ) -> RegistrationPlan {
    RegistrationPlan(
      for: .init(
        enabled: enabled ?? self.enabled, enrolled: enrolled, dead: dead, refused: dead + behind, needsCode: needsCode),
      hasCode: hasCode, named: named)
  }

  @Test(arguments: [AuthenticatorType.passcode, .pattern])
  func `a code for a type that has a secret replaces the secret, whether the type is named or not`(
    _ type: AuthenticatorType
  ) {
    #expect(plan([type], hasCode: true) == .replace(oneOf: [type]))
    #expect(plan([type], hasCode: true, named: type) == .replace(oneOf: [type]))
    #expect(plan([type], enabled: [type], hasCode: true) == .replace(oneOf: [type]))
    #expect(plan([.passcode, .pattern], hasCode: true, named: type) == .replace(oneOf: [type]))
  }

  @Test func `a code for a type without a secret adds one, if the type is named or nothing else is possible`() {
    #expect(plan([.passcode], hasCode: true, named: .pattern) == .add(among: enabled))
    #expect(plan([], hasCode: true) == .add(among: enabled))
    #expect(plan([], hasCode: true, named: .passcode) == .add(among: enabled))
    #expect(plan([.fingerprint], enabled: [.passcode, .fingerprint], hasCode: true) == .add(among: [.passcode]))
  }

  @Test
  func `a code without a type replaces the secrets whose keys the server forgot, or any if it forgot none`() {
    #expect(plan([.passcode, .pattern], hasCode: true) == .replace(oneOf: [.passcode, .pattern]))
    #expect(plan([.passcode, .pattern], dead: [.pattern], hasCode: true) == .replace(oneOf: [.pattern]))
    #expect(plan([.passcode, .pattern], behind: [.passcode], hasCode: true) == .replace(oneOf: [.passcode]))
    #expect(
      plan([.passcode, .fingerprint], dead: [.fingerprint], enabled: [.passcode, .fingerprint], hasCode: true)
        == .replace(oneOf: [.passcode]))
  }

  @Test func `without a code no secret is replaced, whatever type is named, registered or forgotten`() {
    let sets: [[AuthenticatorType]] = [[], [.passcode], [.pattern], [.passcode, .pattern]]
    for enrolled in sets {
      for dead in sets where dead.allSatisfy(enrolled.contains) {
        for named in [nil, .passcode, .pattern] as [AuthenticatorType?] {
          for needsCode in [true, false] {
            let plan = plan(enrolled, dead: dead, needsCode: needsCode, hasCode: false, named: named)
            if case .replace = plan { Issue.record("\(plan)") }
          }
        }
      }
    }
  }

  @Test func `without a code a registration is refused if every type has a secret, and none is asked for`() {
    #expect(plan([.passcode, .pattern], hasCode: false) == .refuse(.nothingLeftToRegister))
    #expect(plan([.passcode], enabled: [.passcode], hasCode: false) == .refuse(.nothingLeftToRegister))
    #expect(plan([.passcode], enabled: [.passcode], needsCode: false, hasCode: false) == .add(among: [.passcode]))
    #expect(plan([.passcode], hasCode: false) == .add(among: [.pattern]))
    #expect(plan([.passcode], dead: [.passcode], hasCode: false) == .add(among: [.passcode]))
  }
}
