import CTSS2
import Glibc
import SecretMemory
import UAFWire

/// An open TPM 2.0, with the commands that sealing needs; uses tpm2-tss.
///
/// Every command or response that contains a key is encrypted by a session whose salt only the storage key can open. So
/// somebody who taps the line to the chip learns nothing about the key (TPM 2.0 Part 1, "Session-based encryption").
@safe final class Chip {
  // SAFETY: made in init, finalised in deinit; the commands for indices use it while this object lives.
  let context: OpaquePointer
  private let transport: ChipTransport

  /// The machine's storage root key, if it was made persistent (TCG Provisioning Guidance).
  static let persistentStorageKey: UInt32 = 0x8100_0001

  // Handles of tss2_esys.h.
  static let none: ESYS_TR = 0xfff
  private static let password: ESYS_TR = 0x0ff
  static let owner: ESYS_TR = 0x101
  private static let endorsement: ESYS_TR = 0x10b
  // TPMA_SESSION_CONTINUESESSION, DECRYPT and ENCRYPT.
  private static let keeps: UInt8 = 0x01
  static let hidesCommand: UInt8 = 0x20
  static let hidesResponse: UInt8 = 0x40

  /// Takes over an open device or socket.
  ///
  /// - Throws: ``ChipFailure``.
  init(over descriptor: CInt) throws(ChipFailure) {
    transport = ChipTransport(over: descriptor)
    var made: OpaquePointer?
    // SAFETY: the transport lives as long as this object; the result is checked below.
    let code = unsafe Esys_Initialize(&made, transport.handle, nil)
    guard code == 0, let context = unsafe made else { throw ChipFailure(code: code, "initialise") }
    unsafe self.context = context
  }

  deinit {
    // SAFETY: nothing uses the context any longer.
    var old: OpaquePointer? = unsafe context
    // SAFETY: nothing uses the context any longer.
    unsafe Esys_Finalize(&old)
  }

  // MARK: Storage keys

  /// The persistent storage key, if there is one.
  ///
  /// - Throws: ``ChipFailure`` if the chip gives no answer.
  func persistentKey() throws(ChipFailure) -> StorageKey? {
    var handle = Self.none
    // SAFETY: the library fills `handle`.
    let code = unsafe Esys_TR_FromTPMPublic(
      context, Self.persistentStorageKey, Self.none, Self.none, Self.none, &handle)
    if ChipFailure.isAbout(code & 0xffff, 0x8b) { return nil }
    try Self.check(code, "read storage key")
    return StorageKey(handle: handle, name: try name(of: handle), isPersistent: true)
  }

  /// Makes the storage key that is derived from the owner's seed, for use in this call only.
  ///
  /// - Throws: ``ChipFailure``.
  func transientKey() throws(ChipFailure) -> StorageKey {
    let handle = try primary(in: Self.owner, "make storage key")
    return StorageKey(handle: handle, name: try name(of: handle), isPersistent: false)
  }

  /// The name of a key that is derived from the endorsement seed.
  ///
  /// That seed stays the same when the chip is cleared, so the name identifies the chip.
  ///
  /// - Returns: an empty array if the key cannot be made, for example because the endorsement hierarchy has a password.
  func chipName() -> [UInt8] {
    guard let handle = try? primary(in: Self.endorsement, "make endorsement key") else { return [] }
    defer { flush(handle) }
    return (try? name(of: handle)) ?? []
  }

  private func primary(in hierarchy: ESYS_TR, _ step: String) throws(ChipFailure) -> ESYS_TR {
    var sensitive = TPM2B_SENSITIVE_CREATE()
    var template = ObjectTemplate.storageKey
    var outside = TPM2B_DATA()
    var registers = TPML_PCR_SELECTION()
    var handle = Self.none
    // SAFETY: all structures live for the call, and the handle is the only output asked for.
    let code = unsafe Esys_CreatePrimary(
      context, hierarchy, Self.password, Self.none, Self.none, &sensitive, &template, &outside, &registers, &handle,
      nil,
      nil, nil, nil)
    try Self.check(code, step)
    return handle
  }

  /// The TPM name (a hash of the public area) of a key or an index.
  func name(of handle: ESYS_TR) throws(ChipFailure) -> [UInt8] {
    var name: UnsafeMutablePointer<TPM2B_NAME>?
    // SAFETY: the library allocates the name, which is copied and freed here.
    try Self.check(unsafe Esys_TR_GetName(context, handle, &name), "name")
    guard let name = unsafe name else { throw ChipFailure(.failed, "name") }
    defer { unsafe Esys_Free(name) }
    return unsafe withUnsafeBytes(of: &name.pointee.name) { unsafe Array($0.prefix(Int(name.pointee.size))) }
  }

  /// Removes an object or a session from the chip that this call made there.
  // SAFETY: the context is open as long as this object lives.
  func flush(_ handle: ESYS_TR) { _ = unsafe Esys_FlushContext(context, handle) }

  // MARK: Sessions

  /// Begins a session that is salted with a storage key.
  ///
  /// - Parameter isPolicy: whether it is a policy session, not one that proves an authValue.
  /// - Throws: ``ChipFailure``.
  func session(saltedBy key: StorageKey, isPolicy: Bool = false) throws(ChipFailure) -> ESYS_TR {
    var symmetric = TPMT_SYM_DEF()
    symmetric.algorithm = ObjectTemplate.aes
    // SAFETY: the members of the unions that belong to AES.
    unsafe symmetric.keyBits.aes = 128
    unsafe symmetric.mode.aes = ObjectTemplate.cfb
    var session = Self.none
    // TPM2_SE_HMAC is 0, TPM2_SE_POLICY 1. SAFETY: the structure lives for the call; the library makes the nonce.
    let code = unsafe Esys_StartAuthSession(
      context, key.handle, Self.none, Self.none, Self.none, Self.none, nil, isPolicy ? 1 : 0, &symmetric,
      ObjectTemplate.sha256,
      &session)
    try Self.check(code, "session")
    return session
  }

  /// Sets whether the session encrypts the next command, its response, or neither.
  ///
  /// The session stays open in any case.
  func set(_ session: ESYS_TR, _ attributes: UInt8) throws(ChipFailure) {
    // SAFETY: the context is open as long as this object lives.
    let code = unsafe Esys_TRSess_SetAttributes(context, session, attributes | Self.keeps, 0xff)
    try Self.check(code, "session")
  }

  // MARK: Sealing

  /// Seals a key of at most 128 bytes under a storage key.
  ///
  /// - Parameters:
  ///   - template: the object's public area.
  ///   - value: the authValue that is needed to open the object; nil if none is needed.
  /// - Throws: ``ChipFailure``.
  func seal(
    _ key: borrowing Secret, as template: TPM2B_PUBLIC = ObjectTemplate.sealedData,
    value: UnsafeRawBufferPointer? = nil, under parent: StorageKey, over session: ESYS_TR
  ) throws(ChipFailure) -> (privatePart: [UInt8], publicPart: [UInt8]) {
    try set(session, Self.hidesCommand | Self.hidesResponse)
    var sensitive = TPM2B_SENSITIVE_CREATE()
    // SAFETY: the caller's own structure, wiped when it is no longer read.
    defer { unsafe Self.wipe(&sensitive) }
    sensitive.sensitive.data.size = UInt16(clamping: key.count)
    // SAFETY: a device key is shorter than the buffer, and the copy stops at its end.
    unsafe withUnsafeMutableBytes(of: &sensitive.sensitive.data.buffer) { buffer in
      unsafe key.withUnsafeBytes {
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(buffer.count)))
      }
    }
    if let value = unsafe value { unsafe Self.fill(&sensitive.sensitive.userAuth, value) }
    var template = template
    var outside = TPM2B_DATA()
    var registers = TPML_PCR_SELECTION()
    var privatePart: UnsafeMutablePointer<TPM2B_PRIVATE>?
    var publicPart: UnsafeMutablePointer<TPM2B_PUBLIC>?
    // SAFETY: all structures live for the call; the library allocates the outputs, which are freed here.
    let code = unsafe Esys_Create(
      context, parent.handle, session, Self.none, Self.none, &sensitive, &template, &outside, &registers, &privatePart,
      &publicPart, nil, nil, nil)
    defer {
      unsafe Esys_Free(privatePart)
      unsafe Esys_Free(publicPart)
    }
    try Self.check(code, "seal")
    return unsafe (
      try Self.marshalled("seal") { unsafe Tss2_MU_TPM2B_PRIVATE_Marshal(privatePart, $0, $1, $2) },
      try Self.marshalled("seal") { unsafe Tss2_MU_TPM2B_PUBLIC_Marshal(publicPart, $0, $1, $2) }
    )
  }

  /// Loads the object that ``seal(_:under:over:)`` returned, and opens it.
  ///
  /// - Throws: ``ChipFailure``.
  func unseal(
    _ object: SealedObject, under parent: StorageKey, over session: ESYS_TR
  ) throws(ChipFailure) -> Secret {
    let handle = try load(object, under: parent, over: session)
    defer { flush(handle) }
    return try unseal(handle, over: session)
  }

  /// Opens a loaded object; the session encrypts the response.
  ///
  /// - Throws: ``ChipFailure``.
  func unseal(_ handle: ESYS_TR, over session: ESYS_TR) throws(ChipFailure) -> Secret {
    try set(session, Self.hidesResponse)
    var data: UnsafeMutablePointer<TPM2B_SENSITIVE_DATA>?
    // SAFETY: the library allocates the data, which is wiped and freed here.
    let code = unsafe Esys_Unseal(context, handle, session, Self.none, Self.none, &data)
    try Self.check(code, "unseal")
    guard let data = unsafe data else { throw ChipFailure(.failed, "unseal") }
    defer {
      unsafe explicit_bzero(data, MemoryLayout<TPM2B_SENSITIVE_DATA>.size)
      unsafe Esys_Free(data)
    }
    let key = unsafe withUnsafeBytes(of: &data.pointee.buffer) { buffer in
      let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer.prefix(Int(data.pointee.size)))
      return unsafe try? Secret(count: bytes.count) { unsafe $0.copyMemory(from: bytes) }
    }
    guard let key else { throw ChipFailure(.failed, "memory") }
    return key
  }

  /// Loads a sealed object.
  ///
  /// - Throws: ``ChipFailure``.
  func load(
    _ object: SealedObject, under parent: StorageKey, over session: ESYS_TR
  ) throws(ChipFailure) -> ESYS_TR {
    var (privatePart, publicPart) = (TPM2B_PRIVATE(), TPM2B_PUBLIC())
    var (privateOffset, publicOffset) = (0, 0)
    // SAFETY: each reader gets the length of its bytes, and fills a structure of its kind.
    let codes = unsafe [
      Tss2_MU_TPM2B_PRIVATE_Unmarshal(
        object.privatePart, object.privatePart.count, &privateOffset, &privatePart),
      Tss2_MU_TPM2B_PUBLIC_Unmarshal(object.publicPart, object.publicPart.count, &publicOffset, &publicPart),
    ]
    guard codes.allSatisfy({ $0 == 0 }) else { throw ChipFailure(.damaged, "read sealed key") }
    try set(session, Self.hidesCommand)
    var handle = Self.none
    // SAFETY: the structures live for the call.
    let code = unsafe Esys_Load(
      context, parent.handle, session, Self.none, Self.none, &privatePart, &publicPart, &handle)
    try Self.check(code, "load")
    return handle
  }

  // MARK: Properties

  /// A property of the chip (TPM 2.0 Part 2, 6.13).
  ///
  /// - Returns: nil if the chip does not have this property.
  /// - Throws: ``ChipFailure``.
  func property(_ number: UInt32) throws(ChipFailure) -> UInt32? {
    var data: UnsafeMutablePointer<TPMS_CAPABILITY_DATA>?
    var more: UInt8 = 0
    // TPM2_CAP_TPM_PROPERTIES is 6. SAFETY: the library allocates the data, which is freed here.
    let code = unsafe Esys_GetCapability(context, Self.none, Self.none, Self.none, 6, number, 1, &more, &data)
    try Self.check(code, "facts")
    guard let data = unsafe data else { return nil }
    defer { unsafe Esys_Free(data) }
    let list = unsafe data.pointee.data.tpmProperties
    guard list.count > 0 else { return nil }
    let first = list.tpmProperty.0
    return first.property == number ? first.value : nil
  }

  // MARK: Helpers

  static func check(_ code: UInt32, _ step: String) throws(ChipFailure) {
    guard code == 0 else { throw ChipFailure(code: code, step) }
  }

  /// Copies an authValue into a structure of the library, which the caller wipes.
  static func fill(_ auth: UnsafeMutablePointer<TPM2B_AUTH>, _ value: UnsafeRawBufferPointer) {
    // SAFETY: the caller's structure and bytes; the copy stops at the end of the buffer.
    unsafe withUnsafeMutableBytes(of: &auth.pointee.buffer) { buffer in
      unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: value.prefix(buffer.count)))
    }
    unsafe auth.pointee.size = UInt16(clamping: value.count)
  }

  private static func wipe(_ sensitive: UnsafeMutablePointer<TPM2B_SENSITIVE_CREATE>) {
    // SAFETY: the caller's structure, which it no longer reads.
    unsafe explicit_bzero(sensitive, MemoryLayout<TPM2B_SENSITIVE_CREATE>.size)
  }

  private static func marshalled(
    _ step: String, _ write: (UnsafeMutablePointer<UInt8>, Int, UnsafeMutablePointer<Int>) -> UInt32
  ) throws(ChipFailure) -> [UInt8] {
    var (buffer, length) = ([UInt8](repeating: 0, count: 2048), 0)
    // SAFETY: the buffer is lent with its length.
    let code = unsafe buffer.withUnsafeMutableBufferPointer { room in
      unsafe room.baseAddress.map { unsafe write($0, room.count, &length) } ?? 1
    }
    try check(code, step)
    return Array(buffer.prefix(length))
  }
}
