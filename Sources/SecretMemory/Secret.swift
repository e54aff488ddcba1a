// Purpose: memory for passcodes and keys. A `Secret` owns pages of its own that are locked against
// swapping, left out of core dumps, absent in forked children, and overwritten before they are
// returned to the system. It has no `description`, cannot be copied, and nothing but the closures
// below sees its bytes.
//
// This target imports Glibc and nothing else, so that every other target may use it.

import Glibc

/// A run of secret bytes that wipes itself.
///
/// The capacity is fixed when the value is made; `count` may be anything from 0 to the capacity.
/// Locking is attempted and reported by ``isLocked``: in a container without `CAP_IPC_LOCK` the
/// system may refuse. The login then goes on, with a note in the log.
@safe public struct Secret: ~Copyable {
  private let base: UnsafeMutableRawPointer
  private let mappedLength: Int

  /// Bytes in use, at most ``capacity``.
  public private(set) var count: Int

  /// Bytes that fit.
  public let capacity: Int

  /// Whether the pages are locked against swapping.
  public let isLocked: Bool

  /// Makes an empty secret with room for `capacity` bytes.
  ///
  /// - Parameter capacity: 0 to 1 MiB.
  /// - Throws: ``SecretMemoryError``.
  public init(capacity: Int) throws(SecretMemoryError) {
    guard (0...Self.maximumCapacity).contains(capacity) else { throw .capacityOutOfRange }
    let page = sysconf(Int32(_SC_PAGESIZE))
    let length = max(1, (capacity + page - 1) / page) * page
    // SAFETY: an anonymous private mapping aliases nothing; the result is compared with MAP_FAILED.
    guard
      let mapping = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      unsafe mapping != MAP_FAILED
    else { throw .outOfMemory }
    unsafe base = mapping
    mappedLength = length
    self.capacity = capacity
    count = 0
    isLocked = unsafe mlock(mapping, length) == 0
    // A kernel may lack both; wiping on deinit does not depend on them.
    _ = unsafe madvise(mapping, length, Self.dontDump)
    _ = unsafe madvise(mapping, length, Self.wipeOnFork)
  }

  /// Makes a secret that holds a copy of bytes whose source the caller wipes.
  ///
  /// - Throws: ``SecretMemoryError``.
  public init(copying bytes: Span<UInt8>) throws(SecretMemoryError) {
    try self.init(capacity: bytes.count)
    count = bytes.count
    // SAFETY: the mapping is new and at least as long as `bytes` (checked by init(capacity:)).
    let destination = unsafe UnsafeMutableRawBufferPointer(start: base, count: count)
    unsafe bytes.withUnsafeBytes { unsafe destination.copyMemory(from: $0) }
  }

  /// Makes a secret of exactly `count` bytes which `fill` writes in place.
  ///
  /// - Throws: ``SecretMemoryError`` if there is no memory.
  public init(count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) throws(SecretMemoryError) {
    try self.init(capacity: count)
    self.count = count
    // SAFETY: the mapping is at least `count` long.
    unsafe fill(UnsafeMutableRawBufferPointer(start: base, count: count))
  }

  deinit {
    // SAFETY: the mapping is ours until munmap, and nothing borrows a value that is being destroyed.
    unsafe explicit_bzero(base, mappedLength)
    _ = unsafe munmap(base, mappedLength)
  }

  /// Lends the bytes in use for the length of the call.
  public borrowing func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: `count` never exceeds the mapping; the pointer must not outlive the call.
    try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Lends the bytes in use, bounds-checked, for the length of the call.
  public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: the span cannot escape the closure.
    try body(unsafe UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count).span)
  }

  /// Lends the bytes in use for changing in place.
  public mutating func withUnsafeMutableBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: as above.
    try unsafe body(UnsafeMutableRawBufferPointer(start: base, count: count))
  }

  /// Lends the whole capacity to `body`, which returns how many bytes it left in use (capped at the
  /// capacity); the rest is wiped.
  public mutating func refill<Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    // SAFETY: the mapping is at least `capacity` long.
    let used = try unsafe body(UnsafeMutableRawBufferPointer(start: base, count: capacity))
    count = min(max(0, used), capacity)
    unsafe explicit_bzero(base + count, mappedLength - count)
  }

  /// Overwrites everything and leaves the secret empty.
  public mutating func wipe() {
    // SAFETY: the whole mapping is ours.
    unsafe explicit_bzero(base, mappedLength)
    count = 0
  }

  /// Whether both hold the same bytes, in time that depends on the lengths alone.
  public borrowing func isEqual(to other: borrowing Secret) -> Bool {
    guard count == other.count else { return false }
    var difference: UInt8 = 0
    // SAFETY: both buffers are `count` long.
    unsafe withUnsafeBytes { mine in
      unsafe other.withUnsafeBytes { theirs in
        for index in 0..<mine.count { unsafe difference |= mine[index] ^ theirs[index] }
      }
    }
    return difference == 0
  }

  /// The largest capacity: 1 MiB, far above the 64 KiB of a packet.
  public static let maximumCapacity = 1 << 20

  // Named here because Glibc's module leaves both out (linux/mman.h, MADV_DONTDUMP, MADV_WIPEONFORK).
  private static let dontDump: CInt = 16
  private static let wipeOnFork: CInt = 18
}
