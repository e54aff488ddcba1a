import Authenticator
import FidoResults
import UAFClient
import UAFMessages

/// The authenticators of one account in one call: which may be used, and which are open already.
@safe final class AccountAuthenticators {
  let account: AccountFile
  let directory: StateDirectory
  /// Those that have a value, in the configuration's order.
  let types: [AuthenticatorType]
  /// The one that was asked for by name.
  let named: AuthenticatorType?
  private(set) var opened: [UnlockedAuthenticatorBox] = []
  private var attempts: [AuthenticatorType: Attempts] = [:]

  init(
    _ account: AccountFile, _ types: [AuthenticatorType], named: AuthenticatorType?,
    in directory: consuming StateDirectory
  ) {
    self.account = account
    self.directory = directory
    self.types = types
    self.named = named
  }

  subscript(type: AuthenticatorType) -> UnlockedAuthenticatorBox? { opened.first { $0.type == type } }

  /// Whether every authenticator of this combination is open.
  func cover(_ way: [AuthenticatorType]) -> Bool { way.allSatisfy { self[$0] != nil } }

  /// The entries of this call for a type; `tries` is the limit when none was made yet.
  func attempts(_ type: AuthenticatorType, tries: Int) -> Attempts {
    let row = attempts[type] ?? Attempts(left: tries)
    attempts[type] = row
    return row
  }

  /// Adds an authenticator that was opened.
  func add(_ unlocked: UnlockedAuthenticatorBox) { opened.append(unlocked) }

  /// The types whose entered value today's rules would refuse.
  var staleTypes: [AuthenticatorType] { opened.filter(\.valueIsStale).map(\.type) }
}
