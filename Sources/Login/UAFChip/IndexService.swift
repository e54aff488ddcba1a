import CTSS2
import SecretMemory
import UAFCrypto
import UAFWire

/// Counts wrong values in the chip: makes indices and the shares that they protect, opens shares, and removes both.
///
/// A share is a string of random bytes that an authenticator's key needs. The chip gives it out only after the index has
/// accepted the value that is derived from the person's secret.
struct IndexService {
  let chip: Chip
  let storage: ChipService

  private static let shareLength = 32
  /// How many random numbers are tried for a new index.
  ///
  /// That is enough: a chip has room for only some dozens of indices, and there are 65,536 numbers.
  private static let attempts = 8

  private var commands: IndexCommands { IndexCommands(chip: chip) }

  /// Makes a new share.
  ///
  /// - Throws: ``ChipFailure`` if there are no random bytes.
  static func makeShare() throws(ChipFailure) -> Secret {
    guard let share = try? RandomBytes.makeSecret(shareLength) else { throw ChipFailure(.failed, "random") }
    return share
  }

  /// Makes an index, and seals a share that only this index lets open.
  ///
  /// - Parameters:
  ///   - mark: the identifier by which the authenticator's indices are found.
  ///   - limit: how many wrong values in a row are allowed.
  /// - Throws: ``ChipFailure``: `full`, `owned` ...; no index is then left in the chip.
  func define(
    _ values: borrowing IndexValues, guarding share: borrowing Secret, mark: [UInt8], limit: UInt32
  ) throws(ChipFailure) -> KeptIndex {
    let parent = try storage.parent()
    defer { storage.release(parent) }
    let session = try chip.session(saltedBy: parent)
    defer { chip.flush(session) }
    let (number, index) = try index(values, mark: mark, limit: limit, over: session)
    do throws(ChipFailure) {
      let template = IndexTemplate.share(policy: try Self.policy(of: index.name))
      // SAFETY: the bytes are lent for the call.
      let parts = try unsafe values.withShareValue { (value) throws(ChipFailure) in
        try unsafe chip.seal(share, as: template, value: value, under: parent, over: session)
      }
      let object = SealedObject(
        parentName: parent.name, chipName: chip.chipName(), privatePart: parts.privatePart, publicPart: parts.publicPart
      )
      return KeptIndex(handle: number, name: index.name, share: object)
    } catch {
      try? commands.remove(index, over: session)
      throw error
    }
  }

  /// Makes an index under a number that is free.
  private func index(
    _ values: borrowing IndexValues, mark: [UInt8], limit: UInt32, over session: ESYS_TR
  ) throws(ChipFailure) -> (UInt32, IndexCommands.Index) {
    for _ in 0..<Self.attempts {
      guard let random = try? RandomBytes.make(2) else { throw ChipFailure(.failed, "random") }
      let number = IndexTemplate.handles.lowerBound | UInt32(random[0]) << 8 | UInt32(random[1])
      do throws(ChipFailure) {
        // SAFETY: the bytes are lent for the call.
        let index = try unsafe values.withIndexValue { (value) throws(ChipFailure) in
          try unsafe commands.define(
            IndexTemplate.index(number, mark: mark), value: value, limit: limit, over: session)
        }
        return (number, index)
      } catch {
        // TPM_RC_NV_DEFINED.
        guard error.number & 0xffff == 0x14c else { throw error }
      }
    }
    throw ChipFailure(.full, "define index")
  }

  /// The policy of a share: it demands the authValue of the index with this name, and the share's own (TPM 2.0 Part 1,
  /// "Enhanced Authorization").
  static func policy(of name: [UInt8]) throws(ChipFailure) -> [UInt8] {
    let start = [UInt8](repeating: 0, count: SHA256.byteCount)
    do throws(CryptoError) {
      let named = try SHA256.hash(start + IndexTemplate.policySecret + name)
      // The second hash includes the empty policyRef.
      return try SHA256.hash(try SHA256.hash(named) + IndexTemplate.policyAuthValue)
    } catch { throw ChipFailure(.failed, "policy") }
  }

  /// Opens a share; if the value is wrong, the index counts it.
  ///
  /// - Throws: ``ChipFailure``: `wrong`, `exhausted`, `indexMissing`, `indexReplaced` ...
  func open(_ kept: KeptIndex, _ values: borrowing IndexValues) throws(ChipFailure) -> Secret {
    let parent = try storage.parent(of: kept.share)
    defer { storage.release(parent) }
    guard let index = try commands.find(kept.handle), index.name == kept.name else {
      let outcome: ChipOutcome = try commands.find(kept.handle) == nil ? .indexMissing : .indexReplaced
      // With hidden registrations, this must take as long as a wrong value would.
      try? proveInVain(values, with: parent)
      throw ChipFailure(outcome, "find index")
    }
    let session = try chip.session(saltedBy: parent)
    defer { chip.flush(session) }
    let policy = try chip.session(saltedBy: parent, isPolicy: true)
    defer { chip.flush(policy) }
    // SAFETY: the bytes are lent for the call.
    try unsafe values.withIndexValue { (value) throws(ChipFailure) in
      try unsafe commands.prove(index, value: value, to: policy, over: session)
    }
    let share = try chip.load(kept.share, under: parent, over: session)
    defer { chip.flush(share) }
    // SAFETY: the bytes are lent for the call.
    return try unsafe values.withShareValue { (value) throws(ChipFailure) in
      try unsafe commands.open(share, value: value, by: policy)
    }
  }

  /// If an account has no index, has the chip do the same work as for a wrong value.
  ///
  /// With hidden registrations, the duration must not show whether the account has an index. So the values are checked by an
  /// index that is kept for this purpose, which is made if it is missing.
  ///
  /// - Throws: ``ChipFailure`` in every case: `wrong` if the chip checked the values.
  func openInVain(_ values: borrowing IndexValues) throws(ChipFailure) {
    let parent = try storage.parent()
    defer { storage.release(parent) }
    let session = try chip.session(saltedBy: parent)
    defer { chip.flush(session) }
    let policy = try chip.session(saltedBy: parent, isPolicy: true)
    defer { chip.flush(policy) }
    guard let index = try commands.find(IndexTemplate.vainHandle) else {
      guard let random = try? RandomBytes.makeSecret(IndexValues.length) else { throw ChipFailure(.failed, "random") }
      // SAFETY: the bytes are lent for the call.
      _ = try unsafe random.withUnsafeBytes { (value) throws(ChipFailure) in
        try unsafe commands.define(
          IndexTemplate.index(IndexTemplate.vainHandle, mark: []), value: value, limit: .max, over: session)
      }
      throw ChipFailure(.wrong, "in vain")
    }
    // SAFETY: the bytes are lent for the call.
    try unsafe values.withIndexValue { (value) throws(ChipFailure) in
      try unsafe commands.prove(index, value: value, to: policy, over: session)
    }
  }

  /// Lets the index that is kept for this purpose check the values, if it exists.
  private func proveInVain(_ values: borrowing IndexValues, with parent: StorageKey) throws(ChipFailure) {
    guard let index = try commands.find(IndexTemplate.vainHandle) else { return }
    let session = try chip.session(saltedBy: parent)
    defer { chip.flush(session) }
    let policy = try chip.session(saltedBy: parent, isPolicy: true)
    defer { chip.flush(policy) }
    // SAFETY: the bytes are lent for the call.
    try unsafe values.withIndexValue { (value) throws(ChipFailure) in
      try unsafe commands.prove(index, value: value, to: policy, over: session)
    }
  }

  /// Checks that an index and the storage key of its share exist.
  ///
  /// - Throws: ``ChipFailure``: `otherChip`, `cleared`, `indexMissing`, `indexReplaced` ...
  func find(_ kept: KeptIndex) throws(ChipFailure) {
    storage.release(try storage.parent(of: kept.share))
    guard let index = try commands.find(kept.handle) else { throw ChipFailure(.indexMissing, "find index") }
    guard index.name == kept.name else { throw ChipFailure(.indexReplaced, "find index") }
  }

  // MARK: With the owner's authorization

  /// Sets the count of an index to 0.
  ///
  /// - Throws: ``ChipFailure``: `indexMissing`, `indexReplaced` ...
  func clear(_ kept: KeptIndex, limit: UInt32) throws(ChipFailure) {
    guard let index = try commands.find(kept.handle) else { throw ChipFailure(.indexMissing, "find index") }
    guard index.name == kept.name else { throw ChipFailure(.indexReplaced, "find index") }
    try asOwner { (session) throws(ChipFailure) in try commands.count(0, limit, index, over: session) }
  }

  /// Removes an index, if it exists.
  ///
  /// - Throws: ``ChipFailure``.
  func remove(_ kept: KeptIndex) throws(ChipFailure) {
    guard let index = try commands.find(kept.handle), index.name == kept.name else { return }
    try asOwner { (session) throws(ChipFailure) in try commands.remove(index, over: session) }
  }

  /// Removes every index with this share identifier except one, including those that killed calls left behind.
  ///
  /// - Throws: ``ChipFailure``.
  func remove(marked mark: [UInt8], but kept: UInt32?) throws(ChipFailure) {
    var indices: [IndexCommands.Index] = []
    for number in try commands.numbers() where number != kept {
      guard let index = try commands.find(number), try commands.mark(of: index) == mark else { continue }
      indices.append(index)
    }
    guard !indices.isEmpty else { return }
    try asOwner { (session) throws(ChipFailure) in
      for index in indices { try commands.remove(index, over: session) }
    }
  }

  private func asOwner(_ body: (ESYS_TR) throws(ChipFailure) -> Void) throws(ChipFailure) {
    let parent = try storage.parent()
    defer { storage.release(parent) }
    let session = try chip.session(saltedBy: parent)
    defer { chip.flush(session) }
    try body(session)
  }
}

/// The core's record of an index and of the share that it protects.
///
/// Format: version (1 byte), the index's handle (4 bytes, big-endian), then two parts, each preceded by its length (2 bytes,
/// big-endian): the name of the index, and the share as a ``SealedObject``. Nothing in it is secret.
struct KeptIndex: Equatable {
  /// The handle of the index in the chip.
  var handle: UInt32
  /// Its name: the hash of its public area, by which the index is recognised.
  var name: [UInt8]
  /// The share, which the chip opens with the values of the index.
  var share: SealedObject

  private static let version: UInt8 = 1

  /// The record's bytes.
  var bytes: [UInt8] {
    [Self.version] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: handle >> $0) } + Parts.joined([name, share.bytes])
  }

  init(handle: UInt32, name: [UInt8], share: SealedObject) {
    self.handle = handle
    self.name = name
    self.share = share
  }

  /// Reads a record; nil if it is not one, or if its handle is outside our range.
  init?(_ bytes: [UInt8]) {
    guard bytes.first == Self.version, bytes.count > 5, let parts = Parts.read(bytes.dropFirst(5), count: 2),
      !parts[0].isEmpty, let share = SealedObject(parts[1])
    else { return nil }
    let handle = bytes[1...4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard IndexTemplate.handles.contains(handle) else { return nil }
    self.init(handle: handle, name: parts[0], share: share)
  }
}
