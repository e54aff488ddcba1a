import Foundation
import Testing

@testable import UAFHelper

/// The hash of a person's stored fingerprints.
final class EnrolledPrintsTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "prints-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func write(_ name: String, _ text: String) throws {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func state(owner: UInt32 = getuid()) -> EnrolledPrints.State? {
    EnrolledPrints(of: Array("mina".utf8), in: folder.path, owner: owner)?.state()
  }

  @Test func `the hash of stored fingerprints is the same for the same prints, and different for any others`() throws {
    try write("mina/driver/0/7", "right")
    let one = state()
    guard case .prints? = one else {
      Issue.record("\(String(describing: one))")
      return
    }
    #expect(state() == one)
    try write("mina/driver/0/8", "middle")
    let two = state()
    #expect(two != one)
    try FileManager.default.removeItem(at: folder.appending(path: "mina/driver/0/8"))
    #expect(state() == one)
    try write("mina/driver/0/7", "left")
    #expect(state() != one)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `the hash of stored fingerprints covers the names of their files`() throws {
    try write("mina/driver/0/7", "right")
    let one = state()
    try FileManager.default.moveItem(
      at: folder.appending(path: "mina/driver/0/7"), to: folder.appending(path: "mina/driver/0/8"))
    #expect(state() != one)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `says that no fingerprints are stored if their folder is missing or empty`() throws {
    #expect(state() == EnrolledPrints.State.none)
    try FileManager.default.createDirectory(
      at: folder.appending(path: "mina/driver"), withIntermediateDirectories: true)
    #expect(state() == EnrolledPrints.State.none)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `refuses stored fingerprints with another owner, links, deep folders or large files`() throws {
    try write("mina/driver/0/7", "right")
    guard case .unreadable? = state(owner: getuid() + 1) else {
      Issue.record("another owner")
      return
    }
    try write("mina/a/b/c/d/e", "deep")
    if case .prints? = state() { Issue.record("deep") }
    try FileManager.default.removeItem(at: folder.appending(path: "mina/a"))
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "mina/link"), withDestinationURL: folder.appending(path: "mina/driver"))
    if case .prints? = state() { Issue.record("a link") }
    try FileManager.default.removeItem(at: folder.appending(path: "mina/link"))
    try write("mina/large", String(repeating: "x", count: (1 << 20) + 1))
    if case .prints? = state() { Issue.record("large") }
    try FileManager.default.removeItem(at: folder)
  }

  @Test(arguments: ["", ".", "..", "a/b", "../mina"]) func `refuses an account name that cannot be a file name`(
    _ name: String
  ) {
    #expect(EnrolledPrints(of: Array(name.utf8), in: "/nonexistent", owner: 0) == nil)
  }
}
