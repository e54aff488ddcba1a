import ArgumentParser

/// A base URL that clients use: `https://HOST[:PORT][/PATH]`.
struct PublicURL: Equatable, ExpressibleByArgument {
  /// Without a slash at its end.
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
