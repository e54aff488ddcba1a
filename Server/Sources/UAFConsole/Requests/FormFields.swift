/// The fields of a form, or the parameters of a query (`application/x-www-form-urlencoded`).
struct FormFields: Equatable, Sendable {
  /// More than any form here needs: one with fifty picked rows has the most.
  static let most = 64
  /// The longest text that is parsed, in bytes before decoding.
  static let maximumBytes = 65_536

  /// The name of the only field that is a file, and so may have any bytes.
  static let fileName = "list"

  private let values: [String: String]
  /// The content of the file; empty if there is none.
  let file: [UInt8]

  /// Makes a form without fields.
  init() {
    values = [:]
    file = []
  }

  /// Takes the parts of a form that uploads a file.
  ///
  /// - Returns: nil if a part other than the file is too long, or is not UTF-8.
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

  /// Parses encoded fields.
  ///
  /// - Returns: nil if the text is too long, repeats a field, or is not percent-encoded UTF-8.
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

  /// Percent-encodes a value for a query.
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

/// A parsed form that uploads a file (`multipart/form-data`, RFC 7578).
///
/// It accepts only what browsers send, not everything that RFC 2046 allows: no text before or after the parts, no transfer
/// encodings, no additional headers, and each name only once.
struct MultipartForm: Equatable, Sendable {
  /// More than any form here needs.
  static let most = 8
  /// The longest header line of a part, in bytes; such a line may contain a file name.
  static let maximumLine = 1024
  private static let lineEnd: [UInt8] = [13, 10]

  /// The contents of the parts, by their names.
  let parts: [String: [UInt8]]

  /// Parses a body.
  ///
  /// - Parameter type: the request's Content-Type.
  /// - Returns: nil if the body is not such a form.
  init?(_ body: [UInt8], type: String?) {
    guard let boundary = Self.boundary(type) else { return nil }
    let first = Array("--\(boundary)".utf8)
    let delimiter = Self.lineEnd + first
    guard body.starts(with: first) else { return nil }
    var rest = body.dropFirst(first.count)
    var parts: [String: [UInt8]] = [:]
    while rest.starts(with: Self.lineEnd) {
      guard parts.count < Self.most, let name = Self.name(&rest), parts[name] == nil,
        let end = Self.first(delimiter, in: rest)
      else { return nil }
      parts[name] = Array(rest[..<end])
      rest = rest[(end + delimiter.count)...]
    }
    guard !parts.isEmpty, rest.elementsEqual(Array("--".utf8)) || rest.elementsEqual(Array("--\r\n".utf8)) else {
      return nil
    }
    self.parts = parts
  }

  /// The boundary between the parts.
  ///
  /// It must be 1 to 70 letters, digits, `-` and `_`, as browsers choose it.
  private static func boundary(_ type: String?) -> String? {
    let begin = "multipart/form-data; boundary="
    guard let type, type.lowercased().hasPrefix(begin) else { return nil }
    let boundary = type.dropFirst(begin.count)
    let isPlain = boundary.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
      default: false
      }
    }
    return isPlain && (1...70).contains(boundary.utf8.count) ? String(boundary) : nil
  }

  /// Reads the headers of the part at the beginning of `rest`, removes them from `rest`, and returns the part's name.
  private static func name(_ rest: inout ArraySlice<UInt8>) -> String? {
    var name: String?
    while true {
      rest = rest.dropFirst(lineEnd.count)
      guard let end = first(lineEnd, in: rest.prefix(maximumLine + lineEnd.count)) else { return nil }
      let line = String(decoding: rest[..<end], as: UTF8.self)
      rest = rest[end...]
      if line.isEmpty {
        rest = rest.dropFirst(lineEnd.count)
        return name
      }
      let lower = line.lowercased()
      if lower.hasPrefix("content-type:") { continue }
      guard name == nil, let found = disposition(line) else { return nil }
      name = found
    }
  }

  /// The field name in a Content-Disposition line; a file name is ignored.
  private static func disposition(_ line: String) -> String? {
    let begin = "content-disposition: form-data; name=\""
    guard line.lowercased().hasPrefix(begin) else { return nil }
    let rest = line.utf8.dropFirst(begin.utf8.count)
    let name = rest.prefix { $0 != UInt8(ascii: "\"") }
    let after = rest.dropFirst(name.count + 1)
    let isName = name.allSatisfy { (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) }
    guard (1...32).contains(name.count), isName, rest.count > name.count,
      after.isEmpty || after.starts(with: "; filename=\"".utf8)
    else { return nil }
    return String(Substring(name))
  }

  private static func first(_ wanted: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    var place = bytes.startIndex
    while place + wanted.count <= bytes.endIndex {
      guard let found = bytes[place...].firstIndex(of: wanted[0]), found + wanted.count <= bytes.endIndex else {
        return nil
      }
      if bytes[found..<(found + wanted.count)].elementsEqual(wanted) { return found }
      place = found + 1
    }
    return nil
  }
}

/// The forms that upload a file, and how long they may be.
package enum UploadLimit {
  static let checkPath = "/console/enrol-list/check"
  static let issuePath = "/console/enrol-list/issue"
  /// The paths of those forms.
  package static let paths: Set = [checkPath, issuePath]
  /// The longest list in bytes: 10,000 people whose names have 100 characters.
  static let list = 1 << 20
  /// The longest such form in bytes: the longest list, and the other fields.
  package static let form = list + 8192
}
