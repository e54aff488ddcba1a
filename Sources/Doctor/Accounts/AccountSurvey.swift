import Glibc
import HostSystem

/// The state of every account registered on this machine; only for root, who may read the state folder.
package struct AccountSurvey {
  /// An account whose state cannot be used, and the core's words.
  package struct Refused: Equatable {
    package let name: String
    package let text: String
  }

  /// Accounts whose state was read.
  private(set) var standing: [StatusDocument] = []
  /// Accounts whose state cannot be used.
  private(set) var refused: [Refused] = []
  /// Files whose number belongs to no account.
  private(set) var nobodys: [String] = []

  /// Asks the core about each account that has a file.
  ///
  /// - Parameters:
  ///   - folder: the state folder.
  ///   - numbers: the numbers of the accounts that have a file there.
  ///   - accounts: where their names are looked up.
  /// - Throws: ``StatusFailure`` where the core cannot be asked.
  package init(
    _ folder: String, of numbers: [uid_t], accounts: any AccountDirectory, core: any StatusSource
  ) throws(StatusFailure) {
    for number in numbers {
      guard let account = accounts.account(withID: number) else {
        nobodys.append("\(folder)/accounts/\(number).db")
        continue
      }
      let name = String(decoding: account.name, as: UTF8.self)
      switch try core.status(of: name) {
      // A deregistered account still has a file.
      case .standing(let document): if document.isRegistered { standing.append(document) }
      case .refused(let text): refused.append(Refused(name: name, text: text))
      }
    }
  }

  /// The accounts with locked authenticators, and which these are.
  var locked: [(name: String, authenticators: [StatusDocument.Authenticator])] {
    standing.compactMap { document in
      let locked = document.authenticators.filter { $0.state == AuthenticatorState.locked }
      return locked.isEmpty ? nil : (document.accountName ?? "", locked)
    }
  }

  /// How many accounts cannot log in, because all their authenticators are locked.
  var shutOut: Int {
    standing.count { document in
      let states = document.authenticators.map(\.state)
      return states.contains(AuthenticatorState.locked) && !states.contains(AuthenticatorState.available)
    }
  }

  /// The accounts with a value whose wrong entries no chip counts, although a chip holds the machine's key.
  ///
  /// A fingerprint has no value that a chip could count.
  var uncounted: [String] {
    standing.filter { $0.authenticators.contains { $0.isCountedByMachine && $0.biometry == nil } }
      .compactMap(\.accountName)
  }

  /// The accounts about which this machine cannot ask the server, because that has given it no secret for them.
  var withoutSecret: [String] { standing.filter { $0.hasMachineSecret == false }.compactMap(\.accountName) }

  /// The accounts with a key of which the server has seen more signatures than this machine has made.
  var behind: [String] {
    standing.filter { $0.authenticators.contains { $0.atServer == "ahead" } }.compactMap(\.accountName)
  }

  /// The accounts for which changed lock options have no effect yet (3015).
  package var waiting: [String] {
    standing.filter { $0.authenticators.contains(where: \.lockOptionsWait) }.compactMap(\.accountName)
  }
}
