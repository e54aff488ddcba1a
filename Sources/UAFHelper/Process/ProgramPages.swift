import CProcess
import Glibc

/// The pages of this program and its libraries that are only read.
enum ProgramPages {
  /// Has the kernel map them all now.
  ///
  /// Otherwise each is mapped by a fault when it is first read, with some of its neighbours: a hundred faults in a login.
  /// Linux before 5.14 cannot do this, and maps them by faults as before.
  static func map() {
    // SAFETY: each object is lent for its call.
    unsafe dl_iterate_phdr(
      { object, _, _ in
        if let object = unsafe object?.pointee { unsafe ProgramPages.map(object) }
        return 0
      }, nil)
  }

  /// Maps what is read of a program or library, and never written.
  @unsafe private static func map(_ object: dl_phdr_info) {
    // SAFETY: the dynamic linker's list has so many segments, and stays as long as the object is loaded.
    for segment in unsafe Array(UnsafeBufferPointer(start: object.dlpi_phdr, count: Int(object.dlpi_phnum))) {
      guard segment.p_type == PT_LOAD, segment.p_flags & UInt32(PF_W) == 0 else { continue }
      // SAFETY: numbers alone.
      map(at: unsafe UInt(object.dlpi_addr) + UInt(segment.p_vaddr), UInt(segment.p_memsz))
    }
  }

  private static func map(at address: UInt, _ size: UInt) {
    let page = UInt(getpagesize())
    let start = address / page * page
    // SAFETY: the segment is mapped as long as its program is.
    unsafe madvise(UnsafeMutableRawPointer(bitPattern: start), Int(address - start + size), MADV_POPULATE_READ)
  }
}
