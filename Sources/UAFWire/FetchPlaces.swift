/// The servers that uaf-fetch may ask during one call (PROTOCOL.md, *places*).
///
/// If it is sent, it is the first packet.
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
  /// The one proxy; nil: none.
  public var proxy: String?

  /// Makes the list of some URLs, each place once.
  ///
  /// - Parameter urls: https URLs, or http URLs of this machine. Others are left out.
  public init(of urls: [String], proxy: String?) {
    var places: [String] = []
    for place in urls.compactMap(Self.place) where !places.contains(place) { places.append(place) }
    self.places = places
    self.proxy = proxy
  }

  /// Whether an exchange with `url` by way of `proxy` is one of these.
  public func allow(_ url: String, proxy: String?) -> Bool {
    guard let place = Self.place(of: url) else { return false }
    return places.contains(place) && proxy == self.proxy
  }

  /// `HOST:PORT` of an https URL, in small letters and with the port written; nil where there is no plain one.
  ///
  /// The same for an http URL whose host can only be this machine. No other server is asked without TLS.
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
  /// - Throws: ``PacketError`` if there is no place, or more than there may be.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.fetchPlaces)
    for place in places { writer.put(Field.place, text: place) }
    writer.put(Field.proxy, text: proxy)
    return try writer.finish()
  }

  /// Reads the list.
  ///
  /// - Throws: ``PacketError``, also for a place that this code would not have written.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .fetchPlaces else { throw .unexpectedType(packet.type) }
    places = packet.texts(Field.place, bytes)
    guard places.allSatisfy({ Self.place(of: "https://" + $0) == $0 }) else {
      throw .invalidValue(.fetchPlaces, tag: Field.place.tag)
    }
    proxy = packet.text(Field.proxy, bytes)
  }
}
