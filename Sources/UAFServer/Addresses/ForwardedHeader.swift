import ArgumentParser
import NIOCore
import NIOHTTP1

/// The header in which proxies say for whom they ask.
///
/// The server reads one of them. A proxy that writes one passes the other on as a stranger sent it.
enum ForwardedHeader: String, CaseIterable, Sendable, ExpressibleByArgument {
  case xForwardedFor = "x-forwarded-for"
  /// RFC 7239.
  case forwarded

  /// The hops that the header names, the last one first; nil for one that is no IP address.
  ///
  /// The last one was written by the proxy nearest to the server, the first one by anybody. So the text is read from its end, and
  /// what a stranger wrote before cannot change how the end is read.
  func hops(in fields: HTTPHeaders) -> some Sequence<SocketAddress?> {
    fields[rawValue].reversed().lazy.flatMap { Self.parts(of: $0) }.map { self.address(in: $0) }
  }

  /// The parts of a line between commas, the last one first.
  private static func parts(of line: String) -> [Substring] {
    var parts: [Substring] = []
    var end = line.utf8.endIndex
    var isQuoted = false
    for index in line.utf8.indices.reversed() {
      switch line.utf8[index] {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted:
        parts.append(line[line.utf8.index(after: index)..<end])
        end = index
      default: break
      }
    }
    parts.append(line[..<end])
    return parts
  }

  private func address(in part: Substring) -> SocketAddress? {
    switch self {
    case .xForwardedFor: return Self.address(Self.trimmed(part))
    case .forwarded:
      let pairs = part.split(separator: ";").map(Self.trimmed).filter { $0.lowercased().hasPrefix("for=") }
      guard pairs.count == 1, let pair = pairs.first else { return nil }
      let value = pair.dropFirst(4)
      let isQuoted = value.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
      return Self.address(isQuoted ? value.dropFirst().dropLast() : value)
    }
  }

  /// Reads `192.0.2.1`, `2001:db8::1` or `[2001:db8::1]`, each but the second also with a port.
  private static func address(_ text: Substring) -> SocketAddress? {
    var host = text
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]"), isPort(text[text.index(after: end)...]) else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      guard host.contains(":") else { return nil }
    } else if let colon = text.firstIndex(of: ":"), text.lastIndex(of: ":") == colon {
      guard isPort(text[colon...]) else { return nil }
      host = text[..<colon]
    }
    // The C library would take a zone (fe80::1%eth0), which means nothing on this machine.
    return host.contains("%") ? nil : try? SocketAddress(ipAddress: String(host), port: 0)
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.hasPrefix(":") && UInt16(text.dropFirst()) != nil
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let isSpace = { (letter: Character) in letter == " " || letter == "\t" }
    var text = text.drop(while: isSpace)
    while let last = text.last, isSpace(last) { text.removeLast() }
    return text
  }
}
