import ArgumentParser
import NIOCore

/// Where a server listens: `HOST:PORT`, `[IPV6]:PORT`, or `unix:PATH` for a proxy on the same machine.
enum ListenAddress: Equatable, ExpressibleByArgument {
  /// Port 0 lets the system choose.
  case network(host: String, port: Int)
  case unixSocket(path: String)

  /// The default address: this machine only.
  static let standard = ListenAddress.network(host: "127.0.0.1", port: 8443)

  /// The longest path of a socket that the kernel accepts.
  private static let maximumPath = 107
  private static let prefix = "unix:"

  var defaultValueDescription: String { description }

  init?(argument: String) {
    if argument.hasPrefix(Self.prefix) {
      let path = String(argument.dropFirst(Self.prefix.count))
      guard path.hasPrefix("/"), !path.hasSuffix("/"), path.utf8.count <= Self.maximumPath, !path.utf8.contains(0)
      else {
        return nil
      }
      self = .unixSocket(path: path)
      return
    }
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
    self = .network(host: host, port: Int(port))
  }

  /// The path of the socket; nil for a network address.
  var path: String? {
    if case .unixSocket(let path) = self { path } else { nil }
  }

  /// The host for a URL; nil if the server listens on all interfaces, or on a Unix socket.
  var host: String? {
    guard case .network(let host, _) = self, host != "0.0.0.0", host != "::" else { return nil }
    return host
  }

  /// The port of a network address; nil if the system chooses it, or for a Unix socket.
  var port: Int? {
    guard case .network(_, let port) = self, port != 0 else { return nil }
    return port
  }

  /// The address as it was given.
  var description: String {
    switch self {
    case .network(let host, let port): Self.authority(host, port)
    case .unixSocket(let path): Self.prefix + path
    }
  }

  /// Where the server listens, as a text for people: a base URL, or the path of the socket.
  ///
  /// - Parameter port: the port that the system chose; nil if it is not known yet.
  func url(port: Int?) -> String {
    switch self {
    case .network(let host, let own): "https://" + Self.authority(host, port ?? own)
    case .unixSocket: description
    }
  }

  private static func authority(_ host: String, _ port: Int) -> String {
    "\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
}

/// Where the API and the console are served: `HOST:PORT`, or `PORT` on this machine only.
struct AdminAddress: Equatable, ExpressibleByArgument {
  let host: String
  /// Port 0 lets the system choose.
  let port: Int

  init?(argument: String) {
    if let port = UInt16(argument) {
      (host, self.port) = ("127.0.0.1", Int(port))
    } else if case .network(let host, let port)? = ListenAddress(argument: argument) {
      (self.host, self.port) = (host, port)
    } else {
      return nil
    }
  }

  var listen: ListenAddress { .network(host: host, port: port) }
}

/// A base URL that clients use: `https://HOST[:PORT][/PATH]`.
struct PublicURL: Equatable, ExpressibleByArgument {
  /// Without a trailing slash.
  let text: String

  init?(argument: String) {
    var text = argument
    while text.hasSuffix("/") { text.removeLast() }
    guard text.hasPrefix("https://"), text.utf8.count > 8, text.utf8.count <= 256,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !text.contains("?"), !text.contains("#"), !text.contains("@")
    else { return nil }
    self.text = text
  }

  /// The host, without brackets and port.
  var host: String {
    let authority = text.dropFirst(8).prefix { $0 != "/" }
    if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
    return String(authority.prefix { $0 != ":" })
  }
}
