import Glibc
import HostSystem

/// A copy of PAM's folder in which a stack is tried; it is removed with this value.
final class TrialFolder {
  /// Its name.
  let path: String
  private let original: String
  private let parent: String
  private var names: Set<String> = []
  /// The names of the folder itself, without the vendors': what a line may include.
  private var own: Set<String>

  /// Copies the services of `folder` and, for names that it lacks, those of the vendors' folders.
  ///
  /// - Parameter parent: the folder that it is made in, which no environment variable chooses.
  /// - Throws: ``TrialProblem/folder(_:parent:)``.
  init(copying folder: String, vendors: [String], in parent: String) throws(TrialProblem) {
    Self.removeLeftBehind(in: parent)
    var template = Array("\(parent)/\(Self.prefix)\(getpid())-XXXXXX".utf8CString)
    // SAFETY: a NUL-terminated text that is ours to change.
    guard unsafe mkdtemp(&template) != nil else { throw .folder(errno, parent: parent) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    original = folder
    self.parent = parent
    own = Set(PAMDirectory(path: folder).names() ?? [])
    for source in [folder] + vendors {
      let reader = PAMDirectory(path: source)
      for name in reader.names() ?? [] where !names.contains(name) {
        if let bytes = reader.bytes(of: name) { try write(redirected(bytes), as: name) }
      }
    }
  }

  private static let prefix = "uafctl-pam-"

  /// Removes the folders of processes that were ended before they could remove them.
  private static func removeLeftBehind(in parent: String) {
    for name in PAMDirectory(path: parent).names() ?? [] where name.hasPrefix(prefix) {
      let path = parent + "/" + name
      guard let process = pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" }), kill(process, 0) != 0,
        errno == ESRCH,
        let state = try? FileState.of(path).get(), state.kind == S_IFDIR, state.owner == geteuid()
      else { continue }
      // SAFETY: the paths live for the calls. Only this process's user can put links into the folder.
      for file in PAMDirectory(path: path).names() ?? [] { _ = unsafe unlink(path + "/" + file) }
      _ = unsafe rmdir(path)
    }
  }

  /// Writes one service, replacing the present one, with includes changed to this folder.
  ///
  /// - Throws: ``TrialProblem/folder(_:parent:)``.
  func put(_ bytes: [UInt8], as name: String) throws(TrialProblem) {
    own.insert(name)
    try write(redirected(bytes), as: name)
  }

  /// Replaces a module with a different one in every file while something is tried.
  func exchanging(
    _ module: String, for other: String, _ tried: () throws(TrialProblem) -> CInt
  ) throws(TrialProblem) -> CInt {
    let reader = PAMDirectory(path: path)
    var before: [(name: String, bytes: [UInt8])] = []
    for name in names {
      guard let bytes = reader.bytes(of: name) else { continue }
      let after = bytes.replacing(Array(module.utf8), with: Array(other.utf8))
      guard after != bytes else { continue }
      try write(after, as: name)
      before.append((name, bytes))
    }
    let code = try tried()
    for file in before { try write(file.bytes, as: file.name) }
    return code
  }

  private func write(_ bytes: [UInt8], as name: String) throws(TrialProblem) {
    names.insert(name)
    let place = path + "/" + name
    // SAFETY: the path lives for the call. The folder is this process's own, so nobody puts links there.
    let descriptor = unsafe open(place, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
    guard descriptor >= 0 else { throw .folder(errno, parent: parent) }
    defer { close(descriptor) }
    guard DescriptorWriter.write(bytes, to: descriptor) else { throw .folder(errno, parent: parent) }
  }

  /// Debian's libpam looks for `@include` in /etc/pam.d, whichever folder it was given.
  private func redirected(_ bytes: [UInt8]) -> [UInt8] {
    var rows = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
    let lines = PAMFile(bytes).lines
    // This goes backwards, so that the earlier rows keep their positions.
    for line in lines.reversed() {
      let parsed = PAMLine(line: line)
      guard parsed.isInclusion, parsed.isWellFormed else { continue }
      guard lines.filter({ $0.rows.overlaps(line.rows) }).count == 1 else {
        // Too long for libpam, which splits it in two: the line is replaced, so that everybody is refused here.
        rows[line.rows.lowerBound] = Array("auth".utf8)
        continue
      }
      let place = place(of: parsed.module)
      let text =
        parsed.group == "@include"
        ? "@include " + place : (parsed.mayBeMissing ? "-" : "") + "\(parsed.group) \(parsed.control) \(place)"
      rows.replaceSubrange(line.rows, with: [Array(text.utf8)])
    }
    return Array(rows.joined(separator: [UInt8(ascii: "\n")]))
  }

  private func place(of name: String) -> String {
    if name.hasPrefix(original + "/") { return path + name.dropFirst(original.count) }
    if name.hasPrefix("/") { return name }
    // libpam does not find a file that only a vendor's folder has.
    return (own.contains(name) ? path : original) + "/" + name
  }

  deinit {
    // SAFETY: the paths live for the calls.
    for name in names { _ = unsafe unlink(path + "/" + name) }
    _ = unsafe rmdir(path)
  }
}

/// What a change of PAM's services must know about the machine.
package struct PAMSite {
  /// The folders in which libpam looks if the first has no file for a service.
  package let vendorFolders: [String]
  /// The folders in which libpam looks for modules that are named without a folder.
  package let moduleFolders: [String]
  /// The folder of templates.
  package let templateFolder: String
  /// The folder in which stacks are tried, and which has the lock; no environment variable sets it.
  package let trialParent: String
  /// The uid that must own every file that is read or changed; root.
  package let owner: uid_t
  /// The directory in which accounts are looked up.
  package let accounts: any AccountDirectory
  /// The directory in which groups and the state of passwords are looked up.
  package let passwords: any PasswordDirectory
  /// The program that asks libpam.
  package let tester: any StackTester
  /// The settings of sudo that decide whom it asks, and how.
  package let sudo: SudoSettings
  /// The PAM services that sshd uses.
  package let ssh: SSHServices
  /// The display managers of this machine.
  package let displayManagers: DisplayManagers
  /// Whether something is mounted at a name.
  package let isMountPoint: (String) -> Bool
  /// Whether an account could log in with the module that the stacks use.
  package let isRegistered: (String) -> Bool
  /// Whether the module could let in anybody here; reports what prevents that.
  package let isUsable: () -> Bool
  /// Whether the module hides from everybody who asks for a service whether an account is registered.
  package let hidesRegistrations: (_ service: String) -> Bool
  /// Today in UTC, as YYYY-MM-DD.
  package let today: () -> String
  /// What sshd's settings keep from working: a stack for sshd, a second factor or not; nil if nothing is known against it.
  package let sshObstacle: (_ isSecondFactor: Bool) -> SSHProblem?

  /// - Parameters:
  ///   - vendorFolders: the folders in which libpam looks if the first has no file for a service.
  ///   - moduleFolders: the folders in which libpam looks for modules that are named without a folder.
  ///   - templateFolder: the folder of templates.
  ///   - trialParent: the folder in which stacks are tried, and which has the lock.
  ///   - owner: the uid that must own every file that is read or changed.
  ///   - accounts: the directory in which accounts are looked up.
  ///   - passwords: the directory in which groups and the state of passwords are looked up.
  ///   - tester: the program that asks libpam.
  ///   - sudo: the settings of sudo that decide whom it asks, and how.
  ///   - ssh: the PAM services that sshd uses.
  ///   - displayManagers: the display managers of this machine.
  ///   - isMountPoint: whether something is mounted at a name.
  ///   - isRegistered: whether an account could log in with the module.
  ///   - isUsable: whether the module could let in anybody here; reports what prevents that.
  ///   - hidesRegistrations: whether the module hides from everybody who asks for a service whether an account is registered.
  ///   - today: today in UTC, as YYYY-MM-DD.
  ///   - sshObstacle: why a stack for sshd, a second factor or not, could not work with sshd's settings.
  package init(
    vendorFolders: [String], moduleFolders: [String], templateFolder: String, trialParent: String, owner: uid_t,
    accounts: any AccountDirectory, passwords: any PasswordDirectory, tester: any StackTester,
    sudo: SudoSettings, ssh: SSHServices, displayManagers: DisplayManagers,
    isMountPoint: @escaping (String) -> Bool, isRegistered: @escaping (String) -> Bool, isUsable: @escaping () -> Bool,
    hidesRegistrations: @escaping (_ service: String) -> Bool, today: @escaping () -> String,
    sshObstacle: @escaping (_ isSecondFactor: Bool) -> SSHProblem?
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
    self.ssh = ssh
    self.displayManagers = displayManagers
    self.isMountPoint = isMountPoint
    self.isRegistered = isRegistered
    self.isUsable = isUsable
    self.hidesRegistrations = hidesRegistrations
    self.today = today
    self.sshObstacle = sshObstacle
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
