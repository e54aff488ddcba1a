import SecretMemory
import UAFWire

/// Does the one thing that a request asks for.
struct ChipService {
  let chip: Chip

  /// Seals `key` under the machine's storage key, or under one made for this, and opens it once to see that it can be opened.
  ///
  /// - Throws: ``ChipFailure``.
  func seal(_ key: borrowing Secret) throws(ChipFailure) -> SealedObject {
    let parent = try parent()
    defer { release(parent) }
    let session = try chip.session(saltedBy: parent)
    defer { chip.flush(session) }
    // SAFETY: no value is lent.
    let parts = try unsafe chip.seal(key, under: parent, over: session)
    let object = SealedObject(
      parentName: parent.name, chipName: chip.chipName(), privatePart: parts.privatePart, publicPart: parts.publicPart)
    let opened = try chip.unseal(object, under: parent, over: session)
    guard opened.isEqual(to: key) else { throw ChipFailure(.failed, "compare") }
    return object
  }

  /// Opens what a chip has sealed.
  ///
  /// The storage key must have the name that was noted: the session is salted with a key that only that chip has, so a program
  /// between us and the chip can give itself out for no other.
  ///
  /// - Throws: ``ChipFailure``.
  func unseal(_ object: SealedObject) throws(ChipFailure) -> Secret {
    let parent = try parent(of: object)
    defer { release(parent) }
    let session = try chip.session(saltedBy: parent)
    defer { chip.flush(session) }
    return try chip.unseal(object, under: parent, over: session)
  }

  /// The storage key to seal under: the machine's own, or one made for this.
  ///
  /// - Throws: ``ChipFailure``.
  func parent() throws(ChipFailure) -> StorageKey {
    if let key = try chip.persistentKey() { return key }
    return try chip.transientKey()
  }

  /// The storage key that an object was sealed under, persistent or made anew.
  ///
  /// - Throws: ``ChipFailure``: `otherChip` or `cleared` where it is not there.
  func parent(of object: SealedObject) throws(ChipFailure) -> StorageKey {
    if let key = try chip.persistentKey(), key.name == object.parentName { return key }
    let key: StorageKey
    do throws(ChipFailure) { key = try chip.transientKey() } catch {
      // A chip with another owner may still be another chip.
      guard error.outcome == .owned, isOther(than: object) else { throw error }
      throw ChipFailure(.otherChip, "storage key", number: error.number)
    }
    guard key.name == object.parentName else {
      release(key)
      throw ChipFailure(isOther(than: object) ? .otherChip : .cleared, "storage key")
    }
    return key
  }

  /// Whether this is another chip than the one that sealed an object, as far as both tell.
  private func isOther(than object: SealedObject) -> Bool {
    let name = chip.chipName()
    return !name.isEmpty && !object.chipName.isEmpty && name != object.chipName
  }

  /// Removes a storage key that was made for this call.
  func release(_ key: StorageKey) {
    if !key.isPersistent { chip.flush(key.handle) }
  }

  /// What the chip says of itself.
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
