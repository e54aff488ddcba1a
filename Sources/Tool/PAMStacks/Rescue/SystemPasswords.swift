import CPAM
import Glibc
import HostSystem

/// The groups and passwords of the system (NSS); passwords only for root.
package struct SystemPasswords: PasswordDirectory {
  /// The file of the local accounts, which need no directory server.
  private let accountsPath: String
  /// The file of the local groups.
  private let groupsPath: String
  /// login.defs(5).
  private let loginPath: String

  /// - Parameters:
  ///   - accountsPath: the file of the local accounts.
  ///   - groupsPath: the file of the local groups.
  ///   - loginPath: login.defs.
  package init(
    accountsPath: String = "/etc/passwd", groupsPath: String = "/etc/group", loginPath: String = "/etc/login.defs"
  ) {
    self.accountsPath = accountsPath
    self.groupsPath = groupsPath
    self.loginPath = loginPath
  }

  // Enough for every entry, except groups with thousands of members; a longer entry is treated as missing.
  private static let room = 1 << 20
  private static let secondsOfDay = 86_400

  /// The members of a group, from NSS and the local accounts; nil if there is no such group.
  package func members(ofGroup name: String) -> [String]? {
    // SAFETY: the name, entry, buffer and result live for the call.
    unsafe members { unsafe getgrnam_r(name, $0, $1, $2, $3) }
  }

  /// The members of the group with this gid, in the same way.
  package func members(ofGroupNumber number: gid_t) -> [String]? {
    // SAFETY: entry, buffer and result live for the call.
    unsafe members { unsafe getgrgid_r(number, $0, $1, $2, $3) }
  }

  private func members(
    _ find: (
      UnsafeMutablePointer<group>, UnsafeMutablePointer<CChar>, Int,
      UnsafeMutablePointer<UnsafeMutablePointer<group>?>
    ) -> CInt
  ) -> [String]? {
    // SAFETY: entry, buffer and result live for the call, and so does the list of names, which points into the buffer and
    // ends with NULL.
    var entry = unsafe group()
    var found: UnsafeMutablePointer<group>?
    var buffer = [CChar](repeating: 0, count: Self.room)
    return unsafe buffer.withUnsafeMutableBufferPointer { buffer -> [String]? in
      guard let base = buffer.baseAddress, unsafe find(&entry, base, Self.room, &found) == 0, unsafe found != nil
      else { return nil }
      var names: [String] = []
      var next = unsafe entry.gr_mem
      while let place = unsafe next, let member = unsafe place.pointee {
        unsafe names.append(String(cString: member))
        unsafe next = place + 1
      }
      return unsafe names + local(inGroup: entry.gr_gid).filter { !names.contains($0) }
    }
  }

  /// The local groups of this name, ignoring case; other name services find groups only by the exact name.
  package func groups(alike name: String) -> [String] {
    // SAFETY: the stream is opened, read and closed here alone; entry and buffer live for the calls, and the name points into
    // the buffer, and is copied.
    guard let groups = unsafe fopen(groupsPath, "re") else { return [] }
    defer { unsafe fclose(groups) }
    var entry = unsafe group()
    var found: UnsafeMutablePointer<group>?
    var buffer = [CChar](repeating: 0, count: Self.room)
    var names: [String] = []
    while unsafe fgetgrent_r(groups, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil {
      guard let text = unsafe entry.gr_name.map({ unsafe String(cString: $0) }) else { continue }
      if text.lowercased() == name.lowercased() { names.append(text) }
    }
    return names
  }

  /// The names of the local accounts, in the order of their file.
  package func localAccounts() -> [String] { local(inGroup: nil) }

  /// The local accounts with this primary group; nil for all of them.
  ///
  /// The group's entry does not list them, but pam_succeed_if(8) counts them.
  private func local(inGroup group: gid_t?) -> [String] {
    var names: [String] = []
    // SAFETY: the name points into the buffer of the caller, and is copied.
    unsafe readAccounts { entry in
      if unsafe group == nil || entry.pw_gid == group, let name = unsafe entry.pw_name {
        unsafe names.append(String(cString: name))
      }
      return true
    }
    return names
  }

  /// Reads the file of the local accounts, until `read` returns false.
  ///
  /// - Parameter read: its argument is valid only during the call.
  private func readAccounts(_ read: (passwd) -> Bool) {
    // SAFETY: the stream is opened, read and closed here alone; entry and buffer live for the calls.
    guard let accounts = unsafe fopen(accountsPath, "re") else { return }
    defer { unsafe fclose(accounts) }
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: Self.room)
    while unsafe fgetpwent_r(accounts, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil,
      unsafe read(entry)
    {}
  }

  /// The account's shell, from NSS; nil if there is no such account.
  package func shell(of name: String) -> String? { entry(of: name)?.shell }

  /// What NSS says about an account.
  private struct Entry {
    let shell: String
    let home: String
    let userID: uid_t
    let group: gid_t
  }

  /// An account's shell, home, uid and gid, from NSS; nil if there is no such account.
  private func entry(of name: String) -> Entry? {
    // SAFETY: entry, buffer and result live for the call; shell and home point into the buffer, and are copied.
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: Self.room)
    return unsafe buffer.withUnsafeMutableBufferPointer { buffer -> Entry? in
      guard let base = buffer.baseAddress, unsafe getpwnam_r(name, &entry, base, Self.room, &found) == 0,
        unsafe found != nil
      else { return nil }
      let shell = unsafe entry.pw_shell.map { unsafe String(cString: $0) } ?? ""
      let home = unsafe entry.pw_dir.map { unsafe String(cString: $0) } ?? ""
      return unsafe Entry(shell: shell, home: home, userID: entry.pw_uid, group: entry.pw_gid)
    }
  }

  /// A home that makes login(1) refuse the account, because it does not exist or may not be entered; nil if login
  /// works without one (`DEFAULT_HOME` of login.defs(5)), or if nothing is wrong.
  package func closedHome(of name: String) -> String? {
    guard let entry = entry(of: name) else { return nil }
    // Without this line, login of shadow refuses, and login of util-linux does not.
    let lines = (limits(in: [loginPath]) ?? []).filter { $0[0] == "DEFAULT_HOME" }
    if !lines.isEmpty, lines.allSatisfy({ $0.count > 1 && $0[1].lowercased() == "yes" }) { return nil }
    return mayEnter(entry.home, name, entry.userID) ? nil : entry.home
  }

  /// The program that login(1) of shadow starts in place of every shell (`FAKE_SHELL` of login.defs(5)); nil if there is none.
  package func shellOfEverybody() -> String? {
    (limits(in: [loginPath]) ?? []).last { $0[0] == "FAKE_SHELL" && $0.count > 1 }?[1]
  }

  /// The account as a session needs it, from NSS; nil if there is no such account.
  func sessionPerson(_ name: String) -> SessionPerson? {
    guard let entry = entry(of: name) else { return nil }
    let variable = entry.userID == 0 ? "ENV_SUPATH" : "ENV_PATH"
    let words = (limits(in: [loginPath]) ?? []).last { $0[0] == variable && $0.count > 1 }?[1]
    let path = words.map { $0.hasPrefix("PATH=") ? String($0.dropFirst("PATH=".count)) : $0 }
    return SessionPerson(
      name: name, userID: entry.userID, group: entry.group, groups: groupNumbers(of: name, entry.group),
      home: entry.home, shell: entry.shell, path: path ?? SessionPerson.usualPath)
  }

  /// The text of a file; nil if it cannot be read.
  package func text(of path: String) -> String? {
    let parts = path.split(separator: "/")
    let place = PAMDirectory(path: "/" + parts.dropLast().joined(separator: "/"))
    return parts.last.flatMap { place.bytes(of: String($0)) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The names of the account's groups, from NSS.
  package func groups(of name: String) -> [String] {
    entry(of: name).map { groupNumbers(of: name, $0.group).compactMap(Self.name) } ?? []
  }

  private func groupNumbers(of name: String, _ primary: gid_t) -> [gid_t] {
    var numbers = [gid_t](repeating: 0, count: Self.mostGroups)
    var count = CInt(Self.mostGroups)
    // SAFETY: the name lives for the call, which writes at most as many numbers as the array has.
    guard unsafe getgrouplist(name, primary, &numbers, &count) >= 0 else { return [] }
    return Array(numbers.prefix(Int(count)))
  }

  // The kernel's limit for a process.
  private static let mostGroups = 65_536

  private static func name(ofGroup number: gid_t) -> String? {
    // SAFETY: entry, buffer and result live for the call; the name points into the buffer, and is copied.
    var entry = unsafe Glibc.group()
    var found: UnsafeMutablePointer<group>?
    var buffer = [CChar](repeating: 0, count: room)
    return unsafe buffer.withUnsafeMutableBufferPointer { buffer -> String? in
      guard let base = buffer.baseAddress, unsafe getgrgid_r(number, &entry, base, room, &found) == 0,
        unsafe found != nil
      else { return nil }
      return unsafe entry.gr_name.map { unsafe String(cString: $0) }
    }
  }

  private func mayEnter(_ folder: String, _ name: String, _ userID: uid_t) -> Bool {
    guard let resolved = ResolvedPath.of(folder) else { return false }
    return ResolvedPath.steps(to: resolved).allSatisfy { place in
      guard let state = FileState.following(place), state.kind == S_IFDIR else { return false }
      return userID == 0
        || state.isExecutable(by: userID) { members(ofGroupNumber: $0)?.contains(name) ?? false }
    }
  }

  /// What is wrong with a program that root starts; nil if nothing is wrong.
  package func flaw(of program: String, at paths: [String]) -> ProgramFlaw? {
    ProgramFlaw.of(program, at: paths, isSetUserID: false)
  }

  /// The account's home, from NSS; nil if there is no such account.
  package func home(of name: String) -> String? { entry(of: name)?.home }

  /// Whether the account's home exists, as a folder or as anything else.
  package func hasHome(_ name: String) -> Bool { (entry(of: name)?.home).flatMap(FileState.following) != nil }

  /// Whether root can write a file with that name, which need not exist.
  ///
  /// - Parameter makesFolders: whether missing folders on the way are made, and the last name is a folder as well.
  package func isWritable(_ path: String, makesFolders: Bool) -> Bool {
    var place = path
    var isLast = true
    while FileState.following(place) == nil {
      guard isLast || makesFolders, place.contains("/"), place != "/" else { return false }
      isLast = false
      let folders = place.split(separator: "/").dropLast()
      place = "/" + folders.joined(separator: "/")
    }
    // A pipe may block the writer, and some devices accept nothing.
    if isLast, !makesFolders, ResolvedPath.of(place) == "/dev/null" { return true }
    guard FileState.following(place)?.kind == (isLast && !makesFolders ? S_IFREG : S_IFDIR) else { return false }
    if isLast, makesFolders, !Self.isOfFolders(place) { return false }
    return !FileState.isFixed(place) && Self.takesFiles(place)
  }

  /// Whether a folder of any name can be made in a folder, because it contains only folders and the file with sudo's counter.
  private static func isOfFolders(_ folder: String) -> Bool {
    (PAMDirectory(path: folder).names() ?? []).allSatisfy { name in
      FileState.following(folder + "/" + name)?.kind == (name == numbers ? S_IFREG : S_IFDIR)
    }
  }

  /// The file in which sudo counts what it has recorded.
  private static let numbers = "seq"

  /// The types of file systems in which root can make folders and files.
  ///
  /// In file systems of other types the kernel makes them, as in /proc, or another machine decides who may make them.
  private static let storing: Set<String> = [
    "bcachefs", "btrfs", "devtmpfs", "ext2", "ext3", "ext4", "f2fs", "jfs", "nilfs2", "overlay", "ramfs", "reiserfs",
    "tmpfs", "xfs", "zfs",
  ]

  /// Whether the file system has one of these types, is mounted writable, and is not full.
  private static func takesFiles(_ place: String) -> Bool {
    var system = statvfs()
    // SAFETY: the path lives for the call, which fills exactly one statvfs.
    guard unsafe statvfs(place, &system) == 0, let type = MountedFileSystem.holding(place)?.type else { return false }
    // A file system without limits reports 0 blocks and files.
    return storing.contains(type) && system.f_flag & UInt(ST_RDONLY) == 0
      && (system.f_blocks == 0 || system.f_bfree > 0) && (system.f_files == 0 || system.f_favail > 0)
  }

  /// Whether shells(5) lists a shell.
  package func isListed(shell: String) -> Bool {
    // SAFETY: the list is the C library's, which nothing else here uses; each entry is read before the next one.
    setusershell()
    defer { endusershell() }
    while let entry = unsafe getusershell() {
      if unsafe String(cString: entry) == shell { return true }
    }
    return false
  }

  /// Whether there is a file with that name, such as that of nologin(5).
  package func hasFile(_ path: String) -> Bool { (try? FileState.of(path).get()) != nil }

  /// The number of wrong passwords that pam_faillock(8) has recorded for an account in `folder`.
  package func wrongPasswords(of name: String, in folder: String) -> Int {
    guard !name.contains("/"), let bytes = PAMDirectory(path: folder).bytes(of: name) else { return 0 }
    // Its records have 64 bytes; the lowest bit of the 55th says whether a record counts.
    return stride(from: 0, to: bytes.count - 63, by: 64).filter { bytes[$0 + 54] & 1 != 0 }.count
  }

  /// The words of the lines of limits.conf(5); nil if one of the files does not exist, or is a link that leads nowhere.
  package func limits(in files: [String]?) -> [[String]]? {
    let folder = "/etc/security/limits.d"
    let more = (PAMDirectory(path: folder).names() ?? []).filter { $0.hasSuffix(".conf") }.map { folder + "/" + $0 }
    let paths = files ?? ["/etc/security/limits.conf"] + more
    guard paths.allSatisfy({ FileState.following($0) != nil }) else { return nil }
    return paths.flatMap { path -> [[String]] in
      (text(of: path) ?? "").split(whereSeparator: \.isNewline).compactMap { line in
        let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)
        return words.isEmpty ? nil : words
      }
    }
  }

  /// The password's field in the file of the local accounts; nil if it refers to shadow(5), as pam_unix reads it.
  private func hashOutsideShadow(of name: String) -> String? {
    var hash: String?
    // SAFETY: name and hash point into the buffer of the caller; the hash is copied.
    unsafe readAccounts { entry in
      guard let own = unsafe entry.pw_name, unsafe String(cString: own) == name else { return true }
      hash = unsafe entry.pw_passwd.map { unsafe String(cString: $0) }
      return false
    }
    return hash.flatMap { ["x", "##" + name].contains($0) ? nil : $0 }
  }

  /// Whether the account can use its password now; only root can find out.
  package func password(of name: String) -> PasswordState {
    if let hash = hashOutsideShadow(of: name) { return PasswordState(.init(hash: hash), today: 0) }
    // SAFETY: entry, buffer and result live for the call; the hash points into the buffer, and is copied.
    var entry = unsafe spwd()
    var found: UnsafeMutablePointer<spwd>?
    var buffer = [CChar](repeating: 0, count: Self.room)
    let today = time(nil) / Self.secondsOfDay
    return unsafe buffer.withUnsafeMutableBufferPointer { buffer -> PasswordState in
      guard let base = buffer.baseAddress, unsafe getspnam_r(name, &entry, base, Self.room, &found) == 0,
        unsafe found != nil, let hash = unsafe entry.sp_pwdp
      else { return .unknown }
      let copy = unsafe PasswordState.Entry(
        hash: String(cString: hash), lastChange: entry.sp_lstchg, maximum: entry.sp_max, inactive: entry.sp_inact,
        end: entry.sp_expire)
      return PasswordState(copy, today: today)
    }
  }
}

/// Whether an account's password can be used to log in (shadow(5)).
package enum PasswordState: Equatable {
  case usable
  /// There is no such account, or no entry for its password.
  case unknown
  case empty
  case locked
  /// It has expired, and is too old to be changed during a login.
  case expired
  /// The account itself has expired, whatever the state of its password.
  case accountExpired

  /// A password's entry: numbers of days since 1970, negative if nothing is set.
  struct Entry {
    var hash: String
    var lastChange = -1
    /// Days until it must be changed.
    var maximum = -1
    /// Days after that in which it still can be changed.
    var inactive = -1
    /// The day on which the account expires.
    var end = -1
  }

  /// How many characters follow the last `$` in a hash of crypt(5), by its method; yescrypt's and gost-yescrypt's are 43.
  private static let lengths = [
    "1": 22, "2a": 53, "2b": 53, "2x": 53, "2y": 53, "5": 43, "6": 86, "7": 43, "y": 43, "gy": 43,
  ]
  // The hash lengths of the methods without `$`: DES and its extended form.
  private static let (desLength, extendedLength) = (13, 20)

  /// Whether Debian's crypt(3) makes such a hash, so that a password can be the right one.
  private static func isHash(_ text: String) -> Bool {
    let isPlain = text.utf8.allSatisfy { byte in
      byte > UInt8(ascii: " ") && byte < 0x7F && ![":", ";", "*", "!", "\\"].contains(Character(Unicode.Scalar(byte)))
    }
    guard isPlain else { return false }
    guard text.hasPrefix("$") else {
      let isExtended = text.hasPrefix("_")
      let body = text.dropFirst(isExtended ? 1 : 0).utf8
      return text.utf8.count == (isExtended ? extendedLength : desLength) && body.allSatisfy(isOfBase64)
    }
    let parts = text.dropFirst().split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count > 2, let method = parts.first, let digest = parts.last, let length = lengths[String(method)]
    else { return parts.first.map { ["3", "md5", "sha1"].contains($0) } ?? false }
    return digest.utf8.count == length && digest.utf8.allSatisfy(isOfBase64)
  }

  private static func isOfBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  init(_ entry: Entry, today: Int) {
    if entry.hash.isEmpty {
      self = entry.end >= 0 && today >= entry.end ? .accountExpired : .empty
    } else if entry.hash.hasPrefix("!") || entry.hash.hasPrefix("*") || !Self.isHash(entry.hash) {
      self = .locked
    } else if entry.end >= 0, today >= entry.end {
      self = .accountExpired
    } else if let last = Self.lastDay(entry), today > last {
      self = .expired
    } else {
      self = .usable
    }
  }

  /// The last day on which an old password can still be changed; nil if there is no such day.
  private static func lastDay(_ entry: Entry) -> Int? {
    guard entry.lastChange > 0, entry.maximum >= 0, entry.inactive >= 0 else { return nil }
    let (due, overflows) = entry.lastChange.addingReportingOverflow(entry.maximum)
    let (last, overflowsAgain) = due.addingReportingOverflow(entry.inactive)
    return overflows || overflowsAgain ? nil : last
  }
}

extension PasswordDirectory {
  /// Whether /etc/group has the rescue group.
  ///
  /// If only a directory has the group, whoever can change the directory decides who skips the passcode. While the directory
  /// cannot be reached, nobody skips it.
  package var hasOwnRescueGroup: Bool { groups(alike: WayIn.rescueGroup).contains(WayIn.rescueGroup) }
}

/// A directory in which groups and the state of passwords are looked up.
package protocol PasswordDirectory {
  /// The names that a group lists, and those of local accounts with this primary group; nil if there is no such group.
  func members(ofGroup name: String) -> [String]?
  /// The members of the group with this gid; nil if there is no such group.
  func members(ofGroupNumber number: gid_t) -> [String]?
  /// The names of local groups that differ from this one only in case, and the group itself.
  func groups(alike name: String) -> [String]
  /// The names of the local accounts, which need no directory server.
  func localAccounts() -> [String]
  /// The account's shell, empty if none is set; nil if there is no such account.
  func shell(of name: String) -> String?
  /// Whether shells(5) lists a shell.
  func isListed(shell: String) -> Bool
  /// The text of a file; nil if it cannot be read.
  func text(of path: String) -> String?
  /// Whether there is a file with that name.
  func hasFile(_ path: String) -> Bool
  /// Whether the account's password can be used now.
  func password(of name: String) -> PasswordState
  /// The number of wrong passwords that pam_faillock(8) has recorded for an account in `folder`.
  func wrongPasswords(of name: String, in folder: String) -> Int
  /// The words of each line of limits.conf(5), in the usual files or in these; nil if one of them does not exist.
  func limits(in files: [String]?) -> [[String]]?
  /// A home directory that makes login(1) refuse the account, because it does not exist or the account must not enter it; nil
  /// if nothing is wrong with it.
  func closedHome(of name: String) -> String?
  /// The program that login(1) starts in place of every shell; nil if it starts everybody's own.
  func shellOfEverybody() -> String?
  /// The names of the groups of an account.
  func groups(of name: String) -> [String]
  /// What is wrong with a program that root starts, and that is at one of these paths; nil if nothing is wrong.
  func flaw(of program: String, at paths: [String]) -> ProgramFlaw?
  /// The account's home directory; nil if there is no such account.
  func home(of name: String) -> String?
  /// Whether the account's home exists.
  func hasHome(_ name: String) -> Bool
  /// Whether root can write a file with that name; with `makesFolders`, whether root can write or make a folder with that name.
  func isWritable(_ path: String, makesFolders: Bool) -> Bool
}
