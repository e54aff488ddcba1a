/// One HTTPS exchange that the core asks for (docs/protocol.md, "Fetch").
public struct FetchRequest: Equatable, Sendable {
  /// The request's method.
  public enum Method: UInt8, Sendable {
    case get = 1
    case post = 2
  }

  /// The fields of *request*.
  enum Field: UInt8, PacketField {
    case version = 1
    case method
    case url
    case contentType
    case accept
    case body
    case timeoutMilliseconds
    case certificateAuthorities
    case proxy
    case skipVerification
    case machineProof
    case authoritiesLength
    case cookies
    case authorization
    case header

    static let rules = [
      version.rule(.u16, required: true),
      method.rule(.u8, required: true),
      url.rule(.text(4096), required: true),
      contentType.rule(.text(128)),
      accept.rule(.text(128)),
      body.rule(.raw(WireLimit.requestBody)),
      timeoutMilliseconds.rule(.u32, required: true),
      certificateAuthorities.rule(.text(WireLimit.certificateAuthorities)),
      proxy.rule(.text(4096)),
      skipVerification.rule(.flag),
      machineProof.rule(.text(272)),
      authoritiesLength.rule(.u32),
      cookies.rule(.text(WireLimit.cookies)),
      authorization.rule(.text(WireLimit.authorization)),
      header.rule(.text(WireLimit.header), repeats: 4),
    ]
  }

  /// The version that this code uses.
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
  /// The limit for connection and answer together; 1 to 600,000.
  public var timeoutMilliseconds: UInt32
  /// Trusted authorities in PEM; nil for the system's authorities.
  ///
  /// At most ``WireLimit/longAuthorities`` bytes. Above ``WireLimit/certificateAuthorities`` they are sent before the request, in
  /// separate packets.
  public var certificateAuthorities: String?
  /// The proxy's address; nil for none, whatever the environment contains.
  public var proxy: String?
  /// Whether the server's certificate is not checked.
  public var skipsVerification: Bool {
    get { skip ?? false }
    set { skip = newValue }
  }

  /// The header `UAF-Machine`; at most 272 bytes.
  public var machineProof: String?

  /// The header `Cookie`; at most ``WireLimit/cookies`` bytes.
  ///
  /// Empty sends none, but the answer's cookies come back. Nil takes no part in cookies at all.
  public var cookies: String?

  /// The header `Authorization`; at most ``WireLimit/authorization`` bytes; nil sends none.
  public var authorization: String?

  /// Further headers as `NAME: VALUE`, each with one of ``headerNames``; at most 4, each at most ``WireLimit/header`` bytes.
  public var headers: [String] = []

  /// The names of headers that the core may choose: what dialects of WebAuthn need.
  public static let headerNames: Set = [
    "Origin", "Referer", "X-CSRFToken", FetchResponse.sessionHeader, "X-Session-Token",
  ]

  // Nil and false both mean no. They are kept apart so that a message is written exactly as it was read.
  private var skip: Bool?

  /// A request without a body.
  public init(_ method: Method, url: String, timeoutMilliseconds: UInt32) {
    self.method = method
    self.url = url
    self.timeoutMilliseconds = timeoutMilliseconds
  }

  /// The request with the authorities that are sent before it, in the order of sending.
  ///
  /// - Throws: ``PacketError``, as ``packet()``.
  public func packets() throws(PacketError) -> [[UInt8]] {
    let authorities = try longAuthorities.map { authorities throws(PacketError) in
      try FetchAuthorities.packets(Array(authorities.utf8))
    }
    return (authorities ?? []) + [try packet()]
  }

  /// The authorities that do not fit into the request; nil if there are none.
  private var longAuthorities: String? {
    certificateAuthorities.flatMap { $0.utf8.count > WireLimit.certificateAuthorities ? $0 : nil }
  }

  /// The packet of the request alone.
  ///
  /// - Throws: ``PacketError`` if a field is longer than allowed.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.fetchRequest)
    writer.put(Field.version, u16: Self.currentVersion)
    writer.put(Field.method, u8: method.rawValue)
    writer.put(Field.url, text: url)
    writer.put(Field.contentType, text: contentType)
    writer.put(Field.accept, text: accept)
    writer.put(Field.body, optional: body)
    writer.put(Field.timeoutMilliseconds, u32: timeoutMilliseconds)
    let isLong = longAuthorities != nil
    writer.put(Field.certificateAuthorities, text: isLong ? nil : certificateAuthorities)
    writer.put(Field.proxy, text: proxy)
    writer.put(Field.skipVerification, flag: skip)
    writer.put(Field.machineProof, text: machineProof)
    writer.put(Field.authoritiesLength, u32: longAuthorities.map { UInt32(clamping: $0.utf8.count) })
    writer.put(Field.cookies, text: cookies)
    writer.put(Field.authorization, text: authorization)
    for header in headers { writer.put(Field.header, text: header) }
    return try writer.finish()
  }

  /// Reads a request.
  ///
  /// - Parameter authorities: the content of the *authorities* packets since the last request.
  /// - Throws: ``PacketError``, including for a version, method or time-out that is not in docs/protocol.md, and for
  ///   authorities that the request does not announce: a request that lost them would trust the system's.
  public init(_ packet: Packet, _ bytes: Span<UInt8>, authorities: [UInt8] = []) throws(PacketError) {
    guard packet.type == .fetchRequest else { throw .unexpectedType(packet.type) }
    guard packet.number(Field.version, bytes) == UInt32(Self.currentVersion) else {
      throw .invalidValue(.fetchRequest, tag: Field.version.tag)
    }
    let method: Method = try packet.meaning(of: Field.method, bytes)
    guard let timeout = packet.number(Field.timeoutMilliseconds, bytes), (1...600_000).contains(timeout)
    else { throw .invalidValue(.fetchRequest, tag: Field.timeoutMilliseconds.tag) }
    self.method = method
    url = packet.text(Field.url, bytes) ?? ""
    contentType = packet.text(Field.contentType, bytes)
    accept = packet.text(Field.accept, bytes)
    body = packet.bytes(Field.body, bytes)
    timeoutMilliseconds = timeout
    certificateAuthorities = packet.text(Field.certificateAuthorities, bytes)
    let announced = packet.number(Field.authoritiesLength, bytes)
    guard Int(announced ?? 0) == authorities.count else {
      throw .invalidValue(.fetchRequest, tag: Field.authoritiesLength.tag)
    }
    if announced != nil {
      guard certificateAuthorities == nil, WireLimit.certificateAuthorities < authorities.count,
        authorities.count <= WireLimit.longAuthorities,
        let text = String(validating: authorities, as: UTF8.self), !text.utf8.contains(0)
      else { throw .invalidValue(.fetchRequest, tag: Field.authoritiesLength.tag) }
      certificateAuthorities = text
    }
    proxy = packet.text(Field.proxy, bytes)
    skip = packet.flag(Field.skipVerification, bytes)
    machineProof = packet.text(Field.machineProof, bytes)
    cookies = packet.text(Field.cookies, bytes)
    authorization = packet.text(Field.authorization, bytes)
    headers = packet.texts(Field.header, bytes)
  }
}

/// The servers that uaf-fetch may ask during one call (docs/protocol.md, *places*).
///
/// If this packet is sent, it comes first.
public struct FetchPlaces: Equatable, Sendable {
  /// The fields of *places*.
  enum Field: UInt8, PacketField {
    case place = 1
    case proxy

    static let rules = [
      place.rule(.text(WireLimit.place), required: true, repeats: WireLimit.places),
      proxy.rule(.text(4096)),
    ]
  }

  /// Hosts with their ports, as ``place(of:)`` writes them; 1 to ``WireLimit/places``.
  public var places: [String]
  /// The only proxy; nil for none.
  public var proxy: String?

  /// Makes the list of some URLs, with each place once.
  ///
  /// - Parameter urls: https URLs, or http URLs of this machine. Others are left out.
  public init(of urls: [String], proxy: String?) {
    var places: [String] = []
    for place in urls.compactMap(Self.place) where !places.contains(place) { places.append(place) }
    self.places = places
    self.proxy = proxy
  }

  /// Whether an exchange with `url` through `proxy` is allowed by this list.
  public func allow(_ url: String, proxy: String?) -> Bool {
    guard let place = Self.place(of: url) else { return false }
    return places.contains(place) && proxy == self.proxy
  }

  /// `HOST:PORT` of an https URL, in lower case and always with the port; nil if the URL does not have such a form.
  ///
  /// An http URL has a place only if its host can only be this machine. No other server is asked without TLS.
  ///
  /// A URL that two programs could read differently, for example one with a user name, has no place.
  public static func place(of url: String) -> String? {
    let isSecure = url.prefix(8).lowercased() == "https://"
    guard isSecure || isPlain(url) else { return nil }
    let authority = url.dropFirst(isSecure ? 8 : 7).prefix { !"/?#".contains($0) }.lowercased()
    let isWellFormed = authority.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isWellFormed, !authority.isEmpty, authority.utf8.count <= WireLimit.place - 4 else { return nil }
    let isAddress = authority.hasPrefix("[")
    let afterHost = isAddress ? authority.drop { $0 != "]" }.dropFirst() : authority.drop { $0 != ":" }
    guard isSecure || isHere(authority.dropLast(afterHost.count)) else { return nil }
    if afterHost.isEmpty {
      return isAddress && !authority.hasSuffix("]") ? nil : authority + (isSecure ? ":443" : ":80")
    }
    guard afterHost.hasPrefix(":"), let port = UInt16(afterHost.dropFirst()), port > 0 else { return nil }
    return authority.dropLast(afterHost.count) + ":\(port)"
  }

  /// Whether a URL is an http one.
  public static func isPlain(_ url: String) -> Bool { url.prefix(7).lowercased() == "http://" }

  /// Whether a host can only be this machine.
  private static func isHere(_ host: Substring) -> Bool {
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    return host == "localhost" || host == "[::1]"
      || numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0).map(String.init) == String($0) }
  }

  /// The packet.
  ///
  /// - Throws: ``PacketError`` if there is no place, or too many.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.fetchPlaces)
    for place in places { writer.put(Field.place, text: place) }
    writer.put(Field.proxy, text: proxy)
    return try writer.finish()
  }

  /// Reads the list.
  ///
  /// - Throws: ``PacketError``, including for an address that is not in canonical form.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .fetchPlaces else { throw .unexpectedType(packet.type) }
    places = packet.texts(Field.place, bytes)
    guard places.allSatisfy({ Self.place(of: "https://" + $0) == $0 }) else {
      throw .invalidValue(.fetchPlaces, tag: Field.place.tag)
    }
    proxy = packet.text(Field.proxy, bytes)
  }
}

/// Authorities of the next request that do not fit into it (docs/protocol.md, *authorities*).
public enum FetchAuthorities {
  /// The field of *authorities*.
  enum Field: UInt8, PacketField {
    case bytes = 1

    static let rules = [
      bytes.rule(.chunk, required: true)
    ]
  }

  /// The packets that carry the bytes of authorities, each full except the last.
  ///
  /// - Throws: ``PacketError/size`` above ``WireLimit/longAuthorities``.
  static func packets(_ bytes: [UInt8]) throws(PacketError) -> [[UInt8]] {
    guard bytes.count <= WireLimit.longAuthorities else { throw .size }
    var packets: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: WireLimit.chunk) {
      var writer = PacketWriter(.fetchAuthorities)
      writer.put(Field.bytes, bytes[start..<min(start + WireLimit.chunk, bytes.count)])
      packets.append(try writer.finish())
    }
    return packets
  }

  /// Appends a packet to the content of the packets before it.
  ///
  /// - Throws: ``PacketError`` for a different packet, and for more than ``WireLimit/longAuthorities``.
  public static func append(
    _ packet: Packet, _ bytes: Span<UInt8>, to authorities: inout [UInt8]
  ) throws(PacketError) {
    guard packet.type == .fetchAuthorities, let range = packet.range(Field.bytes) else {
      throw .unexpectedType(packet.type)
    }
    guard range.count <= WireLimit.longAuthorities - authorities.count else { throw .size }
    authorities += range.map { bytes[$0] }
  }
}
