// Purpose: memory for a C library that works on secrets: wiped before it goes back to the heap.

import Glibc

/// An allocator whose blocks remember their size, so that freeing one can wipe it.
enum WipedMemory {
  /// Room for the size in front of a block; 16 keeps malloc's alignment.
  private static let headerSize = 16

  /// As malloc.
  static let allocate: @convention(c) (Int, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { size, _ in
    let (total, overflow) = size.addingReportingOverflow(headerSize)
    // SAFETY: the block is at least as long as the header that is written into it.
    guard size >= 0, !overflow, let block = unsafe malloc(total) else { return nil }
    unsafe block.storeBytes(of: total, as: Int.self)
    return unsafe block + headerSize
  }

  /// As free, after overwriting the block.
  static let free: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = { pointer, _ in
    // SAFETY: the pointer came from `allocate`, so the header with the block's whole size lies in front of it.
    guard let block = unsafe pointer.map({ unsafe $0 - headerSize }) else { return }
    unsafe explicit_bzero(block, block.load(as: Int.self))
    unsafe Glibc.free(block)
  }
}
