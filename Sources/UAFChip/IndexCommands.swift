import CTSS2
import Glibc
import SecretMemory
import UAFWire

/// The commands of a TPM 2.0 for indices that count, over an open chip.
@safe struct IndexCommands {
  let chip: Chip

  // MARK: Finding

  /// An index of the chip.
  struct Index {
    /// The library's number for it.
    let handle: ESYS_TR
    /// The hash of its public area.
    let name: [UInt8]
  }

  /// Finds an index by its number.
  ///
  /// - Returns: nil if there is none.
  /// - Throws: ``ChipFailure``.
  func find(_ number: UInt32) throws(ChipFailure) -> Index? {
    var handle = Chip.none
    // SAFETY: the library fills `handle`.
    let code = unsafe Esys_TR_FromTPMPublic(chip.context, number, Chip.none, Chip.none, Chip.none, &handle)
    if ChipFailure.isAbout(code & 0xffff, 0x8b) { return nil }
    try Chip.check(code, "read index")
    return Index(handle: handle, name: try chip.name(of: handle))
  }

  /// The numbers of our range that have an index.
  ///
  /// - Throws: ``ChipFailure``.
  func numbers() throws(ChipFailure) -> [UInt32] {
    var found: [UInt32] = []
    var next = IndexTemplate.handles.lowerBound
    while true {
      var data: UnsafeMutablePointer<TPMS_CAPABILITY_DATA>?
      var more: UInt8 = 0
      // TPM2_CAP_HANDLES is 1. SAFETY: the library allocates the data, which is freed here.
      let code = unsafe Esys_GetCapability(
        chip.context, Chip.none, Chip.none, Chip.none, 1, next, 64, &more, &data)
      try Chip.check(code, "list indices")
      guard let data = unsafe data else { return found }
      defer { unsafe Esys_Free(data) }
      // SAFETY: the member of the union that belongs to handles; no more of them than the structure has room for.
      let part = unsafe withUnsafeBytes(of: &data.pointee.data.handles.handle) { room in
        unsafe Array(room.bindMemory(to: UInt32.self).prefix(Int(data.pointee.data.handles.count)))
      }
      found += part.filter(IndexTemplate.handles.contains)
      guard more != 0, let last = part.last, last >= next, last < IndexTemplate.handles.upperBound else { return found }
      next = last + 1
    }
  }

  /// The mark of an index.
  ///
  /// - Throws: ``ChipFailure``.
  func mark(of index: Index) throws(ChipFailure) -> [UInt8] {
    var area: UnsafeMutablePointer<TPM2B_NV_PUBLIC>?
    // SAFETY: the library allocates the area, which is freed here.
    let code = unsafe Esys_NV_ReadPublic(
      chip.context, index.handle, Chip.none, Chip.none, Chip.none, &area, nil)
    try Chip.check(code, "read index")
    guard let area = unsafe area else { throw ChipFailure(.failed, "read index") }
    defer { unsafe Esys_Free(area) }
    return unsafe withUnsafeBytes(of: &area.pointee.nvPublic.authPolicy.buffer) { buffer in
      unsafe Array(buffer.prefix(Int(area.pointee.nvPublic.authPolicy.size)))
    }
  }

  // MARK: The owner's part

  /// Makes an index and has it count from 0.
  ///
  /// Its value goes to the chip hidden by the session.
  ///
  /// - Throws: ``ChipFailure``: `full` where there is no room, or where the chip has no such indices.
  func define(
    _ area: TPM2B_NV_PUBLIC, value: UnsafeRawBufferPointer, limit: UInt32, over session: ESYS_TR
  ) throws(ChipFailure) -> Index {
    var (area, auth) = (area, TPM2B_AUTH())
    // SAFETY: the caller's own structure, wiped when it is not read any more.
    defer { unsafe explicit_bzero(&auth, MemoryLayout<TPM2B_AUTH>.size) }
    unsafe Chip.fill(&auth, value)
    try chip.set(session, Chip.hidesCommand)
    var handle = Chip.none
    // SAFETY: the structures live for the call.
    let code = unsafe Esys_NV_DefineSpace(
      chip.context, Chip.owner, session, Chip.none, Chip.none, &auth, &area, &handle)
    guard code == 0 else { throw ChipFailure(ChipFailure.meaning(ofDefining: code), "define index", number: code) }
    let index = Index(handle: handle, name: [])
    do throws(ChipFailure) {
      try count(0, limit, index, over: session)
      // The name changes with the first write.
      return Index(handle: handle, name: try chip.name(of: handle))
    } catch {
      try? remove(index, over: session)
      throw error
    }
  }

  /// Writes how many wrong values there were, and how many there may be.
  ///
  /// - Throws: ``ChipFailure``.
  func count(_ count: UInt32, _ limit: UInt32, _ index: Index, over session: ESYS_TR) throws(ChipFailure) {
    var data = TPM2B_MAX_NV_BUFFER()
    data.size = IndexTemplate.dataLength
    let bytes = [count, limit].flatMap { number in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
    // SAFETY: the buffer has room for the 8 bytes.
    unsafe withUnsafeMutableBytes(of: &data.buffer) { unsafe $0.copyBytes(from: bytes) }
    try chip.set(session, 0)
    // SAFETY: the structure lives for the call.
    let code = unsafe Esys_NV_Write(
      chip.context, Chip.owner, index.handle, session, Chip.none, Chip.none, &data, 0)
    try Chip.check(code, "write index")
  }

  /// Removes an index.
  ///
  /// - Throws: ``ChipFailure``.
  func remove(_ index: Index, over session: ESYS_TR) throws(ChipFailure) {
    try chip.set(session, 0)
    // SAFETY: the context is open as long as the chip lives.
    let code = unsafe Esys_NV_UndefineSpace(
      chip.context, Chip.owner, index.handle, session, Chip.none, Chip.none)
    try Chip.check(code, "remove index")
  }

  // MARK: The person's part

  /// Has an index judge a value, for a session that is to meet a policy: the chip counts a wrong one.
  ///
  /// - Throws: ``ChipFailure``: `wrong`, or `exhausted` where it was not judged any more.
  func prove(
    _ index: Index, value: UnsafeRawBufferPointer, to policy: ESYS_TR, over session: ESYS_TR
  ) throws(ChipFailure) {
    // SAFETY: the bytes are lent for the call.
    try unsafe setValue(of: index.handle, value)
    try chip.set(session, 0)
    // SAFETY: no output is asked for, and no input but the numbers of the library is given.
    let code = unsafe Esys_PolicySecret(
      chip.context, index.handle, policy, session, Chip.none, Chip.none, nil, nil, nil, 0, nil, nil)
    if ChipFailure.isAbout(code & 0xffff, 0x8e, 0xa2) { throw ChipFailure(.wrong, "prove", number: code) }
    // TPM_RC_AUTH_UNAVAILABLE.
    if code & 0xffff == 0x12f { throw ChipFailure(.exhausted, "prove", number: code) }
    try Chip.check(code, "prove")
  }

  /// Opens a loaded share, whose policy the session has met but for the share's own value.
  ///
  /// - Throws: ``ChipFailure``: `indexReplaced` where that value is wrong, although the index has accepted its own.
  func open(
    _ share: ESYS_TR, value: UnsafeRawBufferPointer, by policy: ESYS_TR
  ) throws(ChipFailure) -> Secret {
    // SAFETY: the context is open as long as the chip lives.
    let code = unsafe Esys_PolicyAuthValue(chip.context, policy, Chip.none, Chip.none, Chip.none)
    try Chip.check(code, "policy")
    // SAFETY: the bytes are lent for the call.
    try unsafe setValue(of: share, value)
    do throws(ChipFailure) { return try chip.unseal(share, over: policy) } catch {
      // The value is wrong, or the policy names another index.
      guard ChipFailure.isAbout(error.number & 0xffff, 0x8e, 0xa2, 0x9d) else { throw error }
      throw ChipFailure(.indexReplaced, "open share", number: error.number)
    }
  }

  /// Tells the library the value of an index or an object.
  private func setValue(of handle: ESYS_TR, _ value: UnsafeRawBufferPointer) throws(ChipFailure) {
    var auth = TPM2B_AUTH()
    // SAFETY: the caller's own structure, wiped when it is not read any more; the library keeps a copy until it is finalised.
    defer { unsafe explicit_bzero(&auth, MemoryLayout<TPM2B_AUTH>.size) }
    unsafe Chip.fill(&auth, value)
    try Chip.check(unsafe Esys_TR_SetAuth(chip.context, handle, &auth), "value")
  }
}
