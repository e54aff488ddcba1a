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

  /// - Parameters:
  ///   - configuration: sudo.conf.
  ///   - sudoers: the usual sudoers.
  ///   - switches: nsswitch.conf.
  package init(configuration: String, sudoers: String, switches: String) {
    self.configuration = configuration
    self.sudoers = sudoers
    self.switches = switches
  }

  /// Those of this machine.
  package static let ofThisMachine = SudoFiles(
    configuration: "/etc/sudo.conf", sudoers: "/etc/sudoers", switches: "/etc/nsswitch.conf")
}

extension SudoSettings {
  /// What sudoers says, with everything that it includes.
  ///
  /// - Parameters:
  ///   - files: where it begins.
  ///   - host: the name of this host.
  package init(_ files: SudoFiles, host: String) {
    var reading = SudoersReading(host: host)
    let path = reading.sudoers(files)
    reading.readSwitches(files.switches)
    // Without sudoers, sudo is not there or lets nobody in.
    guard FileState.isThere(path) else {
      self.init(gaps: reading.gaps)
      return
    }
    reading.read(path, depth: 0)
    self.init(reading.text, host: host, gaps: reading.gaps)
  }
}

/// Reads sudo's files, and notes what it cannot read.
private struct SudoersReading {
  let host: String
  var text = SudoersText()
  var gaps: [SudoersGap] = []
  private var count = 0

  // Real files are far smaller, and fewer; sudo itself follows 128 levels of includes.
  private static let largest = 1 << 20
  private static let mostFiles = 1_000
  private static let deepest = 128

  init(host: String) { self.host = host }

  /// The path of the sudoers that sudo reads.
  mutating func sudoers(_ files: SudoFiles) -> String {
    var path = files.sudoers
    for words in words(of: files.configuration) where words.count > 2 && words[0].lowercased() == "plugin" {
      let isSudoers = words[1].hasPrefix("sudoers_")
      if !isSudoers, words[1].contains("policy") {
        gaps.append(.policy(path: files.configuration, plugin: words[1]))
      }
      let option = words.dropFirst(3).last { $0.hasPrefix("sudoers_file=") }
      if isSudoers, let option { path = String(option.dropFirst("sudoers_file=".count)) }
    }
    return path
  }

  mutating func readSwitches(_ path: String) {
    for words in words(of: path) where words[0].lowercased() == "sudoers:" {
      let sources = words.dropFirst().filter { ["ldap", "sss"].contains($0.lowercased()) }
      if !sources.isEmpty { gaps.append(.directory(path: path, sources: sources)) }
    }
  }

  /// The words of a file's lines, without comments; a file that is not there has none.
  private mutating func words(of path: String) -> [[String]] {
    guard FileState.isThere(path), let bytes = content(of: path) else { return [] }
    return String(decoding: bytes, as: UTF8.self).replacing("\\\n", with: " ").split(separator: "\n").compactMap {
      line in
      let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
      return words.isEmpty ? nil : words
    }
  }

  mutating func read(_ path: String, depth: Int) {
    guard let bytes = content(of: path) else { return }
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
    // sudo leaves out what an editor or a package manager has left there.
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    where !name.contains(".") && !name.hasSuffix("~") {
      let file = place + "/" + name
      if case .success(let state) = FileState.of(file), state.kind == S_IFDIR { continue }
      read(file, depth: depth + 1)
    }
  }

  private mutating func content(of path: String) -> [UInt8]? {
    count += 1
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      gaps.append(.file(path: path, errno))
      return nil
    }
    defer { close(descriptor) }
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
  /// Whether there is something of that name, or may be.
  fileprivate static func isThere(_ path: String) -> Bool {
    guard case .failure(let error) = of(path) else { return true }
    return !error.isAbsence
  }
}
