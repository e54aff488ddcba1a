/// Codes and payloads as people hand them on: in a file that a mail program has quoted, or pasted with the account beside them.
///
/// What stands around a code is dropped only where exactly one code is in it. A text in which nothing is recognised stays as it
/// is, for whoever judges it: another server's code may look like anything.
public enum PastedCode {
  /// The most words beside a code, such as the account, or what a mail program puts before it.
  private static let mostOthers = 3
  private static let mostBytes = 32_768
  /// Far enough from 1970 that any minute of a code can be written: only its form matters here.
  private static let anyTime: Int64 = 60 * 3 << 23

  /// The words of a text without a byte order mark and a mail program's marks of quotation.
  public static func words(of text: String) -> [String] { lines(of: text).flatMap(\.self) }

  private static func lines(of text: String) -> [[String]] {
    let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    let lines = text.unicodeScalars.split { $0 == "\n" || $0 == "\r" }.map { line in
      // No code begins with one of these.
      line.drop { isSpace($0) || $0 == ">" }.split(whereSeparator: isSpace).map { String($0) }
    }
    return lines.filter { !$0.isEmpty }
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t" || scalar == "\u{A0}"
  }

  /// The one enrolment code or payload of a text; nil where there is none, or more than one.
  public static func enrolment(in text: String) -> String? {
    let words = words(of: text)
    if words.count == 1 { return words[0] }
    return payload(in: lines(of: text)) ?? code(among: words) { EnrolmentCode(typed: $0)?.text }
  }

  /// The one unlock payload, or the characters of the one unlock code, of a text; nil where there is none, or more than one.
  ///
  /// - Parameter names: names of the account, which are no part of a code, though they may be spelt with its characters.
  public static func unlock(in text: String, beside names: [String]) -> String? {
    let marks: Set<Character> = [":", ",", ";", "<", ">", "(", ")", "\""]
    let names = Set(names.map { $0.lowercased() })
    let words = words(of: text).filter { word in !names.contains(word.lowercased().filter { !marks.contains($0) }) }
    if words.count == 1 { return words[0] }
    return payload(in: lines(of: text)) ?? code(among: words) { UnlockCode(typed: $0, near: anyTime) == nil ? nil : $0 }
  }

  /// A payload: the only word that looks like one, and the rows into which a mail program has broken it.
  private static func payload(in lines: [[String]]) -> String? {
    let words = lines.flatMap(\.self)
    guard words.count(where: looksLikePayload) == 1,
      let line = lines.firstIndex(where: { $0.contains(where: looksLikePayload) }),
      var payload = lines[line].first(where: looksLikePayload)
    else { return nil }
    var rows = 1
    for next in lines[(line + 1)...] where lines[line].last == payload || rows > 1 {
      guard !isWhole(payload), next.count == 1, next[0].utf8.allSatisfy(isOfPayload) else { break }
      payload += next[0]
      rows += 1
    }
    return words.count - rows <= mostOthers ? payload : nil
  }

  /// Whether nothing is missing at its end: base64url of an object, or a token of three parts.
  private static func isWhole(_ payload: String) -> Bool {
    if payload.utf8.contains(UInt8(ascii: ".")) { return payload.utf8.count { $0 == UInt8(ascii: ".") } == 2 }
    return (try? Base64URL.decode(payload, maximumCount: mostBytes))?.last == UInt8(ascii: "}")
  }

  private static func looksLikePayload(_ word: String) -> Bool { word.hasPrefix("eyJ") && word.utf8.count > 20 }

  private static func isOfPayload(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// The only run of words that reads as a code; the words around it may be none.
  private static func code(among words: [String], read: (String) -> String?) -> String? {
    // A code is one word, or its groups of at least four characters are a word each.
    guard words.count <= 6 + mostOthers else { return nil }
    if let whole = read(words.joined()) { return whole }
    var found: [String] = []
    for begin in words.indices {
      for end in begin..<words.endIndex where words.count - (end - begin + 1) <= mostOthers {
        if let code = read(words[begin...end].joined()), !found.contains(code) { found.append(code) }
      }
    }
    return found.count == 1 ? found[0] : nil
  }
}
