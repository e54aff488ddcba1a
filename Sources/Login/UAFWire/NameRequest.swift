/// A request of the core to uaf-name (docs/protocol.md, *name request*).
public struct NameRequest: Equatable, Sendable {
  /// The field of *name request*.
  enum Field: UInt8, PacketField {
    case uid = 1

    static let rules = [uid.rule(.u32, required: true)]
  }

  /// The uid whose name the core wants to know; the uid itself comes from the kernel.
  public var uid: UInt32

  /// Makes a request.
  public init(uid: UInt32) { self.uid = uid }

  /// The packet.
  ///
  /// - Throws: nothing in practice.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.nameRequest)
    writer.put(Field.uid, u32: uid)
    return try writer.finish()
  }

  /// Reads the request.
  ///
  /// - Throws: ``PacketError``.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .nameRequest else { throw .unexpectedType(packet.type) }
    guard let uid = packet.number(Field.uid, bytes) else { throw .invalidValue(.nameRequest, tag: Field.uid.tag) }
    self.init(uid: uid)
  }
}

/// The answer of uaf-name (docs/protocol.md, *name answer*).
public struct NameAnswer: Equatable, Sendable {
  /// The fields of *name answer*.
  enum Field: UInt8, PacketField {
    case outcome = 1
    case name, number, missing

    static let rules = [
      outcome.rule(.u8, required: true), name.rule(.name(WireLimit.accountName)), number.rule(.u32),
      missing.rule(.text(64)),
    ]
  }

  /// How the look-up ended.
  public enum Outcome: UInt8, CaseIterable, Sendable {
    /// One account has the uid, and its name maps back to it.
    case found = 0
    /// The name services know no account with the uid.
    case unknown = 1
    /// The uid's name belongs to an account with a different uid.
    case ambiguous = 2
    /// A name service failed, or its answer was too long.
    case failed = 3
  }

  /// How the look-up ended.
  public var outcome: Outcome
  /// The canonical name; nil unless the outcome is ``Outcome/found``; 1 to ``WireLimit/accountName`` bytes.
  public var name: [UInt8]?
  /// The system's error number, if the look-up failed.
  public var number: UInt32?
  /// The parts of uaf-name's sandbox that are not in force; at most 64 bytes.
  public var missing: String?

  /// Makes an answer.
  public init(_ outcome: Outcome, name: [UInt8]? = nil, number: UInt32? = nil, missing: String? = nil) {
    self.outcome = outcome
    self.name = name
    self.number = number
    self.missing = missing
  }

  /// The packet.
  ///
  /// - Throws: ``PacketError`` for a name that is too long.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.nameAnswer)
    writer.put(Field.outcome, u8: outcome.rawValue)
    writer.put(Field.name, optional: name)
    writer.put(Field.number, u32: number)
    writer.put(Field.missing, text: missing)
    return try writer.finish()
  }

  /// Reads the answer.
  ///
  /// - Throws: ``PacketError``, including for an unknown outcome, for a name if the outcome is not ``Outcome/found``, and for a
  ///   missing name if it is.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .nameAnswer else { throw .unexpectedType(packet.type) }
    let outcome: Outcome = try packet.meaning(of: Field.outcome, bytes)
    let name = packet.bytes(Field.name, bytes)
    guard (outcome == .found) == (name?.isEmpty == false), outcome == .found || name == nil else {
      throw .invalidValue(.nameAnswer, tag: Field.name.tag)
    }
    self.init(
      outcome, name: name, number: packet.number(Field.number, bytes), missing: packet.text(Field.missing, bytes))
  }
}
