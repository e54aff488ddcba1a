import UAFAdministration
import UAFMessages

/// The same step for several accounts or machines, confirmed with one signature.
///
/// Each of them is a change of its own, in the order of the list. If one is refused in between, those before it are done.
struct BulkStep: Equatable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case disable
    case enable
    case revokeKeys = "revoke-keys"
    case revokeMachines = "revoke-machines"
  }

  let kind: Kind
  let names: [String]
  let reason: String

  /// The steps of which it consists.
  var each: [DangerousStep] {
    names.map { name in
      switch kind {
      case .disable: .disableAccount(name, reason: reason)
      case .enable: .enableAccount(name)
      case .revokeKeys: .revokeAll(of: name, reason: reason)
      case .revokeMachines: .revokeMachine(name, reason: reason)
      }
    }
  }

  /// The text to sign with all names; long lists have their number and the SHA-256 of the names instead.
  func text(isShort: Bool) throws -> String {
    let (count, what) = (names.count, isShort ? "SHA-256 \(try digits)" : names.joined(separator: ", "))
    return switch kind {
    case .disable: "Disable \(count) accounts: \(what)"
    case .enable: "Enable \(count) accounts: \(what)"
    case .revokeKeys: "Revoke all keys of \(count) accounts: \(what)"
    case .revokeMachines: "Revoke all keys on \(count) machines: \(what)"
    }
  }

  /// The first digits of the SHA-256 of the names, each on a line of its own.
  var digits: String {
    get throws { String(try DangerousStep.hash(names.joined(separator: "\n")).prefix(16)) }
  }

  var permission: Permission {
    switch kind {
    case .disable, .enable: .manageAccounts
    case .revokeKeys, .revokeMachines: .revoke
    }
  }
}
