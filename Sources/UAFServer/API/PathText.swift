/// Paths of the API that are made of names.
enum PathText {
  /// A path below ``APIRoute/prefix``; whatever a URL's segment may not have is percent-encoded.
  static func joined(_ segments: [String]) -> String {
    APIRoute.prefix + segments.map { "/" + encoded($0) }.joined()
  }

  /// Encodes all but the unreserved characters (RFC 3986, section 2.3).
  static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
      if isPlain {
        result.unicodeScalars.append(UnicodeScalar(byte))
      } else {
        result += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}
