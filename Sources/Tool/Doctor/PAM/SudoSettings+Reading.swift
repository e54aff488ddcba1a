import Glibc
import HostSystem
import PAMStacks

/// The files that decide what sudo asks for.
package struct SudoFiles {
  /// sudo.conf(5), which may name another sudoers.
  package var configuration: String
  /// The sudoers of a sudo that nobody configured.
  package var sudoers: String
  /// nsswitch.conf(5), which may name a directory service with more rules.
  package var switches: String
  /// The paths at which sudo may be; empty to skip that check.
  package var programs: [String]

  /// - Parameters:
  ///   - configuration: sudo.conf.
  ///   - sudoers: the usual sudoers.
  ///   - switches: nsswitch.conf.
  ///   - programs: the paths at which sudo may be.
  package init(configuration: String, sudoers: String, switches: String, programs: [String] = []) {
    self.configuration = configuration
    self.sudoers = sudoers
    self.switches = switches
    self.programs = programs
  }

  /// The files of this machine.
  package static let ofThisMachine = SudoFiles(
    configuration: "/etc/sudo.conf", sudoers: "/etc/sudoers", switches: "/etc/nsswitch.conf",
    programs: ["/usr/bin/sudo", "/usr/local/bin/sudo"])
}

extension SudoSettings {
  /// Reads the settings in sudoers and everything that it includes.
  ///
  /// - Parameters:
  ///   - files: the files to start with.
  ///   - host: the name of this host.
  ///   - canonical: finds the name that the resolver has for it; nil if it has none.
  ///   - owner: the uid that must own the files: root.
  package init(_ files: SudoFiles, host: String, canonical: () -> String?, owner: uid_t) {
    var reading = SudoersReading(host: host, owner: owner)
    let path = reading.sudoers(files)
    reading.readSwitches(files.switches)
    let isThere = files.programs.isEmpty || files.programs.contains(where: FileState.makesRoot)
    // Without sudoers, an installed sudo refuses everybody.
    guard FileState.isThere(path) || isThere && !files.programs.isEmpty else {
      self.init(gaps: reading.gaps)
      self.isThere = isThere
      return
    }
    if reading.countsSudoers { reading.read(path, depth: 0) }
    // Debian builds sudo so that it takes the canonical name (`fqdn`), or its own name if the resolver has none.
    let further = reading.text.namesHosts ? canonical() : nil
    let hosts = [host] + [further].compactMap(\.self).filter { $0 != host }
    self.init(reading.text, hosts: hosts, isThere: isThere, gaps: reading.gaps)
  }
}

/// Reads sudo's files, and notes what it cannot read.
private struct SudoersReading {
  let host: String
  /// The uid of root, who must own the files that sudo trusts.
  let root: uid_t
  /// The uid that must own the files of sudoers, and the only group that may write them (`sudoers_uid`, `sudoers_gid`).
  private var owner: uid_t
  private var group: gid_t = 0
  /// Whether nsswitch.conf makes sudo read files.
  private(set) var countsSudoers = true
  var text = SudoersText()
  var gaps: [SudoersGap] = []
  private var count = 0

  // Real files are far smaller, and fewer; sudo itself follows 128 levels of includes.
  private static let largest = 1 << 20
  private static let mostFiles = 1_000
  private static let deepest = 128

  init(host: String, owner: uid_t) {
    self.host = host
    root = owner
    self.owner = owner
  }

  /// The path of the sudoers that sudo reads.
  mutating func sudoers(_ files: SudoFiles) -> String {
    // Of two lines for one plugin sudo uses the first.
    var arguments: [String: [String]] = [:]
    for words in words(of: files.configuration, isRoots: true)
    where words.count > 2 && words[0].lowercased() == "plugin" {
      let isSudoers = words[1].hasPrefix("sudoers_")
      let isUsual = words[2].split(separator: "/").last == "sudoers.so"
      if isSudoers, isUsual {
        if arguments[words[1]] == nil { arguments[words[1]] = Array(words.dropFirst(3)) }
      } else if words[1].contains("policy") {
        gaps.append(.policy(path: files.configuration, plugin: isSudoers ? words[2] : words[1]))
      }
    }
    // Auditing comes first, and the first plugin that opens sudoers decides its path.
    let options = arguments["sudoers_audit"] ?? arguments["sudoers_policy"] ?? []
    func value(_ name: String) -> String? {
      options.last { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
    if let number = value("sudoers_uid").flatMap({ uid_t($0) }), number != 0 { owner = number }
    if let number = value("sudoers_gid").flatMap({ gid_t($0) }) { group = number }
    return value("sudoers_file") ?? files.sudoers
  }

  mutating func readSwitches(_ path: String) {
    // Of two lines sudo uses the first.
    guard let words = words(of: path, isRoots: false).first(where: { $0[0].lowercased() == "sudoers:" }) else { return }
    let names = words.dropFirst().map { $0.lowercased() }
    let sources = names.filter { ["ldap", "sss"].contains($0) }
    if !sources.isEmpty { gaps.append(.directory(path: path, sources: sources)) }
    countsSudoers = names.contains("files") || sources.isEmpty
  }

  /// The words of a file's lines, without comments; a file that is not there has none.
  ///
  /// - Parameter isRoots: whether sudo reads it only if nobody but root can write it.
  private mutating func words(of path: String, isRoots: Bool) -> [[String]] {
    guard FileState.isThere(path), let bytes = content(of: path, for: isRoots ? .sudo : .anybody) else { return [] }
    return String(decoding: bytes, as: UTF8.self).replacing("\\\n", with: " ").split(separator: "\n").compactMap {
      line in
      let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
      return words.isEmpty ? nil : words
    }
  }

  mutating func read(_ path: String, depth: Int) {
    guard let bytes = content(of: path, for: .sudoers, isWhole: depth == 0) else { return }
    var own = self
    own.text = SudoersText()
    text.add(bytes) { remark, text in
      switch remark {
      case .wrong(let line, let mayNameService):
        own.gaps.append(.line(path: path, line, mayNameService: mayNameService))
      case .include(let included, let isFolder):
        own.text = text
        own.follow(included, isFolder: isFolder, from: path, depth: depth)
        text = own.text
      }
    }
    gaps = own.gaps
    count = own.count
  }

  private mutating func follow(_ included: String, isFolder: Bool, from path: String, depth: Int) {
    let short = host.split(separator: ".").first.map(String.init) ?? host
    var place = included.replacing("%h", with: short)
    if !place.hasPrefix("/") {
      place = path.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/" + place
    }
    guard depth < Self.deepest, count < Self.mostFiles else {
      gaps.append(.tooLarge(path: place))
      return
    }
    guard isFolder else { return read(place, depth: depth + 1) }
    guard let names = PAMDirectory(path: place).names() else {
      if errno != ENOENT { gaps.append(.file(path: place, errno)) }
      return
    }
    if let status = Self.status(of: place), let flaw = flaw(of: status, for: .sudoers) {
      gaps.append(.untrusted(path: place, flaw, isWhole: false))
      return
    }
    // sudo skips files that an editor or a package manager left there.
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    where !name.contains(".") && !name.hasSuffix("~") {
      let file = place + "/" + name
      if let status = Self.status(of: file), status.st_mode & S_IFMT != S_IFREG { continue }
      read(file, depth: depth + 1)
    }
  }

  /// The status of the file that a name leads to, through links; nil if there is none.
  private static func status(of path: String) -> stat? {
    var status = stat()
    // SAFETY: the path lives for the call, which fills exactly one stat.
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  /// Who reads a file, and so who may have written it.
  private enum Reader {
    case sudo, sudoers, anybody
  }

  /// Why sudo does not trust a file or a folder; nil if it does.
  private func flaw(of status: stat, for reader: Reader) -> SudoersGap.Flaw? {
    guard reader != .anybody else { return nil }
    let isOfSudoers = reader == .sudoers
    if status.st_uid != (isOfSudoers ? owner : root) { return .owner(status.st_uid) }
    if status.st_mode & S_IWOTH != 0 { return .everybody }
    let isOfGroup = isOfSudoers && status.st_gid == group
    return status.st_mode & S_IWGRP != 0 && !isOfGroup ? .group(status.st_gid) : nil
  }

  /// - Parameter isWhole: whether it is sudoers itself, without which sudo refuses everybody.
  private mutating func content(of path: String, for reader: Reader, isWhole: Bool = false) -> [UInt8]? {
    count += 1
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      gaps.append(.file(path: path, errno))
      return nil
    }
    defer { close(descriptor) }
    var status = stat()
    // SAFETY: the call fills exactly one stat.
    guard unsafe fstat(descriptor, &status) == 0 else {
      gaps.append(.file(path: path, errno))
      return nil
    }
    let isFile = [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    if let flaw = isFile ? flaw(of: status, for: reader) : .kind {
      gaps.append(.untrusted(path: path, flaw, isWhole: isWhole))
      return nil
    }
    guard let bytes = DescriptorReader.read(descriptor, atMost: Self.largest) else {
      gaps.append(.file(path: path, errno))
      return nil
    }
    guard bytes.count < Self.largest else {
      gaps.append(.tooLarge(path: path))
      return nil
    }
    return bytes
  }
}

extension FileState {
  /// Whether a program can give root privileges to its caller.
  fileprivate static func makesRoot(_ path: String) -> Bool {
    var status = stat()
    var system = statvfs()
    // SAFETY: the path lives for the calls, which fill exactly one value each.
    guard unsafe stat(path, &status) == 0, unsafe statvfs(path, &system) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFREG && status.st_mode & S_ISUID != 0 && status.st_uid == 0
      && system.f_flag & UInt(ST_NOSUID) == 0
  }

  /// Whether there is a file with that name, or may be one.
  fileprivate static func isThere(_ path: String) -> Bool {
    guard case .failure(let error) = of(path) else { return true }
    return !error.isAbsence
  }
}
