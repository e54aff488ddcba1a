import SecretMemory

/// A request of the core to uaf-chip (docs/protocol.md, "Chip").
public struct ChipRequest: Equatable, Sendable {
  /// The fields of *chip request*.
  enum Field: UInt8, PacketField {
    case version = 1
    case purpose
    case place
    case sealedKey
    case key
    case mark
    case limit
    case values

    static let rules = [
      version.rule(.u16, required: true),
      purpose.rule(.u8, required: true),
      place.rule(.text(WireLimit.chipPlace), required: true),
      sealedKey.rule(.raw(WireLimit.sealedKey)),
      key.rule(.raw(WireLimit.deviceKey)),
      mark.rule(.raw(WireLimit.indexMark)),
      limit.rule(.u32),
      values.rule(.raw(WireLimit.chipValues)),
    ]
  }

  /// The operation that the core requests.
  public enum Purpose: UInt8, CaseIterable, Sendable {
    /// Seal the key that is in the request.
    case seal = 1
    /// Open a key that this chip has sealed.
    case unseal = 2
    /// Report the chip's properties.
    case facts = 3
    /// Make an index that counts wrong values, and a share that it protects.
    case define = 4
    /// Open the share with the values in the request; wrong values are counted.
    case open = 5
    /// Do the same work as for a wrong value, if there is no index to open.
    case openInVain = 6
    /// Set the count of an index to 0.
    case clear = 7
    /// Remove one index, or all indices with the same share identifier.
    case remove = 8
    /// Report whether an index, and the key under which its share was sealed, are in this chip, without changing anything.
    case find = 9
  }

  /// The version that this code writes and reads.
  public static let currentVersion: UInt16 = 1

  /// The operation that the core requests.
  public var purpose: Purpose
  /// The absolute path of the chip's device, or of the socket of an emulator; at most ``WireLimit/chipPlace`` bytes.
  public var place: String
  /// The key that a chip has sealed, or the index with its share; at most ``WireLimit/sealedKey`` bytes.
  public var sealedKey: [UInt8]?
  /// The identifier by which the indices of one authenticator are found; at most ``WireLimit/indexMark`` bytes.
  public var mark: [UInt8]?
  /// How many wrong values in a row an index allows.
  public var limit: UInt32?

  /// Makes a request without a key.
  public init(_ purpose: Purpose, at place: String, opening sealedKey: [UInt8]? = nil) {
    self.purpose = purpose
    self.place = place
    self.sealedKey = sealedKey
  }

  /// The packet of a request without a key or values.
  ///
  /// - Throws: ``PacketError`` if a field is longer than allowed.
  public func packet() throws(PacketError) -> [UInt8] { try writer().finish() }

  /// The packet of a request to seal `key`.
  ///
  /// - Throws: ``PacketError``, including `size` if there is no memory.
  public func packet(sealing key: borrowing Secret) throws(PacketError) -> Secret {
    try writer().finish(endingWith: Field.key, key)
  }

  /// The packet of a request with the values of an index.
  ///
  /// - Throws: ``PacketError``, including `size` if there is no memory.
  public func packet(with values: borrowing Secret) throws(PacketError) -> Secret {
    try writer().finish(endingWith: Field.values, values)
  }

  private func writer() -> PacketWriter {
    var writer = PacketWriter(.chipRequest)
    writer.put(Field.version, u16: Self.currentVersion)
    writer.put(Field.purpose, u8: purpose.rawValue)
    writer.put(Field.place, text: place)
    writer.put(Field.sealedKey, optional: sealedKey)
    writer.put(Field.mark, optional: mark)
    writer.put(Field.limit, u32: limit)
    return writer
  }

  /// Reads a request, except its key, which ``key(_:in:)`` reads, and its values, which ``values(_:in:)`` reads.
  ///
  /// - Throws: ``PacketError``, including for a different version, an unknown purpose, a path that is not absolute, and a key
  ///   together with the fields of an index.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .chipRequest else { throw .unexpectedType(packet.type) }
    guard packet.number(Field.version, bytes) == UInt32(Self.currentVersion) else {
      throw .invalidValue(.chipRequest, tag: Field.version.tag)
    }
    let purpose: Purpose = try packet.meaning(of: Field.purpose, bytes)
    place = packet.text(Field.place, bytes) ?? ""
    guard place.hasPrefix("/") else { throw .invalidValue(.chipRequest, tag: Field.place.tag) }
    // The key must be the last field of its request, and so must the values.
    for field in [Field.mark, .limit, .values] where packet.range(Field.key) != nil && packet.range(field) != nil {
      throw .invalidValue(.chipRequest, tag: field.tag)
    }
    self.purpose = purpose
    sealedKey = packet.bytes(Field.sealedKey, bytes)
    mark = packet.bytes(Field.mark, bytes)
    limit = packet.number(Field.limit, bytes)
  }

  /// The key to seal, as a separate secret; nil if the request has none.
  ///
  /// - Throws: ``PacketError/size`` if there is no memory.
  public static func key(_ packet: Packet, in buffer: borrowing Secret) throws(PacketError) -> Secret? {
    try packet.secret(Field.key, in: buffer)
  }

  /// The values of an index, as a separate secret; nil if the request has none.
  ///
  /// - Throws: ``PacketError/size`` if there is no memory.
  public static func values(_ packet: Packet, in buffer: borrowing Secret) throws(PacketError) -> Secret? {
    try packet.secret(Field.values, in: buffer)
  }
}

/// The answer of uaf-chip to a request (docs/protocol.md, "Chip").
public struct ChipAnswer: Equatable, Sendable {
  /// The fields of *chip answer*.
  enum Field: UInt8, PacketField {
    case outcome = 1
    case number
    case step
    case missing
    case sealedKey
    case manufacturer
    case lockoutCounter
    case isPersistent
    case key

    static let rules = [
      outcome.rule(.u8, required: true),
      number.rule(.u32),
      step.rule(.text(64)),
      missing.rule(.text(64)),
      sealedKey.rule(.raw(WireLimit.sealedKey)),
      manufacturer.rule(.text(16)),
      lockoutCounter.rule(.u32),
      isPersistent.rule(.flag),
      key.rule(.raw(WireLimit.deviceKey)),
    ]
  }

  /// How the request ended.
  public var outcome: ChipOutcome
  /// The chip's response code or the system's error number, if the request failed.
  public var number: UInt32?
  /// What failed, in a word for the log; at most 64 bytes.
  public var step: String?
  /// Which parts of the program's sandbox are missing; at most 64 bytes.
  public var missing: String?
  /// The sealed key, or the index with its share; at most ``WireLimit/sealedKey`` bytes.
  public var sealedKey: [UInt8]?
  /// The chip's manufacturer; at most 16 bytes.
  public var manufacturer: String?
  /// The count of failures for the chip's dictionary attack lockout (TPM_PT_LOCKOUT_COUNTER).
  public var lockoutCounter: UInt32?
  /// Whether the machine's persistent storage key (0x81000001) is used, instead of one that is made for each call.
  public var isPersistent: Bool?

  /// Makes an answer that has only an outcome.
  public init(_ outcome: ChipOutcome) { self.outcome = outcome }

  /// The packet of an answer without a key.
  ///
  /// - Throws: ``PacketError`` if a field is longer than allowed.
  public func packet() throws(PacketError) -> [UInt8] { try writer().finish() }

  /// The packet of an answer with the key that was opened.
  ///
  /// - Throws: ``PacketError``, including `size` if there is no memory.
  public func packet(with key: borrowing Secret) throws(PacketError) -> Secret {
    try writer().finish(endingWith: Field.key, key)
  }

  private func writer() -> PacketWriter {
    var writer = PacketWriter(.chipAnswer)
    writer.put(Field.outcome, u8: outcome.rawValue)
    writer.put(Field.number, u32: number)
    writer.put(Field.step, text: step)
    writer.put(Field.missing, text: missing)
    writer.put(Field.sealedKey, optional: sealedKey)
    writer.put(Field.manufacturer, text: manufacturer)
    writer.put(Field.lockoutCounter, u32: lockoutCounter)
    writer.put(Field.isPersistent, flag: isPersistent)
    return writer
  }

  /// Reads an answer, except its key, which ``key(_:in:)`` reads.
  ///
  /// - Throws: ``PacketError``, including for an unknown outcome.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .chipAnswer else { throw .unexpectedType(packet.type) }
    outcome = try packet.meaning(of: Field.outcome, bytes)
    number = packet.number(Field.number, bytes)
    step = packet.text(Field.step, bytes)
    missing = packet.text(Field.missing, bytes)
    sealedKey = packet.bytes(Field.sealedKey, bytes)
    manufacturer = packet.text(Field.manufacturer, bytes)
    lockoutCounter = packet.number(Field.lockoutCounter, bytes)
    isPersistent = packet.flag(Field.isPersistent, bytes)
  }

  /// The key that was opened, as a separate secret; nil if the answer has none.
  ///
  /// - Throws: ``PacketError/size`` if there is no memory.
  public static func key(_ packet: Packet, in buffer: borrowing Secret) throws(PacketError) -> Secret? {
    try packet.secret(Field.key, in: buffer)
  }
}

/// How a request to the chip ended (*chip answer*, field 1).
public enum ChipOutcome: UInt8, CaseIterable, Sendable {
  /// The request was performed.
  case done = 0
  /// There is no chip at that path.
  case absent = 1
  /// There is no permission to open the path.
  case forbidden = 2
  /// Another program is using the chip, or its memory is full.
  case busy = 3
  /// The chip is in its dictionary attack lockout (TPM_RC_LOCKOUT, 0x921), which another program has caused.
  case lockedOut = 4
  /// A different chip sealed the key: this is a different machine, or its mainboard was replaced.
  case otherChip = 5
  /// This chip has sealed the key, but was cleared since then, or its storage key was replaced.
  case cleared = 6
  /// The chip's storage key or its owner hierarchy has an authorisation value that we do not know.
  case owned = 7
  /// The sealed key is damaged.
  case damaged = 8
  /// The chip disappeared while it was working.
  case lost = 9
  /// Any other failure of the chip.
  case failed = 10
  /// The values are wrong; the index has counted this.
  case wrong = 11
  /// The index has counted as many wrong values in a row as it allows.
  case exhausted = 12
  /// The index was removed.
  case indexMissing = 13
  /// The index was replaced with a different one, or its share does not accept the values, which means that the index was made
  /// again.
  case indexReplaced = 14
  /// The chip has no room for another index, or does not support indices that count.
  case full = 15
}
