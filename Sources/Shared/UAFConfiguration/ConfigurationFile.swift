// Purpose: reading root's file so that nobody else can have written it: every component of the path is opened from the one
// before it without following links, and the opened file is checked on the descriptor (A10, A11).

import FidoResults
import Glibc

/// A configuration file that only its owner can have written.
public enum ConfigurationFile {
  /// The largest file, in bytes.
  public static let maximumSize = 64 * 1024

  /// The most files of the folder beside a configuration: each login reads all of them.
  public static let maximumDropIns = 32

  /// Reads the file whole.
  ///
  /// - Parameters:
  ///   - path: absolute, without links.
  ///   - requiredOwner: the uid that must own the file. Directories on the way may be root's or this owner's; group and others
  ///     may write only to sticky ones.
  ///   - limit: the largest file, in bytes.
  /// - Throws: ``ConfigurationFileProblem``.
  public static func read(
    path: String, requiredOwner: UInt32 = 0, limit: Int = maximumSize
  ) throws(ConfigurationFileProblem) -> [UInt8] {
    var parts = try parts(of: path)
    guard let name = parts.popLast() else { throw .badPath }
    return try read(name, in: try folder(of: parts, requiredOwner), requiredOwner, limit: limit)
  }

  /// Reads a file of a folder that ``folder(at:requiredOwner:)`` has opened.
  ///
  /// - Throws: ``ConfigurationFileProblem``.
  static func read(
    _ name: String, in folder: FileDescriptor, _ requiredOwner: UInt32, limit: Int = maximumSize
  ) throws(ConfigurationFileProblem) -> [UInt8] {
    let file = try FileDescriptor.opening(name, in: folder, O_RDONLY)
    try checkFile(file, requiredOwner, limit)
    return try file.readAll(limit: limit)
  }

  /// Opens a folder, in which only root and the owner can have made files; nil if there is none.
  ///
  /// - Throws: ``ConfigurationFileProblem``; also for a sticky folder of others, whose files they could add.
  static func folder(
    at path: String, requiredOwner: UInt32
  ) throws(ConfigurationFileProblem) -> FileDescriptor? {
    var parts = try parts(of: path)
    guard let name = parts.popLast() else { throw .badPath }
    let parent: FileDescriptor
    let folder: FileDescriptor
    do throws(ConfigurationFileProblem) {
      parent = try Self.folder(of: parts, requiredOwner)
      folder = try FileDescriptor.opening(name, in: parent, O_RDONLY | O_DIRECTORY)
    } catch {
      switch error {
      case .missing: return nil
      case .symbolicLink, .notRegular: throw .badDirectory(path)
      default: throw error
      }
    }
    try checkDirectory(folder, path, requiredOwner)
    guard try folder.status().st_mode & (S_IWGRP | S_IWOTH) == 0 else { throw .directoryWritable(path) }
    return folder
  }

  private static func folder(
    of parts: [String], _ requiredOwner: UInt32
  ) throws(ConfigurationFileProblem) -> FileDescriptor {
    var directory = try FileDescriptor.opening("/", in: nil, O_RDONLY | O_DIRECTORY)
    try checkDirectory(directory, "/", requiredOwner)
    var walked = ""
    for part in parts {
      walked += "/" + part
      do throws(ConfigurationFileProblem) {
        directory = try FileDescriptor.opening(part, in: directory, O_RDONLY | O_DIRECTORY)
      } catch {
        if error == .missing || error == .symbolicLink || error == .notRegular { throw .badDirectory(walked) }
        throw error
      }
      try checkDirectory(directory, walked, requiredOwner)
    }
    return directory
  }

  private static func parts(of path: String) throws(ConfigurationFileProblem) -> [String] {
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count < Int(PATH_MAX), !path.utf8.contains(0) else {
      throw .badPath
    }
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard !parts.contains(""), !parts.contains("."), !parts.contains("..") else { throw .badPath }
    return parts
  }

  private static func checkDirectory(
    _ directory: FileDescriptor, _ path: String, _ requiredOwner: UInt32
  ) throws(ConfigurationFileProblem) {
    let status = try directory.status()
    guard status.st_uid == 0 || status.st_uid == requiredOwner else { throw .directoryOwner(path) }
    let othersMayWrite = status.st_mode & (S_IWGRP | S_IWOTH) != 0
    guard !othersMayWrite || status.st_mode & S_ISVTX != 0 else { throw .directoryWritable(path) }
  }

  private static func checkFile(
    _ file: FileDescriptor, _ requiredOwner: UInt32, _ limit: Int
  ) throws(ConfigurationFileProblem) {
    let status = try file.status()
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    guard status.st_uid == requiredOwner else { throw .owner(status.st_uid) }
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else { throw .writable }
    guard status.st_nlink == 1 else { throw .hardLinks }
    guard status.st_size <= limit else { throw .tooLarge(limit: limit) }
  }
}

// The files that add to root's configuration, so that a package, an automation role or `uafctl join` can add settings without
// editing what root has written.

/// The folder `pam_uaf.conf.d` beside a configuration: its files `*.conf` are read after the configuration, in the order of
/// their names.
///
/// Each file must follow the rules of ``ConfigurationFile``, and so must the folder. One file that cannot be used makes the whole
/// configuration unusable: it may be the one that makes a rule stricter.
public enum DropInFolder {
  /// The folder of a configuration.
  public static func path(of configuration: String) -> String { configuration + ".d" }

  /// Reads the files; none if there is no folder.
  ///
  /// Other names are skipped, such as copies by editors and dpkg, and hidden files.
  ///
  /// - Throws: ``ConfigurationError/file(path:_:)``.
  static func documents(
    of configuration: String, requiredOwner: UInt32
  ) throws(ConfigurationError) -> [ConfigurationDocument] {
    let path = path(of: configuration)
    let folder: FileDescriptor
    var names: [String]
    do throws(ConfigurationFileProblem) {
      guard let opened = try ConfigurationFile.folder(at: path, requiredOwner: requiredOwner) else { return [] }
      folder = opened
      names = try folder.names().filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }
      guard names.count <= ConfigurationFile.maximumDropIns else { throw .tooManyFiles }
    } catch {
      throw .file(path: path, error)
    }
    // The names are sorted by bytes: the order must not depend on the language.
    names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    var documents: [ConfigurationDocument] = []
    for name in names {
      let file = path + "/" + name
      do throws(ConfigurationFileProblem) {
        documents.append(
          ConfigurationDocument(path: file, bytes: try ConfigurationFile.read(name, in: folder, requiredOwner)))
      } catch {
        throw .file(path: file, error)
      }
    }
    return documents
  }
}

/// One of the files that make up a configuration.
public struct ConfigurationDocument: Sendable {
  /// Where it was read, for errors.
  public let path: String
  /// Its content.
  public let bytes: [UInt8]

  /// A file that was read, or that will be written.
  public init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }
}

/// A line of one of the files that make up a configuration.
struct ConfigurationLine: Equatable {
  /// The file, for errors.
  let path: String
  /// The line, from 1.
  let number: Int
}

/// Why a file is not trusted or cannot be read.
public enum ConfigurationFileProblem: Error, Equatable, Sendable {
  /// The path is not absolute, too long, or has empty, `.` or `..` parts.
  case badPath
  /// There is no such file.
  case missing
  /// A directory on the way does not exist, is not a directory, or is a symbolic link.
  case badDirectory(String)
  /// A directory on the way belongs to someone else.
  case directoryOwner(String)
  /// Others may write to a directory on the way.
  case directoryWritable(String)
  /// It is a symbolic link.
  case symbolicLink
  /// It is a FIFO, a device, a directory or a socket.
  case notRegular
  /// It belongs to someone else.
  case owner(UInt32)
  /// Group or others may write to it.
  case writable
  /// It has more than one name.
  case hardLinks
  /// It has more bytes than a file for this may have.
  case tooLarge(limit: Int)
  /// It is a folder with more than ``ConfigurationFile/maximumDropIns`` files.
  case tooManyFiles
  /// It should hold certificates in PEM, but contains none.
  case noCertificate
  /// It is a certificate, but in DER.
  case isDER
  /// It is written in UTF-16.
  case isUTF16
  /// The certificate that begins in this line cannot be read.
  case badCertificate(line: Int)
  /// The system refused, with this errno.
  case system(Int32)
}

extension ConfigurationFileProblem {
  /// Whether only root can have caused the problem.
  ///
  /// An error number is the machine's fault: a failing disk, or descriptors and memory that others used up. A second hard link
  /// is not always root's fault: without `fs.protected_hardlinks` anybody may make one for a file that they can read.
  public var isRoots: Bool {
    switch self {
    case .system, .hardLinks: false
    default: true
    }
  }
}

extension ConfigurationFileProblem: CustomStringConvertible {
  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .badPath: "the path must be absolute, without empty, . or .. parts"
    case .missing: "there is no such file: create it, or correct the path"
    case .badDirectory(let path): "\(path) is missing, no directory, or a symbolic link: give the real path"
    case .directoryOwner(let path): "\(path) belongs to someone else: chown root \(path)"
    case .directoryWritable(let path): "others may write to \(path): chmod go-w \(path)"
    case .symbolicLink: "it is a symbolic link: give the real path"
    case .notRegular: "it is not a regular file"
    case .owner(let uid): "it belongs to uid \(uid): chown root it"
    case .writable: "group or others may write to it: chmod go-w it"
    case .hardLinks: "it has a second name (hard link): make it a separate file"
    case .tooLarge(let limit): "it is larger than \(limit) bytes, the most that is read"
    case .tooManyFiles: "it has more than \(ConfigurationFile.maximumDropIns) files *.conf: put some of them together"
    case .noCertificate: "it contains no certificate in PEM: none of its lines is -----BEGIN CERTIFICATE-----"
    case .isDER: "it is a certificate in DER, and PEM is needed: convert it with openssl x509 -inform DER"
    case .isUTF16: "it is written in UTF-16: save it as UTF-8 or ASCII"
    case .badCertificate(let line):
      "the certificate that begins in line \(line) cannot be read: copy it again, or remove it"
    case .system(let number): "it cannot be read (errno \(number))"
    }
  }
}
