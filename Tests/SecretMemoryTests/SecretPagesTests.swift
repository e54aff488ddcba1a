import Foundation
import Testing

@testable import SecretMemory

@Suite struct SecretPagesTests {
  private static let page = SecretPages.pageLength

  /// Takes pages, fills them, and gives them back; returns their address.
  private func use(_ pages: SecretPages, _ length: Int = page, isLocked: Bool? = nil) throws -> UInt {
    let taken = try unsafe pages.take(length)
    // SAFETY: the pages are ours until they are given back.
    unsafe taken.base.initializeMemory(as: UInt8.self, repeating: 0xA5, count: length)
    let address = unsafe UInt(bitPattern: taken.base)
    unsafe pages.giveBack(taken.base, length, isLocked: isLocked ?? taken.isLocked)
    return address
  }

  @Test func `a page that was given back is used for the next secret, and contains no byte of the last one`() throws {
    let pages = SecretPages()
    let address = try use(pages)
    #expect(pages.keptCount == 1)
    let again = try unsafe pages.take(Self.page)
    defer { unsafe pages.giveBack(again.base, Self.page, isLocked: false) }
    #expect(unsafe UInt(bitPattern: again.base) == address)
    // SAFETY: the page is ours.
    let bytes = unsafe Array(UnsafeRawBufferPointer(start: again.base, count: Self.page))
    #expect(bytes.allSatisfy { $0 == 0 } && pages.keptCount == 0)
  }

  @Test func `a page that is kept for reuse stays locked and out of dumps and child processes`() throws {
    let pages = SecretPages()
    let address = try use(pages)
    let flags = try #require(try flags(at: address))
    for flag in ["lo", "dd", "wf"] { #expect(flags.contains(Substring(flag)), "\(flags)") }
  }

  @Test func `a page that could not be locked is not kept for reuse`() throws {
    let pages = SecretPages()
    _ = try use(pages, isLocked: false)
    #expect(pages.keptCount == 0)
  }

  @Test func `the pages of a secret longer than one page are not kept for reuse`() throws {
    let pages = SecretPages()
    _ = try use(pages, 2 * Self.page)
    #expect(pages.keptCount == 0)
  }

  @Test func `keeps no more pages for reuse than a process can reasonably lock`() throws {
    let pages = SecretPages()
    try pages.prepare()
    #expect(pages.keptCount == SecretPages.mostKept)
    try pages.prepare()
    #expect(pages.keptCount == SecretPages.mostKept, "again")
    let more = try (0...SecretPages.mostKept).map { _ in
      let page = try unsafe pages.take(Self.page)
      return (address: unsafe UInt(bitPattern: page.base), isLocked: unsafe page.isLocked)
    }
    for page in more {
      let base = try unsafe #require(UnsafeMutableRawPointer(bitPattern: page.address))
      unsafe pages.giveBack(base, Self.page, isLocked: page.isLocked)
    }
    #expect(pages.keptCount == SecretPages.mostKept)
  }

  /// The flags in proc_pid_smaps(5) of the mapping that contains an address.
  private func flags(at address: UInt) throws -> [Substring]? {
    let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
    let lines = String(decoding: try #require(try file.readToEnd()), as: UTF8.self).split(separator: "\n")
    let mapping = try #require(
      lines.firstIndex { line in
        let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
        return bounds.count == 2 && bounds[0] <= address && address < bounds[1]
      })
    return lines[mapping...].first { $0.hasPrefix("VmFlags:") }?.split(separator: " ").dropFirst().map { $0 }
  }
}
