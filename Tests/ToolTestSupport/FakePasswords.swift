import Glibc
import PAMStacks

/// Groups and passwords of a machine in good order: alice is the only member of uaf-rescue, and may use sudo.
package final class FakePasswords: PasswordDirectory {
  package var groups = ["uaf-rescue": ["alice"], "sudo": ["alice"]]
  /// The groups that only a directory has.
  package var directoryGroups: Set<String> = []
  package var states = ["alice": PasswordState.usable, "root": .locked]

  /// The shells of accounts that do not have /bin/sh.
  package var shells: [String: String] = [:]
  /// The shells that shells(5) lists.
  package var listed: Set<String> = ["/bin/sh"]
  /// Names of groups by their gid.
  package var numbers: [gid_t: String] = [:]

  /// Paths of files.
  package var files: Set<String> = []

  package var local = ["root", "alice"]

  /// The numbers of wrong passwords that pam_faillock counts for accounts.
  package var wrong: [String: Int] = [:]
  /// Lines of limits.conf.
  package var limitLines: [String] = []
  /// Whether limits.conf exists.
  package var hasLimits = true
  /// Homes of accounts that keep the accounts out of the console.
  package var closedHomes: [String: String] = [:]
  /// Accounts whose home does not exist.
  package var homeless: Set<String> = []
  /// Programs that do not exist.
  package var missingPrograms: Set<String> = []
  /// The flaws of programs, by the programs' names.
  package var flaws: [String: ProgramFlaw] = [:]
  /// Groups that list people who do not have them after a login.
  package var withheld: Set<String> = []
  /// Groups of /etc/group that the C library does not find.
  package var unseen: Set<String> = []
  /// The texts of files.
  package var texts: [String: String] = [:]
  /// Files and folders that cannot be written.
  package var unwritable: Set<String> = []

  /// The program that login starts in place of every shell.
  package var fakeShell: String?

  package init() {}

  package func members(ofGroup name: String) -> [String]? { unseen.contains(name) ? nil : groups[name] }
  package func members(ofGroupNumber number: gid_t) -> [String]? { numbers[number].flatMap { groups[$0] } }
  package func groups(alike name: String) -> [String] {
    groups.keys.filter { $0.lowercased() == name.lowercased() && !directoryGroups.contains($0) }.sorted()
  }
  package func localAccounts() -> [String] { local }
  package func shell(of name: String) -> String? { shells[name] ?? "/bin/sh" }
  package func hasFile(_ path: String) -> Bool { files.contains(path) }
  package func isListed(shell: String) -> Bool { listed.contains(shell) }
  package func wrongPasswords(of name: String, in folder: String) -> Int {
    folder == RescuePerson.countFolder ? wrong[name] ?? 0 : 0
  }
  package func limits(in files: [String]?) -> [[String]]? {
    hasLimits ? limitLines.map { $0.split(separator: " ").map(String.init) } : nil
  }
  package func shellOfEverybody() -> String? { fakeShell }
  package func groups(of name: String) -> [String] {
    groups.filter { $0.value.contains(name) && !withheld.contains($0.key) }.keys.sorted()
  }
  package func text(of path: String) -> String? { texts[path] }
  package func home(of name: String) -> String? { "/home/" + name }
  package func closedHome(of name: String) -> String? { closedHomes[name] }
  package func hasHome(_ name: String) -> Bool { !homeless.contains(name) }
  package func flaw(of program: String, at paths: [String]) -> ProgramFlaw? {
    flaws[program] ?? (paths.allSatisfy(missingPrograms.contains) ? .missing(name: program) : nil)
  }
  package func isWritable(_ path: String, makesFolders: Bool) -> Bool { !unwritable.contains(path) }
  package func password(of name: String) -> PasswordState { states[name] ?? .unknown }
}
