// Purpose: reading root's file so that nobody else can have written what is read: every part of the path is opened from the one
// before it without following links, and what was opened is checked on the descriptor (A10, A11).

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
  ///   - requiredOwner: who must own the file. Directories on the way may be root's or this owner's; group and others may write
  ///     to none of them but sticky ones.
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

  /// Opens a folder, where only root and the owner can have made files; nil if there is none.
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
