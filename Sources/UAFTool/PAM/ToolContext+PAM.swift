import Doctor
import PAMStacks

extension ToolContext {
  /// What a change of PAM's services has to know of this machine.
  var pamSite: PAMSite {
    let registered = RegisteredAccounts(
      of: installation, accounts: caller.accounts, core: StatusQuery(in: self, configuration: nil))
    return PAMSite(
      vendorFolders: installation.vendorPAMFolders, moduleFolders: installation.moduleFolders,
      templateFolder: installation.templateFolder, trialParent: installation.trialParent, owner: installation.owner,
      accounts: caller.accounts, passwords: installation.passwords, tester: installation.tester,
      sudo: installation.readSudoers(),
      isRegistered: registered.has)
  }
}
