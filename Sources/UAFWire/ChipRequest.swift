import SecretMemory

/// What the core asks uaf-chip for (PROTOCOL.md, "Chip"): the one packet that it takes.
public struct ChipRequest: Equatable, Sendable {
  /// The fields of *chip request*.
  enum Field: UInt8, PacketField {
    case version = 1
    case purpose
    case place
    case sealedKey
    case key

    static let rules = [
      version.rule(.u16, required: true),
      purpose.rule(.u8, required: true),
      place.rule(.text(WireLimit.chipPlace), required: true),
      sealedKey.rule(.raw(WireLimit.sealedKey)),
      key.rule(.raw(WireLimit.deviceKey)),
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
  }

  /// The version this code writes and reads.
  public static let currentVersion: UInt16 = 1

  /// What is asked for.
  public var purpose: Purpose
  /// The absolute path of the chip's device, or of a socket; at most ``WireLimit/chipPlace`` bytes.
  public var place: String
  /// What a chip has sealed; at most ``WireLimit/sealedKey`` bytes.
  public var sealedKey: [UInt8]?

  /// A request without a key.
  public init(_ purpose: Purpose, at place: String, opening sealedKey: [UInt8]? = nil) {
    self.purpose = purpose
    self.place = place
    self.sealedKey = sealedKey
  }

  /// The packet of a request without a key.
  ///
  /// - Throws: ``PacketError`` if a field is longer than it may be.
  public func packet() throws(PacketError) -> [UInt8] { try writer().finish() }

  /// The packet of a request to seal `key`.
  ///
  /// - Throws: ``PacketError``, also if there is no memory (`size`).
  public func packet(sealing key: borrowing Secret) throws(PacketError) -> Secret {
    try writer().finish(endingWith: Field.key, key)
  }

  private func writer() -> PacketWriter {
    var writer = PacketWriter(.chipRequest)
    writer.put(Field.version, u16: Self.currentVersion)
    writer.put(Field.purpose, u8: purpose.rawValue)
    writer.put(Field.place, text: place)
    writer.put(Field.sealedKey, optional: sealedKey)
    return writer
  }

  /// Reads a request; its key is read with ``key(_:in:)``.
  ///
  /// - Throws: ``PacketError``, also for another version, an unknown purpose, and a path that is not absolute.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .chipRequest else { throw .unexpectedType(packet.type) }
    guard packet.number(Field.version, bytes) == UInt32(Self.currentVersion) else {
      throw .invalidValue(.chipRequest, tag: Field.version.tag)
    }
    let purpose: Purpose = try packet.meaning(of: Field.purpose, bytes)
    place = packet.text(Field.place, bytes) ?? ""
    guard place.hasPrefix("/") else { throw .invalidValue(.chipRequest, tag: Field.place.tag) }
    self.purpose = purpose
    sealedKey = packet.bytes(Field.sealedKey, bytes)
  }

  /// The key that is to be sealed, as a secret of its own; nil if the request has none.
  ///
  /// - Throws: ``PacketError`` if there is no memory (`size`).
  public static func key(_ packet: Packet, in buffer: borrowing Secret) throws(PacketError) -> Secret? {
    try packet.secret(Field.key, in: buffer)
  }
}
