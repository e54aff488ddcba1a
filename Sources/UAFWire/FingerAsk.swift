/// What the core asks of uaf-finger (PROTOCOL.md, *ask*).
public struct FingerAsk: Equatable, Sendable {
  /// The fields of *ask*.
  enum Field: UInt8, PacketField {
    case wish = 1
    case account

    static let rules = [wish.rule(.u8, required: true), account.rule(.text(WireLimit.fingerAccount), required: true)]
  }

  /// What is wanted.
  public enum Wish: UInt8, CaseIterable, Sendable {
    /// Say whether there is a sensor, and whether the account has fingers enrolled; claim nothing.
    case look = 1
    /// Claim the sensor for the account, if it is not claimed yet, and compare one touch.
    case compare = 2
  }

  /// What is wanted.
  public var wish: Wish
  /// The account's name; not empty, at most ``WireLimit/fingerAccount`` bytes.
  public var account: String

  /// A question.
  public init(_ wish: Wish, account: String) {
    self.wish = wish
    self.account = account
  }

  /// The packet.
  ///
  /// - Throws: ``PacketError`` for a name that is too long.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.fingerAsk)
    writer.put(Field.wish, u8: wish.rawValue)
    writer.put(Field.account, text: account)
    return try writer.finish()
  }

  /// Reads the question.
  ///
  /// - Throws: ``PacketError``, also for an unknown wish or an empty name.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .fingerAsk else { throw .unexpectedType(packet.type) }
    let wish: Wish = try packet.meaning(of: Field.wish, bytes)
    guard let account = packet.text(Field.account, bytes), !account.isEmpty else {
      throw .invalidValue(.fingerAsk, tag: Field.account.tag)
    }
    self.init(wish, account: account)
  }

  /// The packet that ends comparing and gives the sensor back (PROTOCOL.md, *stop*).
  ///
  /// - Throws: never in fact.
  public static func stop() throws(PacketError) -> [UInt8] { try PacketWriter(.fingerStop).finish() }
}
