import Glibc
import Sandbox
import SecretMemory
import UAFWire

/// Performs the operation that a request names.
struct ChipService {
  let chip: Chip

  /// Seals `key` under the machine's storage key, or under one made for this call, and opens it once to verify that it can be
  /// opened.
  ///
  /// - Throws: ``ChipFailure``.
  func seal(_ key: borrowing Secret) throws(ChipFailure) -> SealedObject {
    let parent = try parent()
    defer { release(parent) }
    let session = try chip.session(saltedBy: parent)
    defer { chip.flush(session) }
    // SAFETY: no value is passed.
    let parts = try unsafe chip.seal(key, under: parent, over: session)
    let object = SealedObject(
      parentName: parent.name, chipName: chip.chipName(), privatePart: parts.privatePart, publicPart: parts.publicPart)
    let opened = try chip.unseal(object, under: parent, over: session)
    guard opened.isEqual(to: key) else { throw ChipFailure(.failed, "compare") }
    return object
  }

  /// Opens a key that a chip has sealed.
  ///
  /// The storage key must have the name that is stored in `object`. The session is salted with that key, which only this chip
  /// has, so a program between this one and the chip cannot impersonate the chip.
  ///
  /// - Throws: ``ChipFailure``.
  func unseal(_ object: SealedObject) throws(ChipFailure) -> Secret {
    let parent = try parent(of: object)
    defer { release(parent) }
    let session = try chip.session(saltedBy: parent)
    defer { chip.flush(session) }
    return try chip.unseal(object, under: parent, over: session)
  }

  /// The storage key to seal under: the machine's own, or one made for this call.
  ///
  /// - Throws: ``ChipFailure``.
  func parent() throws(ChipFailure) -> StorageKey {
    if let key = try chip.persistentKey() { return key }
    return try chip.transientKey()
  }

  /// The storage key under which an object was sealed: the persistent one, or one that is derived again.
  ///
  /// - Throws: ``ChipFailure``: `otherChip` or `cleared` if the chip does not have that key.
  func parent(of object: SealedObject) throws(ChipFailure) -> StorageKey {
    if let key = try chip.persistentKey(), key.name == object.parentName { return key }
    let key: StorageKey
    do throws(ChipFailure) { key = try chip.transientKey() } catch {
      // The chip refused because it has an owner password. But it may be a different chip, and then that is reported instead.
      guard error.outcome == .owned, isOther(than: object) else { throw error }
      throw ChipFailure(.otherChip, "storage key", number: error.number)
    }
    guard key.name == object.parentName else {
      release(key)
      throw ChipFailure(isOther(than: object) ? .otherChip : .cleared, "storage key")
    }
    return key
  }

  /// Whether this is a different chip from the one that sealed an object; false if one of the two names is not known.
  private func isOther(than object: SealedObject) -> Bool {
    let name = chip.chipName()
    return !name.isEmpty && !object.chipName.isEmpty && name != object.chipName
  }

  /// Removes a storage key from the chip if it was made for this call.
  func release(_ key: StorageKey) {
    if !key.isPersistent { chip.flush(key.handle) }
  }

  /// The chip's properties.
  ///
  /// - Throws: ``ChipFailure``.
  func facts() throws(ChipFailure) -> ChipAnswer {
    var answer = ChipAnswer(.done)
    // TPM_PT_MANUFACTURER: four characters.
    if let maker = try chip.property(0x105) {
      let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: maker >> $0) }.filter { (0x21...0x7e).contains($0) }
      answer.manufacturer = String(decoding: bytes, as: UTF8.self)
    }
    // TPM_PT_LOCKOUT_COUNTER.
    answer.lockoutCounter = try chip.property(0x20e)
    answer.isPersistent = try chip.persistentKey() != nil
    return answer
  }
}

/// A request that is being answered.
struct ChipWork: ~Copyable {
  private let request: ChipRequest
  private let networkFailure: CInt
  private var answer = ChipAnswer(.done)
  private var opened: Secret?

  /// - Parameter networkFailure: the result of leaving the machine's network: an error number, or 0.
  init(_ request: ChipRequest, network networkFailure: CInt) {
    self.request = request
    self.networkFailure = networkFailure
  }

  /// Opens the chip, enters the sandbox, and performs the request.
  ///
  /// - Parameters:
  ///   - key: the key to seal.
  ///   - values: the two authValues of an index and its share.
  /// - Throws: ``ChipFailure``.
  mutating func perform(sealing key: consuming Secret?, with values: consuming Secret?) throws(ChipFailure) {
    let descriptor = try ChipPlace.open(request.place)
    guard ChipPrivileges.dropCapabilities() else { throw ChipFailure(.failed, "capabilities") }
    let missing = ChipSandbox.enter(network: networkFailure).text
    defer { answer.missing = missing }
    let chip = try Chip(over: descriptor)
    let service = ChipService(chip: chip)
    switch request.purpose {
    case .seal:
      guard let key else { throw ChipFailure(.failed, "no key") }
      answer.sealedKey = try service.seal(key).bytes
    case .unseal:
      guard let object = request.sealedKey.flatMap({ SealedObject($0) }) else {
        throw ChipFailure(.damaged, "read sealed key")
      }
      opened = try service.unseal(object)
    case .facts: answer = try service.facts()
    case .define, .open, .openInVain:
      guard let values, let values = IndexValues(values) else { throw ChipFailure(.failed, "no values") }
      try use(IndexService(chip: chip, storage: service), values)
    case .clear, .remove, .find: try administer(IndexService(chip: chip, storage: service))
    }
  }

  /// Makes an index, or opens the share behind one.
  private mutating func use(_ indices: IndexService, _ values: borrowing IndexValues) throws(ChipFailure) {
    switch request.purpose {
    case .define:
      let share = try IndexService.makeShare()
      answer.sealedKey = try indices.define(
        values, guarding: share, mark: request.mark ?? [], limit: request.limit ?? 0
      ).bytes
      opened = consume share
    case .open: opened = try indices.open(try kept(), values)
    default: try indices.openInVain(values)
    }
  }

  /// Finds an index, or changes it with the owner's authorization, which does not need the index's values.
  private func administer(_ indices: IndexService) throws(ChipFailure) {
    switch (request.purpose, request.mark) {
    case (.find, _): try indices.find(try kept())
    case (.clear, _): try indices.clear(try kept(), limit: request.limit ?? 0)
    case (_, let mark?): try indices.remove(marked: mark, but: request.sealedKey.flatMap { KeptIndex($0) }?.handle)
    case (_, nil): try indices.remove(try kept())
    }
  }

  private func kept() throws(ChipFailure) -> KeptIndex {
    guard let kept = request.sealedKey.flatMap({ KeptIndex($0) }) else { throw ChipFailure(.damaged, "read index") }
    return kept
  }

  /// Turns the answer into that of a failure.
  mutating func fail(_ failure: ChipFailure) {
    answer.outcome = failure.outcome
    answer.number = failure.number
    answer.step = failure.step
  }

  /// The answer as a packet.
  ///
  /// - Throws: `PacketError`, including `size` if there is no memory.
  mutating func packet() throws(PacketError) -> Secret {
    guard let opened = opened.take() else {
      let bytes = try answer.packet()
      guard let packet = try? Secret(copying: bytes.span) else { throw .size }
      return packet
    }
    return try answer.packet(with: opened)
  }
}

/// Why the chip did not perform the request.
struct ChipFailure: Error, Equatable {
  /// What the failure means for the core.
  let outcome: ChipOutcome
  /// The chip's response code or the system's error number.
  let number: UInt32
  /// What failed, in a word for the log.
  let step: String

  /// A failure that this program itself found.
  init(_ outcome: ChipOutcome, _ step: String, number: UInt32 = 0) {
    self.outcome = outcome
    self.number = number
    self.step = step
  }

  /// A response code (TSS 2.0 Overview, "Response codes"; TPM 2.0 Part 2, 6.6).
  ///
  /// The upper half names the layer. Codes of the transport layer come from ``ChipTransport``: the chip is gone.
  init(code: UInt32, _ step: String) {
    self.init(Self.meaning(of: code), step, number: code)
  }

  /// What a response code means for the core's request.
  static func meaning(of code: UInt32) -> ChipOutcome {
    switch (code >> 16 & 0xff, code & 0xffff) {
    case (10, _): .lost
    case (_, 0x921): .lockedOut
    // TPM_RC_NV_SPACE.
    case (_, 0x14b): .full
    // TPM_RC_RETRY, NV_RATE, YIELDED, TESTING, and no memory for objects or sessions.
    case (_, 0x922), (_, 0x920), (_, 0x908), (_, 0x90a), (_, 0x902...0x905): .busy
    case (_, let low) where isAbout(low, 0x8e, 0xa2): .owned
    case (_, let low) where isAbout(low, 0x9f): .damaged
    default: .failed
    }
  }

  /// What a response code means for a new index.
  ///
  /// Chips that follow the library specification before 1.38 do not know indices of type PIN FAIL, and return TPM_RC_ATTRIBUTES
  /// (0x82) or RESERVED_BITS (0xa1) for the public area. This is treated as "no room for such an index".
  static func meaning(ofDefining code: UInt32) -> ChipOutcome {
    isAbout(code & 0xffff, 0x82, 0xa1) ? .full : meaning(of: code)
  }

  /// Whether a response code of format one is one of `errors`, for any handle, session or parameter.
  ///
  /// TPM_RC_AUTH_FAIL is 0x8e, BAD_AUTH 0xa2, POLICY_FAIL 0x9d, INTEGRITY 0x9f, HANDLE 0x8b.
  static func isAbout(_ code: UInt32, _ errors: UInt32...) -> Bool { code & 0x80 != 0 && errors.contains(code & 0xbf) }
}
