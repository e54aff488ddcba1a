import SecretMemory

/// What uaf-chip answers to a request (PROTOCOL.md, "Chip").
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
