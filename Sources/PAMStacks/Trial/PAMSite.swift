import Glibc
import HostSystem

/// What a change of PAM's services has to know of the machine.
package struct PAMSite {
  /// The folders libpam looks into where the first has no file of a service.
  package let vendorFolders: [String]
  /// Where libpam looks for modules that are named without a folder.
  package let moduleFolders: [String]
  /// The folder of templates.
  package let templateFolder: String
  /// The folder in which stacks are tried, and which has the lock; no environment variable sets it.
  package let trialParent: String
  /// Who must own every file that is read or changed; root.
  package let owner: uid_t
  /// Where accounts are looked up.
  package let accounts: any AccountDirectory
  /// Where groups and the state of passwords are looked up.
  package let passwords: any PasswordDirectory
  /// What asks libpam.
  package let tester: any StackTester
  /// What sudo asks for.
  package let sudo: SudoSettings
  /// Whether an account could log in by the module that the stacks ask.
  package let isRegistered: (String) -> Bool

  /// - Parameters:
  ///   - vendorFolders: the folders libpam looks into where the first has no file of a service.
  ///   - moduleFolders: where libpam looks for modules that are named without a folder.
  ///   - templateFolder: the folder of templates.
  ///   - trialParent: the folder in which stacks are tried, and which has the lock.
  ///   - owner: who must own every file that is read or changed.
  ///   - accounts: where accounts are looked up.
  ///   - passwords: where groups and the state of passwords are looked up.
  ///   - tester: what asks libpam.
  ///   - sudo: what sudo asks for.
  ///   - isRegistered: whether an account could log in by the module.
  package init(
    vendorFolders: [String], moduleFolders: [String], templateFolder: String, trialParent: String, owner: uid_t,
    accounts: any AccountDirectory, passwords: any PasswordDirectory, tester: any StackTester,
    sudo: SudoSettings, isRegistered: @escaping (String) -> Bool
  ) {
    self.vendorFolders = vendorFolders
    self.moduleFolders = moduleFolders
    self.templateFolder = templateFolder
    self.trialParent = trialParent
    self.owner = owner
    self.accounts = accounts
    self.passwords = passwords
    self.tester = tester
    self.sudo = sudo
    self.isRegistered = isRegistered
  }

  /// Opens the folder of services for changes; no other `uafctl pam` can run while it is open.
  ///
  /// - Throws: ``StackError``: `folder`, `busy`, `file`.
  package func open(_ path: String) throws(StackError) -> PAMFolder {
    let folder = try PAMFolder(path, owner: owner)
    try folder.lock(in: trialParent)
    return folder
  }
}
