import Glibc
import HostSystem
import UAFAdministration
import UAFConsole
import UAFMessages

/// One of the outputs to which the codes for a list of people are written.
///
/// Each output is a new file or folder that only its owner can read. Nothing is overwritten.
protocol CodeOutput {
  /// The path as it was given on the command line.
  var path: String { get }

  /// Adds codes, and waits until they are on the disk.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``, or the errors of turning codes into text.
  func add(_ codes: [ListedCode]) throws

  /// Writes what follows the last code.
  func finish() throws

  /// Removes what was created, as long as no code was added.
  func remove()
}

/// The codes as CSV, with a line for each code.
struct CodeTable: CodeOutput {
  private let file: CodeFile

  var path: String { file.path }

  /// Creates the file, and writes its title line.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``, including when a file of that name exists.
  init(path: String) throws(ServerError) {
    file = try CodeFile(path: path)
    do throws(ServerError) {
      try file.add(CodeList.header)
    } catch {
      file.remove()
      throw error
    }
  }

  func add(_ codes: [ListedCode]) throws { try file.add(CodeList.lines(codes)) }

  func finish() {}

  func remove() { file.remove() }
}

/// A new file that only its owner can read, to which codes are appended.
final class CodeFile {
  /// Writes bytes to a descriptor; false if not all of them were written, and `errno` says why.
  typealias Append = ([UInt8], CInt) -> Bool

  let path: String
  private let descriptor: CInt
  private let append: Append

  /// Creates the file.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``, including when a file of that name exists.
  init(
    path: String, append: @escaping Append = { DescriptorWriter.write($0, to: $1) }
  ) throws(ServerError) {
    // SAFETY: the string lives for the call.
    let made = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard made >= 0 else { throw .cannotMake(path) }
    descriptor = made
    self.path = path
    self.append = append
  }

  deinit { close(descriptor) }

  /// Adds text, and waits until it is on the disk.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func add(_ text: String) throws(ServerError) {
    guard append(Array(text.utf8), descriptor), fdatasync(descriptor) == 0 else {
      throw .unusableFile(path: path, system: "cannot be written")
    }
  }

  /// Removes the file.
  func remove() {
    // SAFETY: the string lives for the call.
    unsafe unlink(path)
  }
}

/// The file of `--payload-file`, which contains one payload.
enum PayloadFile {
  /// What is not printed if there is a file: the payload, and the enrolment code that is in it.
  private static let secrets = ["payload", "code"]

  /// Creates the file, if one is named, lets `body` fill it, and removes it if that fails.
  ///
  /// The file is created before the code is issued: a code that cannot be written would reach nobody.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``; what `body` throws.
  static func filling(_ path: String?, _ body: (CodeFile?) async throws -> Void) async throws {
    let file = try path.map { try CodeFile(path: $0) }
    do {
      try await body(file)
    } catch {
      file?.remove()
      throw error
    }
  }

  /// Prints what the API has issued; if there is a file, the payload is written to it, and neither it nor a code is printed.
  ///
  /// - Returns: the payload.
  /// - Throws: ``LinkError/unexpected``; ``ServerError/unusableFile(path:reason:)``.
  static func show(_ issued: JSONObject, in file: CodeFile?, _ json: JSONFlag) throws -> String {
    guard let payload = issued.text("payload") else { throw LinkError.unexpected }
    guard let file else {
      json.print(issued, orElse: payload)
      return payload
    }
    try file.add(payload + "\n")
    var rest = JSONObject()
    for member in issued.members where !secrets.contains(member.name) { rest.set(member.name, member.value) }
    if json.isOn { json.print(rest, orElse: "") }
    return payload
  }
}

/// The codes as sheets for printing, in one HTML page.
struct SheetFile: CodeOutput {
  private let file: CodeFile
  private let document: SheetDocument

  var path: String { file.path }

  /// Creates the file, and writes the beginning of the page.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``, including when a file of that name exists.
  init(path: String, document: SheetDocument) throws {
    let beginning = try document.beginning()
    file = try CodeFile(path: path)
    self.document = document
    do {
      try file.add(beginning)
    } catch {
      file.remove()
      throw error
    }
  }

  func add(_ codes: [ListedCode]) throws {
    try file.add(codes.map { try document.sheet($0) }.joined())
  }

  func finish() throws { try file.add(document.ending) }

  func remove() { file.remove() }
}

/// A new folder with a file for each code.
///
/// Each file contains what `enrol` would print.
final class PayloadFolder: CodeOutput {
  let path: String
  private let descriptor: CInt
  private let append: CodeFile.Append

  /// Creates the folder.
  ///
  /// - Throws: ``ServerError/unusableDirectory(path:reason:)``, including when something of that name exists.
  init(
    path: String, append: @escaping CodeFile.Append = { DescriptorWriter.write($0, to: $1) }
  ) throws(ServerError) {
    // SAFETY: the string lives for the calls; the status is a stat structure.
    guard unsafe mkdir(path, 0o700) == 0 else {
      throw errno == EEXIST
        ? .unusableDirectory(path: path, reason: ServerError.isThereAlready) : Self.failure(path, "cannot be made")
    }
    let opened = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard opened >= 0 else { throw Self.failure(path, "cannot be opened") }
    var status = stat()
    guard unsafe fstat(opened, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      close(opened)
      throw .unusableDirectory(path: path, reason: "somebody has replaced it with another folder")
    }
    descriptor = opened
    self.path = path
    self.append = append
  }

  deinit { close(descriptor) }

  func add(_ codes: [ListedCode]) throws {
    for code in codes {
      try add(try PayloadFileName.name(for: code.payload.username), code.payload.encoded + "\n")
    }
    guard fsync(descriptor) == 0 else { throw Self.failure(path, "cannot be written") }
  }

  private func add(_ name: String, _ text: String) throws(ServerError) {
    let place = "\(path)/\(name)"
    // SAFETY: the name lives for the calls; the descriptor is closed before the function is left.
    let file = unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .cannotMake(place) }
    let isWritten = append(Array(text.utf8), file) && fsync(file) == 0
    let error = ServerError.unusableFile(path: place, system: "cannot be written")
    close(file)
    guard isWritten else {
      // A file with only a part of a code is useless.
      unsafe unlinkat(descriptor, name, 0)
      throw error
    }
  }

  func finish() {}

  func remove() {
    // SAFETY: the string lives for the call.
    unsafe rmdir(path)
  }

  private static func failure(_ path: String, _ what: String) -> ServerError {
    // SAFETY: strerror's text is copied immediately.
    .unusableDirectory(path: path, reason: unsafe "\(what): \(String(cString: strerror(errno)))")
  }
}
