import ArgumentParser

/// `HOST:PORT` or `[IPV6]:PORT`.
struct ListenAddress: Equatable, ExpressibleByArgument {
  let host: String
  /// 0 lets the system choose.
  let port: Int

  /// Where a server listens if no address is given: on this machine only.
  static let standard = ListenAddress(host: "127.0.0.1", port: 8443)

  var defaultValueDescription: String { "\(host):\(port)" }

  private init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  init?(argument: String) {
    guard let colon = argument.lastIndex(of: ":"),
      let port = UInt16(argument[argument.index(after: colon)...])
    else { return nil }
    var host = String(argument[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else { return nil }
    self.host = host
    self.port = Int(port)
  }

  /// Whether the address means every interface, and so cannot be part of a URL.
  var isWildcard: Bool { host == "0.0.0.0" || host == "::" }

  /// The base URL with this host and a port.
  func url(port: Int) -> String {
    "https://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
}
