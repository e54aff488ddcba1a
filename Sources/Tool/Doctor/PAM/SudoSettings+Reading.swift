import Glibc
import HostSystem
import PAMStacks

/// The files that decide whom sudo asks, and how.
package struct SudoFiles {
  /// sudo.conf(5), which may name another sudoers.
  package var configuration: String
  /// The sudoers of a sudo that nobody configured.
  package var sudoers: String
  /// nsswitch.conf(5), which may name a directory service with more rules.
  package var switches: String
  /// The paths at which sudo may be; empty to skip that check.
  package var programs: [String]
  /// The folders in which sudo may look for plugins; empty to skip that check.
  package var pluginFolders: [String]

  /// - Parameters:
  ///   - configuration: sudo.conf.
  ///   - sudoers: the usual sudoers.
  ///   - switches: nsswitch.conf.
  ///   - programs: the paths at which sudo may be.
  ///   - pluginFolders: the folders in which sudo may look for plugins.
  package init(
    configuration: String, sudoers: String, switches: String, programs: [String] = [], pluginFolders: [String] = []
  ) {
    self.configuration = configuration
    self.sudoers = sudoers
    self.switches = switches
    self.programs = programs
    self.pluginFolders = pluginFolders
  }

  /// The files of this machine.
  package static let ofThisMachine = SudoFiles(
    configuration: "/etc/sudo.conf", sudoers: "/etc/sudoers", switches: "/etc/nsswitch.conf",
    programs: ["/usr/bin/sudo", "/usr/local/bin/sudo"],
    pluginFolders: ["/usr/libexec/sudo", "/usr/lib/sudo", "/usr/local/libexec/sudo"])
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
    let flaw = files.programs.isEmpty ? nil : ProgramFlaw.of("sudo", at: files.programs, isSetUserID: true)
    // Without sudoers, an installed sudo refuses everybody.
    if FileState.isThere(path) || flaw == nil && !files.programs.isEmpty {
      if reading.countsSudoers { reading.read(path, depth: 0) }
      // Debian builds sudo so that it uses the canonical name (`fqdn`), or its own name if the resolver has none.
      let further = reading.text.namesHosts ? canonical() : nil
      let hosts = [host] + [further].compactMap(\.self).filter { $0 != host }
      self.init(reading.text, hosts: hosts, gaps: reading.gaps)
    } else {
      self.init(gaps: reading.gaps)
    }
    self.flaw = flaw
    programs = files.programs
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
    let lines = words(of: files.configuration, isRoots: true)
    let plugins = SudoPlugins(lines, in: files.pluginFolders)
    // Of two lines for one plugin, sudo uses the first.
    var arguments: [String: [String]] = [:]
    for plugin in plugins.named {
      let isSudoers = plugin.symbol.hasPrefix("sudoers_")
      let isUsual = plugin.path.split(separator: "/").last == "sudoers.so"
      if let place = plugins.unloadable(plugin) {
        gaps.append(.unloadable(path: files.configuration, plugin: place))
      } else if isSudoers, isUsual {
        if arguments[plugin.symbol] == nil { arguments[plugin.symbol] = plugin.arguments }
      } else if Self.isAuditor(plugin) {
        continue
      } else if plugin.symbol.contains("policy") {
        gaps.append(.policy(path: files.configuration, plugin: isSudoers ? plugin.path : plugin.symbol))
      } else {
        gaps.append(.plugin(path: files.configuration, plugin: plugins.place(of: plugin)))
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

  /// Whether it is the plugin of sudo's package that writes a log in JSON, and can write it; if it cannot, sudo runs nothing.
  private static func isAuditor(_ plugin: SudoPlugins.Plugin) -> Bool {
    guard plugin.symbol == "audit_json", plugin.path.split(separator: "/").last == "audit_json.so" else { return false }
    let name = "logfile="
    let file = plugin.arguments.last { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) } ?? auditLog
    return SystemPasswords().isWritable(file, makesFolders: false)
  }

  /// The file in which that plugin writes by default.
  private static let auditLog = "/var/log/sudo_audit.json"

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
    if let folder = FileState.following(place), let flaw = flaw(of: folder, for: .sudoers) {
      gaps.append(.untrusted(path: place, flaw, isWhole: false))
      return
    }
    // sudo skips files that an editor or a package manager left there.
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    where !name.contains(".") && !name.hasSuffix("~") {
      let file = place + "/" + name
      if let state = FileState.following(file), state.kind != S_IFREG { continue }
      read(file, depth: depth + 1)
    }
  }

  /// Which program reads a file, which decides who must have written it.
  private enum Reader {
    case sudo, sudoers, anybody
  }

  /// Why sudo does not trust a file or a folder; nil if it does.
  private func flaw(of state: FileState, for reader: Reader) -> SudoersGap.Flaw? {
    guard reader != .anybody else { return nil }
    let isOfSudoers = reader == .sudoers
    if state.owner != (isOfSudoers ? owner : root) { return .owner(state.owner) }
    if state.mode & S_IWOTH != 0 { return .everybody }
    let isOfGroup = isOfSudoers && state.group == group
    return state.mode & S_IWGRP != 0 && !isOfGroup ? .group(state.group) : nil
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
    let state = FileState(status)
    // sudo warns of a sudo.conf that is no file, and goes on without it.
    let isFile = state.kind == S_IFREG || state.kind == S_IFDIR && reader != .sudo
    if let flaw = isFile ? flaw(of: state, for: reader) : .kind {
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

/// The plugins that sudo loads because of sudo.conf(5).
///
/// If it cannot load one of them, it runs nothing.
private struct SudoPlugins {
  struct Plugin {
    let symbol: String
    /// As it is written in sudo.conf.
    let path: String
    var arguments: [String] = []
  }

  let named: [Plugin]
  /// The folders in which sudo looks for a plugin that is named without one; empty to skip that check.
  private let folders: [String]
  /// The text that sudo puts before such a name (`Path plugin_dir` in sudo.conf), unchanged; empty if that line names no folder.
  private let prefix: String?

  /// - Parameters:
  ///   - lines: the words of sudo.conf.
  ///   - folders: the folders of a sudo that nobody configured.
  init(_ lines: [[String]], in folders: [String]) {
    self.folders = folders
    let plugins = lines.filter { $0.count > 2 && $0[0].lowercased() == "plugin" }.map {
      Plugin(symbol: $0[1], path: $0[2], arguments: Array($0.dropFirst(3)))
    }
    // If no line names a policy, sudo uses the one of sudoers.
    let hasPolicy = plugins.contains { $0.symbol.contains("policy") }
    named = plugins + (hasPolicy ? [] : [Plugin(symbol: "sudoers_policy", path: "sudoers.so")])
    // Of several lines, the last one applies.
    let place = lines.last { $0.count > 1 && $0[0].lowercased() == "path" && $0[1].lowercased() == "plugin_dir" }
    prefix = place.map { $0.count > 2 ? $0[2] : "" }
  }

  /// The first path at which sudo looks for a plugin.
  func place(of plugin: Plugin) -> String { places(of: plugin).first ?? plugin.path }

  private func places(of plugin: Plugin) -> [String] {
    if plugin.path.hasPrefix("/") { return [plugin.path] }
    return prefix.map { [$0 + plugin.path] } ?? folders.map { $0 + "/" + plugin.path }
  }

  /// The path of a plugin that sudo cannot load, because it is missing, is no library, or does not contain the symbol; nil if
  /// nothing is wrong, or if this is not checked.
  func unloadable(_ plugin: Plugin) -> String? {
    guard !folders.isEmpty, !places(of: plugin).contains(where: { Self.has(plugin.symbol, at: $0) }) else { return nil }
    return place(of: plugin)
  }

  private static func has(_ symbol: String, at path: String) -> Bool {
    path.hasPrefix("/") && SharedLibraries.isLoadable(path, with: [symbol])
  }
}

extension FileState {
  /// Whether there is a file with that name, or may be one.
  fileprivate static func isThere(_ path: String) -> Bool {
    guard case .failure(let error) = of(path) else { return true }
    return !error.isAbsence
  }
}
