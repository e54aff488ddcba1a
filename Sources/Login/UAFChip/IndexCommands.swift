import CTSS2
import Glibc
import SecretMemory
import UAFWire

/// The TPM 2.0 commands for indices that count wrong values, on an open chip.
@safe struct IndexCommands {
  let chip: Chip

  // MARK: Finding

  /// An index of the chip.
  struct Index {
    /// The library's handle for it.
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

  /// The numbers of all existing indices in our range.
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
      // SAFETY: the member of the union that belongs to handles; at most as many as the structure has room for.
      let part = unsafe withUnsafeBytes(of: &data.pointee.data.handles.handle) { room in
        unsafe Array(room.bindMemory(to: UInt32.self).prefix(Int(data.pointee.data.handles.count)))
      }
      found += part.filter(IndexTemplate.handles.contains)
      guard more != 0, let last = part.last, last >= next, last < IndexTemplate.handles.upperBound else { return found }
      next = last + 1
    }
  }

  /// The share identifier that an index contains.
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

  // MARK: Commands with the owner's authorization

  /// Makes an index and sets its count to 0.
  ///
  /// Its authValue is sent to the chip encrypted by the session.
  ///
  /// - Throws: ``ChipFailure``: `full` if there is no room, or if the chip does not support such indices.
  func define(
    _ area: TPM2B_NV_PUBLIC, value: UnsafeRawBufferPointer, limit: UInt32, over session: ESYS_TR
  ) throws(ChipFailure) -> Index {
    var (area, auth) = (area, TPM2B_AUTH())
    // SAFETY: the caller's own structure, wiped when it is no longer read.
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

  /// Writes the index's count of wrong values and its limit.
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

  // MARK: Commands with a person's values

  /// Lets an index check its authValue, which satisfies the first part of the policy session.
  ///
  /// If the value is wrong, the chip counts it.
  ///
  /// - Throws: ``ChipFailure``: `wrong`, or `exhausted` if the chip checks no more values.
  func prove(
    _ index: Index, value: UnsafeRawBufferPointer, to policy: ESYS_TR, over session: ESYS_TR
  ) throws(ChipFailure) {
    // SAFETY: the bytes are lent for the call.
    try unsafe setValue(of: index.handle, value)
    try chip.set(session, 0)
    // SAFETY: no output is asked for, and the library's handles are the only input.
    let code = unsafe Esys_PolicySecret(
      chip.context, index.handle, policy, session, Chip.none, Chip.none, nil, nil, nil, 0, nil, nil)
    if ChipFailure.isAbout(code & 0xffff, 0x8e, 0xa2) { throw ChipFailure(.wrong, "prove", number: code) }
    // TPM_RC_AUTH_UNAVAILABLE.
    if code & 0xffff == 0x12f { throw ChipFailure(.exhausted, "prove", number: code) }
    try Chip.check(code, "prove")
  }

  /// Opens a loaded share.
  ///
  /// The session has already satisfied the share's policy, except for the share's own authValue.
  ///
  /// - Throws: ``ChipFailure``: `indexReplaced` if the index accepted its value, but the share does not open.
  func open(
    _ share: ESYS_TR, value: UnsafeRawBufferPointer, by policy: ESYS_TR
  ) throws(ChipFailure) -> Secret {
    // SAFETY: the context is open as long as the chip lives.
    let code = unsafe Esys_PolicyAuthValue(chip.context, policy, Chip.none, Chip.none, Chip.none)
    try Chip.check(code, "policy")
    // SAFETY: the bytes are lent for the call.
    try unsafe setValue(of: share, value)
    do throws(ChipFailure) { return try chip.unseal(share, over: policy) } catch {
      // The share's value is wrong, or its policy names a different index.
      guard ChipFailure.isAbout(error.number & 0xffff, 0x8e, 0xa2, 0x9d) else { throw error }
      throw ChipFailure(.indexReplaced, "open share", number: error.number)
    }
  }

  /// Tells the library the authValue of an index or an object.
  private func setValue(of handle: ESYS_TR, _ value: UnsafeRawBufferPointer) throws(ChipFailure) {
    var auth = TPM2B_AUTH()
    // SAFETY: the caller's own structure, wiped when it is no longer read; the library keeps a copy until it is finalised.
    defer { unsafe explicit_bzero(&auth, MemoryLayout<TPM2B_AUTH>.size) }
    unsafe Chip.fill(&auth, value)
    try Chip.check(unsafe Esys_TR_SetAuth(chip.context, handle, &auth), "value")
  }
}

/// The public areas of our indices, and of the shares that they protect (TPM 2.0 Part 2, 13.2 and 13.4).
enum IndexTemplate {
  /// The numbers of our indices: a part of the owner's range (TCG Registry of Reserved TPM 2.0 Handles, 2.2).
  static let handles: ClosedRange<UInt32> = 0x01a6_0000...0x01a6_ffff
  /// The index that checks a value if there is no real index; it belongs to no account.
  static let vainHandle: UInt32 = 0x01a5_ffff

  // TPMA_NV_* of tss2_tpm2_types.h, whose casts Swift does not import. TPM_NT_PIN_FAIL is 8 in bits 4 to 7.
  private static let ownerWrite: UInt32 = 0x02
  private static let pinFail: UInt32 = 0x80
  private static let ownerRead: UInt32 = 0x2_0000
  private static let authRead: UInt32 = 0x4_0000
  private static let noDA: UInt32 = 0x200_0000
  private static let fixedTPM: UInt32 = 0x02
  private static let fixedParent: UInt32 = 0x10
  private static let objectNoDA: UInt32 = 0x400
  private static let keyedHash: UInt16 = 0x0008

  // TPM_CC_PolicySecret and TPM_CC_PolicyAuthValue.
  static let policySecret: [UInt8] = [0, 0, 0x01, 0x51]
  static let policyAuthValue: [UInt8] = [0, 0, 0x01, 0x6b]

  /// The size of an index's data in bytes: the count of wrong values, and the limit.
  static let dataLength: UInt16 = 8

  /// An index that counts wrong entries of its authValue (TPM 2.0 Part 1, "PIN Fail").
  ///
  /// Its wrong values do not count towards the chip's own dictionary attack lockout (noDA). Its policy cannot be satisfied,
  /// because that field contains the authenticator's share identifier instead of a policy.
  static func index(_ handle: UInt32, mark: [UInt8]) -> TPM2B_NV_PUBLIC {
    var template = TPM2B_NV_PUBLIC()
    template.nvPublic.nvIndex = handle
    template.nvPublic.nameAlg = ObjectTemplate.sha256
    template.nvPublic.attributes = ownerWrite | pinFail | ownerRead | authRead | noDA
    template.nvPublic.dataSize = dataLength
    if mark.count == 32 {
      template.nvPublic.authPolicy.size = 32
      // SAFETY: the buffer has room for the 32 bytes of a SHA-256 digest.
      unsafe withUnsafeMutableBytes(of: &template.nvPublic.authPolicy.buffer) { unsafe $0.copyBytes(from: mark) }
    }
    return template
  }

  /// A share: sealed data that opens only with its own authValue, and only after its index has accepted the index's authValue.
  ///
  /// noDA: if another program has caused the chip's dictionary attack lockout, shares still open.
  static func share(policy: [UInt8]) -> TPM2B_PUBLIC {
    var template = TPM2B_PUBLIC()
    template.publicArea.type = keyedHash
    template.publicArea.nameAlg = ObjectTemplate.sha256
    template.publicArea.objectAttributes = fixedTPM | fixedParent | objectNoDA
    // SAFETY: the member of the union that belongs to this type.
    unsafe template.publicArea.parameters.keyedHashDetail.scheme.scheme = ObjectTemplate.null
    template.publicArea.authPolicy.size = UInt16(clamping: policy.count)
    // SAFETY: the buffer has room for a digest, and the copy stops at its end.
    unsafe withUnsafeMutableBytes(of: &template.publicArea.authPolicy.buffer) { buffer in
      unsafe buffer.copyBytes(from: policy.prefix(buffer.count))
    }
    return template
  }
}

/// The two values that the core derives from what a person enters: one for the index, and one for its share.
struct IndexValues: ~Copyable {
  /// The length of each value in bytes.
  static let length = 32

  private let both: Secret

  /// Takes both values, one after the other; nil if the length is wrong.
  init?(_ both: consuming Secret) {
    guard both.count == 2 * Self.length else { return nil }
    self.both = both
  }

  /// Passes the value of the index to `body`.
  borrowing func withIndexValue<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: as for `Secret`: the bytes are lent for the call.
    try unsafe both.withUnsafeBytes { (bytes) throws(Failure) in
      try unsafe body(UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.length)))
    }
  }

  /// Passes the value of the share to `body`.
  borrowing func withShareValue<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: as for `Secret`: the bytes are lent for the call.
    try unsafe both.withUnsafeBytes { (bytes) throws(Failure) in
      try unsafe body(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(Self.length)))
    }
  }
}
