// Purpose: memory for passcodes and keys. A `Secret` owns pages of its own that are locked against
// swapping, left out of core dumps, absent in forked children, and overwritten before another secret
// or the system gets them. It has no `description` and cannot be copied, and only the closures
// below see its bytes.
//
// This target imports Glibc and Swift's own library , so that every other target may use it.

import Glibc

/// A run of secret bytes that wipes itself.
///
/// The capacity is fixed when the value is made; `count` may be anything from 0 to the capacity.
/// Locking is attempted and reported by ``isLocked``: in a container without `CAP_IPC_LOCK` the
/// system may refuse. The login then continues, with a note in the log.
@safe public struct Secret: ~Copyable {
  private let base: UnsafeMutableRawPointer
  private let mappedLength: Int

  /// Bytes in use, at most ``capacity``.
  public private(set) var count: Int

  /// The number of bytes that fit.
  public let capacity: Int

  /// Whether the pages are locked against swapping.
  public let isLocked: Bool

  /// Makes an empty secret with room for `capacity` bytes.
  ///
  /// - Parameter capacity: 0 to 1 MiB.
  /// - Throws: ``SecretMemoryError``.
  public init(capacity: Int) throws(SecretMemoryError) {
    guard (0...Self.maximumCapacity).contains(capacity) else { throw .capacityOutOfRange }
    let page = SecretPages.pageLength
    let length = max(1, (capacity + page - 1) / page) * page
    // SAFETY: the pages are ours until they are released, in deinit.
    let pages = try unsafe SecretPages.shared.take(length)
    unsafe base = pages.base
    isLocked = unsafe pages.isLocked
    mappedLength = length
    self.capacity = capacity
    count = 0
  }

  /// Prepares pages, so that the next secrets cost no system call.
  ///
  /// - Throws: ``SecretMemoryError/outOfMemory``.
  public static func prepare() throws(SecretMemoryError) { try SecretPages.shared.prepare() }

  /// Makes a secret with a copy of bytes; the caller wipes the source.
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
    // SAFETY: nothing borrows a value that is being destroyed.
    unsafe SecretPages.shared.giveBack(base, mappedLength, isLocked: isLocked)
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

  /// Whether both contain the same bytes, in time that depends only on the lengths.
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
}

/// Why no memory for a secret could be allocated.
public enum SecretMemoryError: Error, Equatable {
  /// The system refused the pages.
  case outOfMemory
  /// Negative, or more than ``Secret/maximumCapacity``.
  case capacityOutOfRange
}

extension SecretMemoryError: CustomStringConvertible {
  /// What failed and what to do.
  public var description: String {
    switch self {
    case .outOfMemory: "no memory for a secret: free some, or raise the process's address space limit"
    case .capacityOutOfRange: "a secret's capacity must be 0 to \(Secret.maximumCapacity) bytes"
    }
  }
}
