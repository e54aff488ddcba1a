// Purpose: reading root's file so that nobody else can have written what is read: every part of the path is opened from the one
// before it without following links, and what was opened is checked on the descriptor (A10, A11).

import FidoResults
import Glibc

/// A configuration file that only its owner can have written.
public enum ConfigurationFile {
  /// The largest file, in bytes.
  public static let maximumSize = 64 * 1024

  /// Reads the file whole.
  ///
  /// - Parameters:
  ///   - path: absolute, without links.
  ///   - requiredOwner: who must own the file. Directories on the way may be root's or this owner's; group and others may write
  ///     to none of them but sticky ones.
  /// - Throws: ``ConfigurationFileProblem``.
  public static func read(
    path: String, requiredOwner: UInt32 = 0
  ) throws(ConfigurationFileProblem) -> [UInt8] {
    let parts = try parts(of: path)
    guard let name = parts.last else { throw .badPath }
    var directory = try FileDescriptor.opening("/", in: nil, O_RDONLY | O_DIRECTORY)
    try checkDirectory(directory, "/", requiredOwner)
    var walked = ""
    for part in parts.dropLast() {
      walked += "/" + part
      do throws(ConfigurationFileProblem) {
        directory = try FileDescriptor.opening(part, in: directory, O_RDONLY | O_DIRECTORY)
      } catch {
        if error == .missing || error == .symbolicLink || error == .notRegular { throw .badDirectory(walked) }
        throw error
      }
      try checkDirectory(directory, walked, requiredOwner)
    }
    let file = try FileDescriptor.opening(name, in: directory, O_RDONLY)
    try checkFile(file, requiredOwner)
    return try file.readAll(limit: maximumSize)
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

  private static func checkFile(_ file: FileDescriptor, _ requiredOwner: UInt32) throws(ConfigurationFileProblem) {
    let status = try file.status()
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    guard status.st_uid == requiredOwner else { throw .owner(status.st_uid) }
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else { throw .writable }
    guard status.st_nlink == 1 else { throw .hardLinks }
    guard status.st_size <= maximumSize else { throw .tooLarge }
  }
}
