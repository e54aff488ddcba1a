/// An enrolment code of this project's server, which never leaves the machine where it is typed (PROTOCOL.md, "Enrolment code").
///
/// 20 characters of Crockford's base32 in four groups: 17 with 85 random bits, and three by which a typing error is noticed
/// before anybody is asked. Both ends derive a key from it and authenticate with that. Only HMAC-SHA-256
/// values made with this key are sent, and 85 bits cannot be guessed from one.
public struct EnrolmentCode: Equatable, Sendable {
  /// How many random bytes a new code takes.
  public static let randomByteCount = 11
  /// The length of the key that is derived of it, in bytes.
  public static let keyByteCount = 32

  private static let randomCharacters = 17
  private static let checkCharacters = 3

  /// 20 characters of the alphabet, without those between the groups.
  private let characters: [UInt8]

  /// Makes a code.
  ///
  /// - Parameter random: 11 random bytes, of which 85 bits are used.
  /// - Returns: nil for fewer bytes.
  public init?(random: [UInt8]) {
    guard random.count >= Self.randomByteCount else { return nil }
    let values = CrockfordBase32.values(of: random).prefix(Self.randomCharacters)
    characters = CrockfordBase32.characters(values + Self.check(of: values))
  }

  /// Reads what a person has typed: small letters, spaces and hyphens as they like, `O` for 0, `I` and `L` for 1.
  ///
  /// - Returns: nil where up to three characters are wrong, two stand in each other's place, or it is no such code at all.
  public init?(typed text: String) {
    guard
      let values = CrockfordBase32.values(typed: text, count: Self.randomCharacters + Self.checkCharacters),
      Self.check(of: values.prefix(Self.randomCharacters)) == Array(values.suffix(Self.checkCharacters))
    else { return nil }
    characters = CrockfordBase32.characters(values)
  }

  /// Whether a text has about as many characters as a code, and hardly another one than those of codes.
  static func mayBeMistyped(_ text: String) -> Bool {
    let (characters, others) = CrockfordBase32.counts(typed: text)
    let count = randomCharacters + checkCharacters
    return (count - 2...count + 2).contains(characters + others) && others <= 2
  }

  /// The characters, in groups of five.
  public var text: String { CrockfordBase32.grouped(characters, by: 5) }

  /// What the key is derived of, by HKDF-SHA-256 without a salt.
  public var keyMaterial: [UInt8] { characters }

  /// What that derivation is told: a key is good for one account.
  public static func keyInfo(username: String) -> [UInt8] {
    Array("pam-uaf enrolment code".utf8) + [0] + username.utf8
  }

  // MARK: What is authenticated with the key

  /// That somebody has the code who asks for a registration.
  public static func registrationStatement(username: String) -> [UInt8] {
    Array("pam-uaf enrolment request".utf8) + [0] + username.utf8
  }

  /// That somebody has the code who removes keys: which machine's, which model's, and which.
  public static func removalStatement(_ context: RequestContext) -> [UInt8] {
    Array("pam-uaf enrolment removal".utf8) + [0] + context.removalStatement
  }

  /// That somebody has the code who registers keys.
  public static func keysStatement(_ keys: NewKeysStatement) -> [UInt8] {
    Array("pam-uaf enrolment keys".utf8) + [0] + keys.bytes
  }

  // MARK: The check

  /// The check characters: those of a Reed-Solomon code over the field of 32 elements.
  ///
  /// It notices any three wrong characters, and any two that have changed places.
  private static func check(of values: some Sequence<UInt8>) -> [UInt8] {
    var rest: [UInt8] = [0, 0, 0]
    for value in values {
      let factor = value ^ rest[0]
      rest = [
        rest[1] ^ product(factor, generator[0]), rest[2] ^ product(factor, generator[1]), product(factor, generator[2]),
      ]
    }
    return rest
  }

  /// The polynomial with the roots α, α² and α³, without its highest coefficient, which is 1.
  private static let generator: [UInt8] = [14, 29, 10]

  /// The product in the field that x⁵ + x² + 1 makes.
  private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var (sum, shifted): (UInt8, UInt8) = (0, left)
    for bit in 0..<5 {
      if right >> bit & 1 == 1 { sum ^= shifted }
      shifted <<= 1
      if shifted & 0x20 != 0 { shifted ^= 0x25 }
    }
    return sum
  }
}

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
