import Glibc
import HostSystem
import UAFConfiguration

/// Which accounts are registered on this machine; only for root, who may read the state folder.
package struct RegisteredAccounts {
  private let accounts: any AccountDirectory
  private let core: any StatusSource
  /// The numbers of the accounts that have a file.
  private let numbers: [uid_t]

  /// - Parameters:
  ///   - installation: its configuration names the state folder. Without a configuration that can be used nobody is registered.
  ///   - accounts: where names are looked up.
  ///   - core: asked about each account that has a file.
  package init(of installation: Installation, accounts: any AccountDirectory, core: any StatusSource) {
    self.accounts = accounts
    self.core = core
    let configuration = ConfigurationCheck(
      given: nil, standard: installation.configurationPath, owner: installation.owner, isRoot: true
    ).run().configuration
    numbers = configuration.map { installation.registered($0.state.directory) } ?? []
  }

  /// Whether an account has a value registered, locked or not; false where the core cannot say.
  package func has(_ name: String) -> Bool {
    // A core takes some milliseconds for each, and an organisation has many who were never here.
    guard let account = accounts.account(named: name), numbers.contains(account.userID) else { return false }
    // A deregistered account still has a file.
    guard case .standing(let document)? = try? core.status(of: name) else { return false }
    return document.isRegistered
  }
}
