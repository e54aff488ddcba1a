/// An address with `{user}`, `{appID}` or `{transaction}` in it.
public struct URLTemplate: Equatable, Sendable {
  private let text: String

  /// Makes a template of a configured address.
  public init(_ text: String) {
    self.text = text
  }

  /// The address with each placeholder replaced by its percent-encoded value.
  ///
  /// All but RFC 3986's unreserved characters is encoded, so that no value can add a path, a query or a host.
  /// - Returns: nil if a brace is left that is not one of the placeholders.
  public func expanded(user: String, appID: String, transaction: String) -> String? {
    let values = ["user": user, "appID": appID, "transaction": transaction]
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      guard let close = rest[open...].firstIndex(of: "}"),
        let value = values[String(rest[rest.index(after: open)..<close])]
      else { return nil }
      result += rest[..<open] + Self.percentEncoded(value)
      rest = rest[rest.index(after: close)...]
    }
    guard !result.contains("}"), !rest.contains("}") else { return nil }
    return result + rest
  }

  /// Everything but RFC 3986's unreserved characters as percent and two digits.
  static func percentEncoded(_ value: String) -> String {
    var encoded: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.append(byte)
      default:
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
