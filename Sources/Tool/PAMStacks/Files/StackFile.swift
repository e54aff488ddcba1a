import CPAM
import Glibc
import HostSystem

/// An open file of PAM's folder.
final class StackFile {
  private let descriptor: CInt

  /// Opens a file; nil if there is none.
  init?(_ name: String, in folder: CInt) throws(StackFileProblem) {
    // SAFETY: the name lives for the call.
    descriptor = unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if descriptor >= 0 { return }
    switch errno {
    case ENOENT: return nil
    case ELOOP: throw .symbolicLink
    case ENXIO: throw .noFile
    case let other: throw .system(other)
    }
  }

  /// Makes a new file; only its owner may use it until it gets the attributes of another file.
  init(making name: String, in folder: CInt) throws(StackFileProblem) {
    // SAFETY: the name lives for the call.
    descriptor = unsafe openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
    guard descriptor >= 0 else { throw .system(errno) }
    guard fchmod(descriptor, 0o644) == 0 else { throw .system(errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private func status() throws(StackFileProblem) -> stat {
    var status = stat()
    // SAFETY: fstat fills exactly one stat.
    guard unsafe fstat(descriptor, &status) == 0 else { throw .system(errno) }
    return status
  }

  /// Checks that it is a regular file with one link that only `owner` can have written.
  func check(owner: uid_t) throws(StackFileProblem) {
    let status = try status()
    guard status.st_mode & S_IFMT == S_IFREG else { throw .noFile }
    guard status.st_uid == owner else { throw .owner(status.st_uid) }
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else { throw .writable }
    guard status.st_nlink == 1 else { throw .hardLinks }
  }

  /// Its whole content.
  func content(limit: Int) throws(StackFileProblem) -> [UInt8] {
    guard let content = DescriptorReader.read(descriptor, atMost: limit + 1) else { throw .system(errno) }
    guard content.count <= limit else { throw .tooLarge }
    return content
  }

  /// Writes `bytes`, and waits until they are on the disk.
  func write(_ bytes: [UInt8]) throws(StackFileProblem) {
    guard DescriptorWriter.write(bytes, to: descriptor), fsync(descriptor) == 0 else { throw .system(errno) }
  }

  /// Copies the owner, the mode and the extended attributes (access lists and security labels among them) of a different file.
  func takeAttributes(of other: StackFile) throws(StackFileProblem) {
    let (mine, theirs) = (try status(), try other.status())
    if mine.st_uid != theirs.st_uid || mine.st_gid != theirs.st_gid {
      guard fchown(descriptor, theirs.st_uid, theirs.st_gid) == 0 else { throw .system(errno) }
    }
    guard fchmod(descriptor, theirs.st_mode & 0o7777) == 0 else { throw .system(errno) }
    for name in try other.attributeNames() {
      let value = try other.attribute(name)
      // SAFETY: name and value live for the call, and the value is as long as announced.
      guard unsafe fsetxattr(descriptor, name, value, value.count, 0) == 0 else { throw .system(errno) }
    }
  }

  // The kernel's own limit for both.
  private static let attributeRoom = 65_536

  private func attributeNames() throws(StackFileProblem) -> [String] {
    var list = [CChar](repeating: 0, count: Self.attributeRoom)
    // SAFETY: the list is as long as announced.
    let count = unsafe flistxattr(descriptor, &list, list.count)
    // Some file systems have no attributes.
    if count < 0, errno == ENOTSUP { return [] }
    guard count >= 0 else { throw .system(errno) }
    return list.prefix(count).split(separator: 0).map { name in
      String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  private func attribute(_ name: String) throws(StackFileProblem) -> [UInt8] {
    var value = [UInt8](repeating: 0, count: Self.attributeRoom)
    // SAFETY: the name lives for the call; the value is as long as announced.
    let count = unsafe fgetxattr(descriptor, name, &value, value.count)
    guard count >= 0 else { throw .system(errno) }
    return Array(value.prefix(count))
  }
}

/// The content that a file must still have when it is changed: somebody else may have changed it since it was read.
enum FileBefore: Equatable {
  /// Any content, or no file.
  case any
  /// The content that was read; nil for no file.
  case known([UInt8]?)
}

/// A PAM service's file.
///
/// One of its lines can be replaced; all others stay unchanged, byte for byte.
struct ServiceFile: Equatable {
  /// The folder that it is in; lines may name files of this folder by their paths.
  private let reader: PAMDirectory?
  /// The lines without line ends; the last is empty if the file ends with a line end.
  private(set) var lines: [[UInt8]]

  /// The files whose `auth` lines are known to ask for the password, and nothing else.
  private static let passwordFiles: Set<String> = [
    "common-auth", "login", "password-auth", "system-auth", "system-login",
  ]

  /// - Parameter reader: the folder that it is in; nil to use names of files unchanged.
  init(_ bytes: [UInt8], in reader: PAMDirectory? = nil) {
    self.reader = reader
    lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
  }

  /// The file.
  var bytes: [UInt8] { Array(lines.joined(separator: [UInt8(ascii: "\n")])) }

  /// Whether a line is empty, a comment, or a complete line that PAM understands.
  func isUnderstood(_ index: Int) -> Bool {
    let read = PAMFile(bytes).lines.filter { $0.rows.contains(index) }
    guard let line = read.first else { return true }
    return read.count == 1 && line.rows.count == 1 && PAMLine(line: line).isWellFormed
  }

  /// The first line that libpam 1.5 and later versions read differently; nil if there is none.
  var parting: Int? { PAMFile(bytes).parting }

  /// The first line that is not empty and ends with a carriage return; nil if there is none.
  var carriageReturn: Int? { PAMFile.carriageReturn(in: lines) }

  /// The lines, in order, that PAM sees.
  var parsed: [PAMLine] { PAMFile(bytes).parsed }

  /// The index of each line that includes `name`; for a line that continues, the index of its first part.
  func inclusions(of name: String) -> [Int] {
    PAMFile(bytes).lines.filter { line in
      let parsed = PAMLine(line: line)
      return parsed.isInclusion && self.name(of: parsed.module) == name
    }.map(\.rows.lowerBound)
  }

  private func name(of included: String) -> String { reader?.name(of: included) ?? included }

  static func == (first: ServiceFile, second: ServiceFile) -> Bool { first.lines == second.lines }

  /// Whether a stack of ours can replace `line`.
  ///
  /// - Parameter depth: how many files led to this one.
  private func isReplaceable(_ line: PAMLine, changesPasswords: Bool, depth: Int = 0) -> Bool {
    guard line.isInclusion, depth < PAMDirectory.deepest else { return false }
    let name = name(of: line.module)
    if line.group == "@include", name == (changesPasswords ? "common-password" : "common-auth") { return true }
    if line.group == "auth", !changesPasswords, Self.passwordFiles.contains(name) { return true }
    // The line may also include a file from which it gets exactly one line, if that line is replaceable.
    guard !changesPasswords || line.group == "@include", let brought = brought(by: line), brought.count == 1 else {
      return false
    }
    return isReplaceable(brought[0], changesPasswords: changesPasswords, depth: depth + 1)
  }

  /// The lines that an `auth` line or an `@include` includes from a file that services share; nil for any other line.
  ///
  /// A service with a template of its own is no such file, even if others include it.
  private func brought(by line: PAMLine) -> [PAMLine]? {
    let name = name(of: line.module)
    guard line.isInclusion, ["auth", "@include"].contains(line.group), !name.hasPrefix(PAMService.prefix),
      (try? PAMService(name))?.knownTemplate == nil
    else { return nil }
    return reader?.ownLines(of: line.module).filter { line.group == "@include" || $0.isPart(of: line.group) }
  }

  /// Whether a line includes the password's stack, or that of new passwords, at any depth.
  func leadsToPassword(_ line: PAMLine) -> Bool {
    isReplaceable(line, changesPasswords: false) || isReplaceable(line, changesPasswords: true) || isDetour(line)
  }

  /// Whether a line includes the password's stack by way of another file.
  private func isDetour(_ line: PAMLine, depth: Int = 0) -> Bool {
    guard depth < PAMDirectory.deepest, let brought = brought(by: line) else { return false }
    return brought.contains { isReplaceable($0, changesPasswords: false) || isDetour($0, depth: depth + 1) }
  }

  /// The only line that a stack of ours can replace.
  ///
  /// - Throws: ``StackError``: `noLine`, `severalLines`, `foldedLine`, `lineIsNoText`.
  func replaceableLine(of service: PAMService, at path: String) throws(StackError) -> Int {
    let read = PAMFile(bytes).lines.map { (rows: $0.rows, line: PAMLine(line: $0)) }
    let candidates = read.filter { isReplaceable($0.line, changesPasswords: service.changesPasswords) }
    guard let rows = candidates.first?.rows else {
      if !service.changesPasswords, let detour = read.first(where: { isDetour($0.line) }) {
        throw .byWay(path: path, line: detour.rows.lowerBound + 1, file: name(of: detour.line.module))
      }
      throw .noLine(path: path, include: service.stackName)
    }
    guard candidates.count == 1 else { throw .severalLines(path: path, include: service.stackName) }
    let index = rows.lowerBound
    guard read.filter({ $0.rows.overlaps(rows) }).count == 1, rows.count == 1 else {
      throw .foldedLine(path: path, line: index + 1)
    }
    guard String(validating: lines[index], as: UTF8.self) != nil else {
      throw .lineIsNoText(path: path, line: index + 1)
    }
    return index
  }

  /// The text of a line.
  func text(_ index: Int) -> String { String(decoding: lines[index], as: UTF8.self) }

  /// Inserts a line.
  mutating func insert(_ text: String, before index: Int) { lines.insert(Array(text.utf8), at: index) }

  /// Replaces a line, and those that continue it, by `text`.
  mutating func replace(_ index: Int, with text: String) {
    let rows = PAMFile(bytes).lines.first { $0.rows.lowerBound == index }?.rows ?? index...index
    lines.replaceSubrange(rows, with: [Array(text.utf8)])
  }
}

extension PAMDirectory {
  /// The first line of a service's own file, from 1, that is not empty and ends with a carriage return; nil if there is none.
  package func carriageReturn(in service: String) -> Int? {
    bytes(of: service).flatMap { ServiceFile($0).carriageReturn.map { $0 + 1 } }
  }
}

/// A folder of services on which a change is checked but not made.
struct Rehearsal: ServiceFolder {
  private let folder: any ServiceFolder

  init(_ folder: any ServiceFolder) { self.folder = folder }

  var path: String { folder.path }

  func read(_ name: String) throws(StackError) -> [UInt8]? { try folder.read(name) }

  func write(_ bytes: [UInt8], to name: String, like model: String?, over before: FileBefore) throws(StackError) {
    try check(name, is: before)
  }

  func move(_ name: String, to other: String, over before: FileBefore) throws(StackError) {
    try check(name, is: before)
  }

  func remove(_ name: String, over before: FileBefore) throws(StackError) { try check(name, is: before) }
}
