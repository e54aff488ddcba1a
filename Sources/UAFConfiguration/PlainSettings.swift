/// `[server.context]` and `[server.success]`: what the plain dialect leaves to each server.
public struct PlainSettings: Equatable, Sendable {
  /// The members of the context that are sent: our name, and the server's name.
  ///
  /// They are in the query of both URLs, and so in the server's access log. Nothing else is sent.
  public internal(set) var contextNames: [String: String] = [:]
  /// The member of an answer that marks a success; nil without `[server.success]`.
  public internal(set) var successMember: String?
  /// The value of that member in a success.
  public internal(set) var successValue: String?

  /// What can be sent to a server besides the message.
  static let contextMembers = [
    "username", "deviceID", "deviceName", "deviceModel", "deviceOS", "authCode", "transaction", "proof", "proofFor",
    "deregisterAAID", "deregisterAll",
  ]

  static var contextSettings: [Setting<Self>] {
    contextMembers.map { member in
      .text(member, \.contextNames[member], allowed: "1 to 64 letters, digits, '.', '_' or '-'", parameter)
    }
  }

  static var successSettings: [Setting<Self>] {
    let words = "1 to 64 printable ASCII characters"
    return [
      .text("member", \.successMember, allowed: words, mark), .text("value", \.successValue, allowed: words, mark),
    ]
  }

  private static func parameter(_ text: String) -> String? {
    let isName = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x61...0x7a).contains($0 | 0x20) || "._-".utf8.contains($0)
    }
    return (1...64).contains(text.utf8.count) && isName ? text : nil
  }

  private static func mark(_ text: String) -> String? {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7e).contains($0) } ? text : nil
  }
}
