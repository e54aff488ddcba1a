/// One HTTPS exchange the core asks for (PROTOCOL.md, "Fetch").
public struct FetchRequest: Equatable, Sendable {
  /// The request's method.
  public enum Method: UInt8, Sendable {
    case get = 1
    case post = 2
  }

  /// The version this code speaks.
  public static let currentVersion: UInt16 = 1

  /// The method.
  public var method: Method
  /// The address; at most 4096 bytes.
  public var url: String
  /// The body's type.
  public var contentType: String?
  /// The type of answer wanted.
  public var accept: String?
  /// The body; at most ``WireLimit/requestBody`` bytes.
  public var body: [UInt8]?
  /// For connection and answer together; 1 to 600,000.
  public var timeoutMilliseconds: UInt32
  /// Trusted authorities in PEM; nil: the system's.
  public var certificateAuthorities: String?
  /// The proxy's address; nil: none, whatever the environment says.
  public var proxy: String?
  /// Whether the server's certificate is not checked.
  public var skipsVerification: Bool {
    get { skip ?? false }
    set { skip = newValue }
  }

  // Absent means no, but is written differently: a message that was read is written as it was.
  private var skip: Bool?

  /// A request without a body.
  public init(_ method: Method, url: String, timeoutMilliseconds: UInt32) {
    self.method = method
    self.url = url
    self.timeoutMilliseconds = timeoutMilliseconds
  }

  /// The packet.
  ///
  /// - Throws: ``PacketError`` if a field is longer than it may be.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.fetchRequest)
    writer.put(1, u16: Self.currentVersion)
    writer.put(2, u8: method.rawValue)
    writer.put(3, text: url)
    writer.put(4, text: contentType)
    writer.put(5, text: accept)
    writer.put(6, optional: body)
    writer.put(7, u32: timeoutMilliseconds)
    writer.put(8, text: certificateAuthorities)
    writer.put(9, text: proxy)
    writer.put(10, flag: skip)
    return try writer.finish()
  }

  /// Reads a request.
  ///
  /// - Throws: ``PacketError``, also for another version, method or time-out than PROTOCOL.md names.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .fetchRequest else { throw .unexpectedType(packet.type) }
    guard packet.number(1, bytes) == UInt32(Self.currentVersion) else { throw .invalidValue(.fetchRequest, tag: 1) }
    guard let method = packet.number(2, bytes).flatMap({ Method(rawValue: UInt8(truncatingIfNeeded: $0)) })
    else { throw .invalidValue(.fetchRequest, tag: 2) }
    guard let timeout = packet.number(7, bytes), (1...600_000).contains(timeout)
    else { throw .invalidValue(.fetchRequest, tag: 7) }
    self.method = method
    url = packet.text(3, bytes) ?? ""
    contentType = packet.text(4, bytes)
    accept = packet.text(5, bytes)
    body = packet.bytes(6, bytes)
    timeoutMilliseconds = timeout
    certificateAuthorities = packet.text(8, bytes)
    proxy = packet.text(9, bytes)
    skip = packet.flag(10, bytes)
  }
}
