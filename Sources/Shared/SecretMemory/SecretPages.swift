import Glibc
import Synchronization

/// The pages of secrets: locked against swapping, left out of core dumps, absent in forked children.
///
/// Such a page costs five system calls, and a login has more than twenty secrets that need one. So a few single pages are wiped
/// and kept for the next secrets. They stay locked: 32 KiB, while the strictest systems allow a process 64 KiB.
final class SecretPages: Sendable {
  /// The pages of this process.
  static let shared = SecretPages()

  /// The most pages that are kept without a secret.
  static let mostKept = 8

  /// Bytes of one page.
  static let pageLength = sysconf(Int32(_SC_PAGESIZE))

  /// Addresses of single pages that are locked and hold zeros.
  private let kept = Mutex<[UInt]>([])

  /// The number of kept pages.
  var keptCount: Int { kept.withLock { $0.count } }

  /// Pages that hold zeros.
  ///
  /// - Parameter length: a multiple of ``pageLength``.
  /// - Returns: their start, and whether they are locked.
  /// - Throws: ``SecretMemoryError/outOfMemory``.
  func take(_ length: Int) throws(SecretMemoryError) -> (base: UnsafeMutableRawPointer, isLocked: Bool) {
    // SAFETY: a page that is kept belongs to nobody else, and stays mapped.
    if length == Self.pageLength, let address = kept.withLock({ $0.popLast() }),
      let page = unsafe UnsafeMutableRawPointer(bitPattern: address)
    {
      return unsafe (page, true)
    }
    // SAFETY: the pages come directly from the system.
    return try unsafe Self.map(length)
  }

  /// Wipes pages, and keeps one for the next secret, or returns them to the system.
  func giveBack(_ base: UnsafeMutableRawPointer, _ length: Int, isLocked: Bool) {
    // SAFETY: the caller has given up the pages.
    unsafe explicit_bzero(base, length)
    guard length == Self.pageLength, isLocked, keep(UInt(bitPattern: base)) else {
      // SAFETY: as above, and they are not kept.
      _ = unsafe munmap(base, length)
      return
    }
  }

  /// Fills the store of kept pages, so that the next secrets do not wait for a system call.
  ///
  /// - Throws: ``SecretMemoryError/outOfMemory``.
  func prepare() throws(SecretMemoryError) {
    for _ in 0..<max(0, Self.mostKept - keptCount) {
      // SAFETY: the page is new, and given up immediately.
      let (base, isLocked) = try unsafe Self.map(Self.pageLength)
      unsafe giveBack(base, Self.pageLength, isLocked: isLocked)
    }
  }

  private func keep(_ address: UInt) -> Bool {
    kept.withLock { kept in
      guard kept.count < Self.mostKept else { return false }
      kept.append(address)
      return true
    }
  }

  private static func map(_ length: Int) throws(SecretMemoryError) -> (base: UnsafeMutableRawPointer, isLocked: Bool) {
    // SAFETY: an anonymous private mapping aliases nothing; the result is compared with MAP_FAILED.
    guard
      let mapping = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      unsafe mapping != MAP_FAILED
    else { throw .outOfMemory }
    let isLocked = unsafe mlock(mapping, length) == 0
    // A kernel may lack both; wiping does not depend on them.
    _ = unsafe madvise(mapping, length, dontDump)
    _ = unsafe madvise(mapping, length, wipeOnFork)
    return unsafe (mapping, isLocked)
  }

  // Named here because Glibc's module leaves both out (linux/mman.h, MADV_DONTDUMP, MADV_WIPEONFORK).
  private static let dontDump: CInt = 16
  private static let wipeOnFork: CInt = 18
}
