/// The result of an HTTPS exchange, without the body, which follows in chunks (docs/protocol.md, "Fetch").
public struct FetchResponse: Equatable, Sendable {
  /// The fields of *response*.
  enum Field: UInt8, PacketField {
    case outcome = 1
    case handshakeCompleted
    case status
    case contentType
    case certificate
    case bodyLength
    case detail
    case redirectURL
    case redirectAuthorized
    case missing
    case date
    case cookies
    case session

    static let rules = [
      outcome.rule(.u8, required: true),
      handshakeCompleted.rule(.flag, required: true),
      status.rule(.u16, required: true),
      contentType.rule(.text(256)),
      certificate.rule(.raw(WireLimit.certificate)),
      bodyLength.rule(.u32, required: true),
      detail.rule(.text(512)),
      redirectURL.rule(.text(4096)),
      redirectAuthorized.rule(.flag),
      missing.rule(.text(64)),
      date.rule(.u32),
      cookies.rule(.text(WireLimit.cookies)),
      session.rule(.text(WireLimit.session)),
    ]
  }

  /// How the exchange ended.
  public var outcome: FetchOutcome
  /// Whether a TLS handshake with the server was completed.
  ///
  /// If so, the server is reachable, and may have influenced the outcome.
  public var handshakeCompleted: Bool
  /// The HTTP status; 0 if and only if there was no answer.
  public var status: UInt16
  /// The media type of the answer.
  public var contentType: String?
  /// The server's certificate in DER.
  public var certificate: [UInt8]?
  /// How many bytes of the body follow; at most ``WireLimit/responseBody``.
  public var bodyLength: UInt32
  /// The failure, as text for the log.
  public var detail: String?
  /// The target of the redirect, if the status is 300 to 399; nil if it is unknown.
  public var redirect: Redirect?
  /// The parts of uaf-fetch's sandbox that are missing on this kernel, for the log; nil if none is.
  public var missing: String?
  /// The time in the answer's `Date` header, in seconds since 1970; nil if there is no answer or no date.
  public var date: UInt32?
  /// The `Cookie` header for the next request of the same ceremony: the cookies that were sent, with the changes of the answer.
  ///
  /// Nil if the request did not use cookies, or there is no answer.
  public var cookies: String?
  /// The value of the answer's header ``sessionHeader``, if the request used cookies and the answer has exactly one.
  public var session: String?

  /// The header by which kanidm names the session of a login.
  public static let sessionHeader = "X-KANIDM-AUTH-SESSION-ID"

  /// The target of a redirect; uaf-fetch does not follow it.
  public struct Redirect: Equatable, Sendable {
    /// The absolute address; at most 4096 bytes.
    public var url: String
    /// Whether the server authorises the redirect with `FIDO-AppID-Redirect-Authorized: true`.
    public var isAuthorized: Bool

    /// Makes a redirect.
    public init(url: String, isAuthorized: Bool) {
      self.url = url
      self.isAuthorized = isAuthorized
    }
  }

  /// Makes a result without optional fields.
  public init(_ outcome: FetchOutcome, handshakeCompleted: Bool, status: UInt16 = 0, bodyLength: UInt32 = 0) {
    self.outcome = outcome
    self.handshakeCompleted = handshakeCompleted
    self.status = status
    self.bodyLength = bodyLength
  }

  /// The packet.
  ///
  /// - Throws: ``PacketError`` if a field is longer than allowed.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.fetchResponse)
    writer.put(Field.outcome, u8: outcome.rawValue)
    writer.put(Field.handshakeCompleted, flag: handshakeCompleted)
    writer.put(Field.status, u16: status)
    writer.put(Field.contentType, text: contentType)
    writer.put(Field.certificate, optional: certificate)
    writer.put(Field.bodyLength, u32: bodyLength)
    writer.put(Field.detail, text: detail)
    writer.put(Field.redirectURL, text: redirect?.url)
    writer.put(Field.redirectAuthorized, flag: redirect?.isAuthorized)
    writer.put(Field.missing, text: missing)
    writer.put(Field.date, u32: date)
    writer.put(Field.cookies, text: cookies)
    writer.put(Field.session, text: session)
    return try writer.finish()
  }

  /// Reads a result.
  ///
  /// - Throws: ``PacketError``, including for an unknown outcome; a status that does not fit the outcome; a body, a date,
  ///   cookies or a session if there is no answer; a body above the limit; and a redirect that is incomplete or does not
  ///   have the right status.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .fetchResponse else { throw .unexpectedType(packet.type) }
    outcome = try packet.meaning(of: Field.outcome, bytes)
    handshakeCompleted = packet.flag(Field.handshakeCompleted, bytes) ?? false
    status = UInt16(truncatingIfNeeded: packet.number(Field.status, bytes) ?? 0)
    bodyLength = packet.number(Field.bodyLength, bytes) ?? 0
    guard (outcome == .answered) == (status != 0), outcome != .answered || handshakeCompleted
    else { throw .invalidValue(.fetchResponse, tag: Field.status.tag) }
    guard bodyLength <= WireLimit.responseBody, outcome == .answered || bodyLength == 0
    else { throw .invalidValue(.fetchResponse, tag: Field.bodyLength.tag) }
    contentType = packet.text(Field.contentType, bytes)
    certificate = packet.bytes(Field.certificate, bytes)
    detail = packet.text(Field.detail, bytes)
    missing = packet.text(Field.missing, bytes)
    date = packet.number(Field.date, bytes)
    guard date == nil || outcome == .answered else { throw .invalidValue(.fetchResponse, tag: Field.date.tag) }
    cookies = packet.text(Field.cookies, bytes)
    guard cookies == nil || outcome == .answered else { throw .invalidValue(.fetchResponse, tag: Field.cookies.tag) }
    session = packet.text(Field.session, bytes)
    guard session == nil || outcome == .answered else { throw .invalidValue(.fetchResponse, tag: Field.session.tag) }
    switch (packet.text(Field.redirectURL, bytes), packet.flag(Field.redirectAuthorized, bytes)) {
    case (nil, nil): redirect = nil
    case (let url?, let isAuthorized?) where (300...399).contains(status):
      redirect = Redirect(url: url, isAuthorized: isAuthorized)
    default: throw .invalidValue(.fetchResponse, tag: Field.redirectURL.tag)
    }
  }
}

/// How an exchange ended (*response*, field 1).
public enum FetchOutcome: UInt8, CaseIterable, Sendable {
  case answered = 0
  case nameNotResolved = 1
  case refused = 2
  case timedOut = 3
  case tlsFailed = 4
  case certificateRefused = 5
  case tooLarge = 6
  case connectionLost = 7
  case unacceptableRequest = 8
  case other = 9
  /// This machine lacked a thread, a descriptor, memory or a port.
  case ownMeans = 10
  /// A connection was made, but the TLS handshake was not completed in time.
  case stalled = 11
  /// The server is unreachable.
  case unreachable = 12
  /// The proxy rejected the request.
  case proxyRefused = 13
}

/// A part of a response body (docs/protocol.md, *chunk*).
public enum FetchChunk {
  /// The field of *chunk*.
  enum Field: UInt8, PacketField {
    case bytes = 1

    static let rules = [
      bytes.rule(.chunk, required: true)
    ]
  }

  /// The packets for `body`.
  ///
  /// Each is full except the last one; an empty body has none.
  ///
  /// - Throws: ``PacketError/size`` if the body is above ``WireLimit/responseBody``.
  public static func packets(_ body: [UInt8]) throws(PacketError) -> [[UInt8]] {
    guard body.count <= WireLimit.responseBody else { throw .size }
    var packets: [[UInt8]] = []
    for start in stride(from: 0, to: body.count, by: WireLimit.chunk) {
      var writer = PacketWriter(.fetchChunk)
      writer.put(Field.bytes, body[start..<min(start + WireLimit.chunk, body.count)])
      packets.append(try writer.finish())
    }
    return packets
  }

  /// Appends a chunk to `body`, which will have `total` bytes in all.
  ///
  /// - Throws: ``PacketError`` for a different packet, or if the chunk does not have exactly the length that the next one must
  ///   have.
  public static func append(
    _ packet: Packet, _ bytes: Span<UInt8>, to body: inout [UInt8], total: Int
  ) throws(PacketError) {
    guard packet.type == .fetchChunk, let range = packet.range(Field.bytes) else { throw .unexpectedType(packet.type) }
    guard range.count == min(WireLimit.chunk, total - body.count) else {
      throw .invalidValue(.fetchChunk, tag: Field.bytes.tag)
    }
    body += range.map { bytes[$0] }
  }
}
