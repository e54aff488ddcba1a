// Purpose of this target: the services of /etc/pam.d. They are read as libpam reads them, changed one whole file at a time,
// and tried with libpam before anything is changed. About UAF, it knows only the names of the module and of the rescue group.
// It may import the C library, libpam, HostSystem, ServiceNames and Wording, SecretMemory for what is typed
// during a trial, and UAFCrypto for the digest of a stack.

import Glibc
import HostSystem

/// A folder of PAM service files.
package struct PAMDirectory {
  /// Its name.
  package let path: String
  /// The folders in which libpam looks for a service that this folder lacks, but not for files that lines include.
  private let vendors: [String]
  /// Files that are read as they will be after a change.
  private let planned: [String: [UInt8]]

  /// - Parameters:
  ///   - path: the folder, which need not exist.
  ///   - vendors: the folders in which libpam looks for a service that this one lacks.
  ///   - planned: files of the folder that are read as they will be after a change, by their names.
  package init(path: String, vendors: [String] = [], planned: [String: [UInt8]] = [:]) {
    self.path = path
    self.vendors = vendors
    self.planned = planned
  }

  /// libpam's own limit for nested includes; up to 1.5 only for substacks.
  package static let deepest = 16

  // The most bytes that are read from a file; real files are far smaller.
  private static let largest = 262_144

  /// The names of the services, in order; nil if the folder cannot be read.
  ///
  /// Names that editors, dpkg and ucf give to copies do not count, unless a service includes one; libpam-uaf.prerm has the same
  /// rule.
  package func services() -> [String]? {
    guard let names = names() else { return nil }
    var found = Set(names.filter { !Self.isCopy($0) })
    var new = found
    while !new.isEmpty {
      new = Set(new.flatMap(inclusions)).intersection(names).subtracting(found)
      found.formUnion(new)
    }
    return found.sorted()
  }

  /// All names except `.` and `..`; nil if the folder cannot be read.
  package func names() -> [String]? {
    // SAFETY: the stream is read and closed here alone, and d_name is NUL-terminated within an entry.
    guard let folder = unsafe opendir(path) else { return nil }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Whether a name is that of a copy, which no program uses as its PAM service.
  static func isCopy(_ name: String) -> Bool {
    name.hasPrefix(".") || ["~", ".bak", ".orig", ".old"].contains(where: name.hasSuffix)
      || name.contains(".dpkg-") || name.contains(".ucf-")
  }

  /// The lines of a service itself, without what it includes.
  package func ownLines(of service: String) -> [PAMLine] { read(service)?.lines.map(\.line) ?? [] }

  /// The first line of a service's own file, from 1, that libpam 1.5 and later versions read differently; nil if there is none.
  package func parting(of service: String) -> Int? { bytes(of: service).flatMap { PAMFile($0).parting.map { $0 + 1 } } }

  /// What a service includes directly; a file of this folder is given by its name there.
  package func inclusions(of service: String) -> [String] {
    ownLines(of: service).filter(\.isInclusion).map { name(of: $0.module) }
  }

  /// The name, in this folder, of a file that a line includes: the line may give its whole path.
  package func name(of included: String) -> String {
    let parts = included.split(separator: "/").filter { $0 != "." }
    guard included.hasPrefix("/"), let last = parts.last,
      parts.dropLast() == path.split(separator: "/").filter({ $0 != "." })[...]
    else { return included }
    return String(last)
  }

  /// The name in this folder that a name links to, through any number of links; nil if it is not a link, or leads
  /// elsewhere.
  package func linked(from name: String) -> String? {
    var target = name
    for _ in 0..<Self.deepest {
      var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
      // SAFETY: the path lives for the call; the buffer's length is passed, and readlink returns the length of the text.
      let length = unsafe buffer.withUnsafeMutableBytes { buffer in
        unsafe buffer.baseAddress.map {
          unsafe readlink(path + "/" + target, $0.assumingMemoryBound(to: CChar.self), buffer.count)
        } ?? -1
      }
      guard length > 0 else { return target == name ? nil : target }
      target = self.name(of: String(decoding: buffer.prefix(length), as: UTF8.self))
      guard !target.contains("/") else { return nil }
    }
    return nil
  }

  /// The `auth` lines of a service, with included lines in place.
  package func authentication(of service: String) -> [PAMLine] {
    entries(of: service, in: "auth").filter { !$0.isSubstack }.map(\.line)
  }

  /// All lines of a service, with included lines in place.
  package func wholeStack(of service: String) -> [PAMLine] {
    entries(of: service, in: nil, level: 0, depth: 0, from: nil).filter { !$0.isSubstack }.map(\.line)
  }

  /// The first line of a service, or of what it includes, that includes a file that libpam cannot read; nil if there is none.
  package func unreadInclusion(of service: String) -> StackLinePlace? {
    entries(of: service, in: nil, level: 0, depth: 0, from: nil).first { $0.place.unread != nil }?.place
  }

  /// The files that a service includes, at any depth, each once.
  func includedFiles(of service: String) -> [(path: String, bytes: [UInt8])] {
    var found: [(path: String, bytes: [UInt8])] = []
    var open = ownLines(of: service).filter(\.isInclusion).map(\.module)
    while let name = open.popLast() {
      guard let file = file(name, in: [path]), !found.contains(where: { $0.path == file.path }) else { continue }
      found.append(file)
      open += PAMFile(file.bytes).parsed.filter(\.isInclusion).map(\.module)
    }
    return found
  }

  /// The lines of a group as libpam lists them, with included lines in place.
  package func entries(of service: String, in group: String) -> [StackEntry] {
    entries(of: service, in: group, level: 0, depth: 0, from: nil)
  }

  private func entries(
    of service: String, in group: String?, level: Int, depth: Int, from including: StackEntry?
  ) -> [StackEntry] {
    guard depth < Self.deepest, let file = read(service, isIncluded: including != nil) else {
      guard let including else { return [] }
      // libpam refuses everybody if it cannot follow an include.
      var place = including.place
      place.unread = including.line.module
      return [StackEntry(line: .unreadable, level: including.level, isSubstack: false, place: place)]
    }
    var entries: [StackEntry] = []
    for (line, number) in file.lines {
      let entry = StackEntry(
        line: line, level: level, isSubstack: line.control == "substack",
        place: StackLinePlace(path: file.path, line: number))
      guard line.group == "@include" || group.map(line.isPart) ?? true else { continue }
      guard line.isInclusion else {
        entries.append(entry)
        continue
      }
      if entry.isSubstack { entries.append(entry) }
      entries += self.entries(
        of: line.module, in: line.group == "@include" ? group : line.group, level: level + (entry.isSubstack ? 1 : 0),
        depth: depth + 1, from: entry)
    }
    return entries
  }

  /// The lines that libpam reads in the file that a name leads to, with the number of each line; nil if there is no such file.
  private func read(
    _ name: String, isIncluded: Bool = false
  ) -> (path: String, lines: [(line: PAMLine, number: Int)])? {
    guard let (path, bytes) = file(name, in: isIncluded ? [path] : [path] + vendors) else { return nil }
    var lines = PAMFile(bytes).lines.map { (line: PAMLine(line: $0), number: $0.rows.lowerBound + 1) }
    // If a file is too large for this reader, its unread end may contain anything.
    if bytes.count >= Self.largest { lines.append((.unreadable, (lines.last?.number ?? 0) + 1)) }
    return (path, lines)
  }

  /// The content of a service's file, links followed; nil if it cannot be read.
  package func bytes(of service: String) -> [UInt8]? { planned[service] ?? bytes(path + "/" + service) }

  /// The file of a service; nil if there is none that can be read.
  func place(of service: String) -> String? { file(service, in: [path] + vendors)?.path }

  /// The file that a service's name, or an include, leads to; nil if it cannot be read.
  private func file(_ name: String, in folders: [String]) -> (path: String, bytes: [UInt8])? {
    if name.hasPrefix("/") { return planned(at: name).map { (name, $0) } ?? bytes(name).map { (name, $0) } }
    if let planned = planned[name] { return (path + "/" + name, planned) }
    for folder in folders {
      if let bytes = bytes(folder + "/" + name) { return (folder + "/" + name, bytes) }
    }
    return nil
  }

  private func planned(at name: String) -> [UInt8]? {
    let own = self.name(of: name)
    return own == name ? nil : planned[own]
  }

  private func bytes(_ path: String) -> [UInt8]? {
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return DescriptorReader.read(descriptor, atMost: Self.largest)
  }
}

/// The lines that libpam reads in a file of its folder.
///
/// libpam 1.5 (Debian 12) and 1.6 (Debian 13 has 1.7) join lines in two different ways (``PAMReading``). A file that they read
/// differently is read as far as both agree; the rest counts as a line that refuses everybody. So an update of libpam does not
/// change what was found out about a file.
struct PAMFile {
  /// A line as libpam joins it.
  struct Line: Equatable {
    /// The lines of the file in which it begins and ends, from 0.
    let rows: ClosedRange<Int>
    /// Its text; nil if libpam does not reach its end, and refuses the whole file.
    let text: [UInt8]?
  }

  /// The lines with content, in order.
  let lines: [Line]
  /// The first line of the file, from 0, that the two read differently; nil if both agree.
  let parting: Int?

  init(_ bytes: [UInt8]) {
    let (older, newer) = (PAMReading.untilFive.lines(of: bytes), PAMReading.sinceSix.lines(of: bytes))
    let agreed = zip(older, newer).prefix { PAMLine(line: $0).means(PAMLine(line: $1)) }
    // A difference in blanks is ignored.
    let common = agreed.map { Line(rows: Self.union($0.rows, $1.rows), text: $1.text) }
    let apart = [older.dropFirst(common.count).first, newer.dropFirst(common.count).first].compactMap(\.self)
    parting = apart.map(\.rows.lowerBound).min()
    let last = (older + newer).map(\.rows.upperBound).max() ?? 0
    lines = common + (parting.map { [Line(rows: $0...max($0, last), text: nil)] } ?? [])
  }

  /// The first of the file's lines, from 0, that has content and a Windows line end; nil if there is none.
  static func carriageReturn(in lines: [[UInt8]]) -> Int? {
    lines.firstIndex { line in
      let first = line.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") && $0 != UInt8(ascii: "\r") }
      return line.last == UInt8(ascii: "\r") && first.map { $0 != UInt8(ascii: "#") } ?? false
    }
  }

  private static func union(_ first: ClosedRange<Int>, _ second: ClosedRange<Int>) -> ClosedRange<Int> {
    min(first.lowerBound, second.lowerBound)...max(first.upperBound, second.upperBound)
  }

  /// The first line of a text; nil if it has only comments and blanks.
  static func firstLine(of text: String) -> PAMLine? {
    PAMFile(Array(text.utf8)).lines.first.map(PAMLine.init(line:))
  }

  /// The lines, parsed.
  var parsed: [PAMLine] { lines.map(PAMLine.init(line:)) }
}

/// How a version of libpam joins the lines of a file; each was tried with such a version.
enum PAMReading: CaseIterable {
  /// libpam up to 1.5, as in Debian 12.
  case untilFive
  /// libpam from 1.6 on, as in Debian 13.
  case sinceSix

  /// The lines with content, in order; the last has no text if libpam refuses the file.
  func lines(of bytes: [UInt8]) -> [PAMFile.Line] {
    var lines: [PAMFile.Line] = []
    switch self {
    case .untilFive:
      var file = BufferedPAMLines(bytes)
      while let line = file.next() { lines.append(line) }
    case .sinceSix:
      var file = WholePAMLines(bytes)
      while let line = file.next() { lines.append(line) }
    }
    return lines
  }
}
