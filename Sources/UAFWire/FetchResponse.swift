/// The head of an exchange's outcome; the body follows in chunks (PROTOCOL.md, "Fetch").
public struct FetchResponse: Equatable, Sendable {
  /// How it ended.
  public var outcome: FetchOutcome
  /// Whether a TLS handshake with the server was completed: what tells "the server is away" from
  /// everything the server may have had a word in.
  public var handshakeCompleted: Bool
  /// The HTTP status; 0 exactly when nothing was answered.
  public var status: UInt16
  /// The answer's type.
  public var contentType: String?
  /// The server's certificate in DER.
  public var certificate: [UInt8]?
  /// How many bytes follow; at most ``WireLimit/responseBody``.
  public var bodyLength: UInt32
  /// What failed, in words for the log.
  public var detail: String?
  /// Where a status of 300 to 399 points; nil where that cannot be told.
  public var redirect: Redirect?
  /// What uaf-fetch's sandbox lacks on this kernel, for the log; nil if nothing.
  public var missing: String?
  /// When the server says it answered (its header Date), in seconds since 1970; nil without an answer or a date.
  public var date: UInt32?

  /// The place a redirect points to; nobody has gone there.
  public struct Redirect: Equatable, Sendable {
    /// The absolute address; at most 4096 bytes.
    public var url: String
    /// Whether the server vouches for it with `FIDO-AppID-Redirect-Authorized: true`.
    public var isAuthorized: Bool

    /// A place.
    public init(url: String, isAuthorized: Bool) {
      self.url = url
      self.isAuthorized = isAuthorized
    }
  }

  /// A head without optional fields.
  public init(_ outcome: FetchOutcome, handshakeCompleted: Bool, status: UInt16 = 0, bodyLength: UInt32 = 0) {
    self.outcome = outcome
    self.handshakeCompleted = handshakeCompleted
    self.status = status
    self.bodyLength = bodyLength
  }

  /// The packet.
  ///
  /// - Throws: ``PacketError`` if a field is longer than it may be.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.fetchResponse)
    writer.put(1, u8: outcome.rawValue)
    writer.put(2, flag: handshakeCompleted)
    writer.put(3, u16: status)
    writer.put(4, text: contentType)
    writer.put(5, optional: certificate)
    writer.put(6, u32: bodyLength)
    writer.put(7, text: detail)
    writer.put(8, text: redirect?.url)
    writer.put(9, flag: redirect?.isAuthorized)
    writer.put(10, text: missing)
    writer.put(11, u32: date)
    return try writer.finish()
  }

  /// Reads a head.
  ///
  /// - Throws: ``PacketError``, also for an unknown outcome, a status that does not go with it, or a
  ///   body or a date without an answer, a body above the limit, or a redirect without its status or its other half.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .fetchResponse else { throw .unexpectedType(packet.type) }
    guard let outcome = packet.number(1, bytes).flatMap({ FetchOutcome(rawValue: UInt8(truncatingIfNeeded: $0)) })
    else { throw .invalidValue(.fetchResponse, tag: 1) }
    self.outcome = outcome
    handshakeCompleted = packet.flag(2, bytes) ?? false
    status = UInt16(truncatingIfNeeded: packet.number(3, bytes) ?? 0)
    bodyLength = packet.number(6, bytes) ?? 0
    guard (outcome == .answered) == (status != 0), outcome != .answered || handshakeCompleted
    else { throw .invalidValue(.fetchResponse, tag: 3) }
    guard bodyLength <= WireLimit.responseBody, outcome == .answered || bodyLength == 0
    else { throw .invalidValue(.fetchResponse, tag: 6) }
    contentType = packet.text(4, bytes)
    certificate = packet.bytes(5, bytes)
    detail = packet.text(7, bytes)
    missing = packet.text(10, bytes)
    date = packet.number(11, bytes)
    guard date == nil || outcome == .answered else { throw .invalidValue(.fetchResponse, tag: 11) }
    switch (packet.text(8, bytes), packet.flag(9, bytes)) {
    case (nil, nil): redirect = nil
    case (let url?, let isAuthorized?) where (300...399).contains(status):
      redirect = Redirect(url: url, isAuthorized: isAuthorized)
    default: throw .invalidValue(.fetchResponse, tag: 8)
    }
  }
}
