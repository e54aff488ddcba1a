import SecretMemory

/// What the core asks uaf-chip for (docs/protocol.md, "Chip").
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

  /// What is asked for.
  public enum Purpose: UInt8, CaseIterable, Sendable {
    /// Seal the key that goes with the request.
    case seal = 1
    /// Open a key that this chip has sealed.
    case unseal = 2
    /// Tell what the chip is.
    case facts = 3
    /// Make an index that counts wrong values, and a share behind it.
    case define = 4
    /// Open the share with the values that go with the request; wrong ones are counted.
    case open = 5
    /// Do as much as for a wrong value, where there is no index to open.
    case openInVain = 6
    /// Set the count of an index to 0.
    case clear = 7
    /// Remove one index, or all that have a mark.
    case remove = 8
    /// Tell whether an index, and the key that its share was sealed under, are in this chip; nothing is changed.
    case find = 9
  }

  /// The version this code writes and reads.
  public static let currentVersion: UInt16 = 1

  /// What is asked for.
  public var purpose: Purpose
  /// The absolute path of the chip's device, or of a socket; at most ``WireLimit/chipPlace`` bytes.
  public var place: String
  /// What a chip has sealed; at most ``WireLimit/sealedKey`` bytes.
  public var sealedKey: [UInt8]?
  /// What the indices of one authenticator are known by; at most ``WireLimit/indexMark`` bytes.
  public var mark: [UInt8]?
  /// How many wrong values in a row an index allows.
  public var limit: UInt32?

  /// A request without a key.
  public init(_ purpose: Purpose, at place: String, opening sealedKey: [UInt8]? = nil) {
    self.purpose = purpose
    self.place = place
    self.sealedKey = sealedKey
  }

  /// The packet of a request without a key and values.
  ///
  /// - Throws: ``PacketError`` if a field is longer than it may be.
  public func packet() throws(PacketError) -> [UInt8] { try writer().finish() }

  /// The packet of a request to seal `key`.
  ///
  /// - Throws: ``PacketError``, also if there is no memory (`size`).
  public func packet(sealing key: borrowing Secret) throws(PacketError) -> Secret {
    try writer().finish(endingWith: Field.key, key)
  }

  /// The packet of a request with the values of an index.
  ///
  /// - Throws: ``PacketError``, also if there is no memory (`size`).
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

  /// Reads a request; its key is read with ``key(_:in:)``.
  ///
  /// - Throws: ``PacketError``, also for another version, an unknown purpose, a path that is not absolute, and a key with what
  ///   belongs to an index.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .chipRequest else { throw .unexpectedType(packet.type) }
    guard packet.number(Field.version, bytes) == UInt32(Self.currentVersion) else {
      throw .invalidValue(.chipRequest, tag: Field.version.tag)
    }
    let purpose: Purpose = try packet.meaning(of: Field.purpose, bytes)
    place = packet.text(Field.place, bytes) ?? ""
    guard place.hasPrefix("/") else { throw .invalidValue(.chipRequest, tag: Field.place.tag) }
    // A key is the last field, and so are values.
    for field in [Field.mark, .limit, .values] where packet.range(Field.key) != nil && packet.range(field) != nil {
      throw .invalidValue(.chipRequest, tag: field.tag)
    }
    self.purpose = purpose
    sealedKey = packet.bytes(Field.sealedKey, bytes)
    mark = packet.bytes(Field.mark, bytes)
    limit = packet.number(Field.limit, bytes)
  }

  /// The key that is to be sealed, as a secret of its own; nil if the request has none.
  ///
  /// - Throws: ``PacketError`` if there is no memory (`size`).
  public static func key(_ packet: Packet, in buffer: borrowing Secret) throws(PacketError) -> Secret? {
    try packet.secret(Field.key, in: buffer)
  }

  /// The values of an index, as a secret of their own; nil if the request has none.
  ///
  /// - Throws: ``PacketError`` if there is no memory (`size`).
  public static func values(_ packet: Packet, in buffer: borrowing Secret) throws(PacketError) -> Secret? {
    try packet.secret(Field.values, in: buffer)
  }
}

/// What uaf-chip answers to a request (docs/protocol.md, "Chip").
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

  /// How it ended.
  public var outcome: ChipOutcome
  /// The chip's or the system's number for a failure.
  public var number: UInt32?
  /// What failed, in a word for the log; at most 64 bytes.
  public var step: String?
  /// Which parts of the program's sandbox are missing; at most 64 bytes.
  public var missing: String?
  /// The sealed key, or the index with its share; at most ``WireLimit/sealedKey`` bytes.
  public var sealedKey: [UInt8]?
  /// The chip's maker; at most 16 bytes.
  public var manufacturer: String?
  /// How many failures the chip has counted against guessing (TPM_PT_LOCKOUT_COUNTER).
  public var lockoutCounter: UInt32?
  /// Whether the machine's storage key (0x81000001) is used, and not one that is made for each call.
  public var isPersistent: Bool?

  /// An answer with nothing but its outcome.
  public init(_ outcome: ChipOutcome) { self.outcome = outcome }

  /// The packet of an answer without a key.
  ///
  /// - Throws: ``PacketError`` if a field is longer than it may be.
  public func packet() throws(PacketError) -> [UInt8] { try writer().finish() }

  /// The packet of an answer with the key that was opened.
  ///
  /// - Throws: ``PacketError``, also if there is no memory (`size`).
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

  /// Reads an answer; its key is read with ``key(_:in:)``.
  ///
  /// - Throws: ``PacketError``, also for an unknown outcome.
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

  /// The key that was opened, as a secret of its own; nil if the answer has none.
  ///
  /// - Throws: ``PacketError`` if there is no memory (`size`).
  public static func key(_ packet: Packet, in buffer: borrowing Secret) throws(PacketError) -> Secret? {
    try packet.secret(Field.key, in: buffer)
  }
}

/// How a request to the chip ended (*chip answer*, field 1).
public enum ChipOutcome: UInt8, CaseIterable, Sendable {
  /// It was done.
  case done = 0
  /// There is no chip at that place.
  case absent = 1
  /// The place may not be opened.
  case forbidden = 2
  /// Another program holds the chip, or its memory is full.
  case busy = 3
  /// The chip is locked against guessing (TPM_RC_LOCKOUT, 0x921), which another program caused.
  case lockedOut = 4
  /// Another chip has sealed the key: another machine, or another mainboard.
  case otherChip = 5
  /// This chip has sealed the key, and was cleared since then, or its storage key was replaced.
  case cleared = 6
  /// The chip's storage key, or its owner, has a value that is not ours.
  case owned = 7
  /// The sealed key is damaged.
  case damaged = 8
  /// The chip went away while it was at work.
  case lost = 9
  /// Anything else that the chip refused.
  case failed = 10
  /// The values are wrong; the index has counted them.
  case wrong = 11
  /// The index has counted as many wrong values in a row as it allows.
  case exhausted = 12
  /// The index is not there: it was removed.
  case indexMissing = 13
  /// Another index is in its place, or its share does not take the values: it was made anew.
  case indexReplaced = 14
  /// The chip has no room for another index, or has no indices that count.
  case full = 15
}
