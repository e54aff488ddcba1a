/// The name of the PAM service at which somebody logs in, such as `sudo` or `sshd`, as a machine tells a server.
///
/// 1 to 64 ASCII letters, digits, full stops, low lines and hyphens, as the files of `/etc/pam.d` are named. Any other name is
/// not sent, and not stored. What a machine says about itself is not verified, so nothing may be decided by the name.
public struct PAMServiceName: Equatable, Sendable {
  /// The name.
  public let text: String

  /// Makes a name; nil for a text of a different form.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard (1...64).contains(bytes.count), bytes.allSatisfy(Self.isAllowed) else { return nil }
    self.text = text
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
