import Authenticator
import FidoResults

/// What a registration does, decided by what the account has here, whether a code was given, and which type was named.
///
/// A value without files and questions. A code proves the person. So a code for a type that is registered replaces its value,
/// and nobody is asked for the value that was forgotten. Without a code nothing replaces a value: a new key then goes under the
/// value that is set.
enum RegistrationPlan: Equatable {
  /// New keys for types of these: under a new value, or under the one that is set, once it was entered.
  case add(among: [AuthenticatorType])
  /// A new value and a new key for one of these, in place of those that it has.
  case replace(oneOf: [AuthenticatorType])
  /// Nothing can be registered.
  case refuse(EndCause)

  /// The types that take part.
  var types: [AuthenticatorType] {
    switch self {
    case .add(let types), .replace(let types): types
    case .refuse: []
    }
  }

  /// What the account has on this machine.
  struct Standing: Equatable {
    /// The types that root has enabled.
    var enabled: [AuthenticatorType]
    /// Those of them with a value.
    var enrolled: [AuthenticatorType] = []
    /// Those whose keys the server has revoked or does not know, by its last answers.
    var dead: [AuthenticatorType] = []
    /// Whether the server demands a code of each account.
    var needsCode = true
  }

  init(for standing: Standing, hasCode: Bool, named: AuthenticatorType?) {
    if let named {
      self = hasCode && standing.enrolled.contains(named) ? .replace(oneOf: [named]) : .add(among: standing.enabled)
      return
    }
    let typed = standing.enrolled.filter(\.isTyped)
    if hasCode, !typed.isEmpty {
      let dead = typed.filter(standing.dead.contains)
      self = .replace(oneOf: dead.isEmpty ? typed : dead)
      return
    }
    guard standing.dead.isEmpty else {
      self = .add(among: standing.dead)
      return
    }
    let open = standing.enabled.filter { !standing.enrolled.contains($0) }
    if !open.isEmpty {
      self = .add(among: open)
    } else if standing.enabled.count == 1, !standing.needsCode || hasCode {
      self = .add(among: standing.enabled)
    } else {
      // Asked for here, a forgotten value would cost tries and lead nowhere.
      self = .refuse(.nothingLeftToRegister)
    }
  }
}
