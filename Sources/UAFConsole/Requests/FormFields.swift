/// The fields of a form, or of a query (`application/x-www-form-urlencoded`).
struct FormFields: Equatable, Sendable {
  /// More than any form here has.
  static let most = 32
  /// In bytes, before decoding.
  static let maximumBytes = 65_536

  /// The one field that is a file, whatever bytes it has.
  static let fileName = "list"

  private let values: [String: String]
  /// What the file has; empty without one.
  let file: [UInt8]

  /// No fields.
  init() {
    values = [:]
    file = []
  }

  /// Takes the parts of a form with a file.
  ///
  /// - Returns: nil if a part that is no file is too long, or not UTF-8.
  init?(_ form: MultipartForm) {
    var values: [String: String] = [:]
    for (name, bytes) in form.parts where name != Self.fileName {
      guard bytes.count <= Self.maximumBytes, !bytes.contains(0), let value = String(validating: bytes, as: UTF8.self)
      else { return nil }
      values[name] = value
    }
    self.values = values
    file = form.parts[Self.fileName] ?? []
  }

  /// Reads fields.
  ///
  /// - Returns: nil if it is too long, has a field twice, or is not UTF-8 in percent-encoding.
  init?(_ text: [UInt8]) {
    guard text.count <= Self.maximumBytes else { return nil }
    var values: [String: String] = [:]
    for part in text.split(separator: UInt8(ascii: "&"), maxSplits: Self.most) {
      let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decoded(pair[0]), let value = Self.decoded(pair.dropFirst().first ?? []),
        values[name] == nil, values.count < Self.most
      else { return nil }
      values[name] = value
    }
    self.values = values
    file = []
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
    var decoded: [UInt8] = []
    var rest = bytes.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "+"): decoded.append(0x20)
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
        decoded.append(high << 4 | low)
      default: decoded.append(byte)
      }
    }
    guard !decoded.contains(0) else { return nil }
    return String(validating: decoded, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
  }

  /// The value of a field; empty if there is none.
  subscript(name: String) -> String { values[name] ?? "" }

  /// A value as a part of a query.
  static func encoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { encoded, byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        encoded.unicodeScalars.append(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
  }
}
