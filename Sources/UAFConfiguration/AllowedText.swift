import Authenticator
import FidoResults

/// The forms of texts that several keys share.
enum AllowedText {
  static let absolutePathWords = "an absolute path"

  /// A path from the root, without `.`, `..` and control characters.
  static func absolutePath(_ text: String) -> String? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard text.hasPrefix("/"), text.utf8.count < 4096, text != "/", isPrintable(text) else { return nil }
    guard !parts.contains("."), !parts.contains(".."), !parts.dropLast().contains("") else { return nil }
    return text
  }

  static let messageWords = "a text of 1 to 200 characters on one line"

  /// The administrator's text for the person.
  static func message(_ text: String) -> String? {
    (1...200).contains(text.unicodeScalars.count) && isPrintable(text) ? text : nil
  }

  static let messagesWords =
    "a text of 1 to 200 characters on one line, or one for each language: { en = \"...\", ko = \"...\" }"

  /// A message for everybody, or a table of them by language.
  static func messages(_ value: TOMLNode.Value) -> AdministratorText? {
    if case .string(let text) = value { return message(text).map { AdministratorText($0) } }
    return byLanguage(value).flatMap { AdministratorText($0) }
  }

  /// A table of messages by language, and of nothing else.
  static func byLanguage(_ value: TOMLNode.Value) -> [Language: String]? {
    guard case .table(let table) = value else { return nil }
    var texts: [Language: String] = [:]
    for key in table.keys {
      guard let language = Language(rawValue: key), case .string(let text)? = table[key]?.value,
        let message = message(text)
      else { return nil }
      texts[language] = message
    }
    return texts
  }

  static let characterWords = "one character"

  /// One visible character.
  static func character(_ text: String) -> Character? {
    guard text.count == 1, text.unicodeScalars.count <= 4, isPrintable(text), text != " " else { return nil }
    return text.first
  }

  static let colorWords = "a color's name or #rrggbb"

  /// One of the eight names of terminals, or six hexadecimal digits.
  static func color(_ text: String) -> String? {
    let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "default"]
    let isHex = text.utf8.count == 7 && text.hasPrefix("#") && text.utf8.dropFirst().allSatisfy(isHexDigit)
    return names.contains(text) || isHex ? text : nil
  }

  static let authenticatorWords =
    "one of \(ConfiguredAuthenticator.namesForPeople), or an AAID ("
    + AuthenticatorType.allCases.map { "\($0.rawValue): \($0.aaid)" }.joined(separator: ", ") + ")"

  /// The name or the AAID of a known type.
  static func authenticator(_ text: String) -> String? { ConfiguredAuthenticator(nameOrAAID: text).map { _ in text } }

  static let authenticatorArgumentWords =
    "one of \(ConfiguredAuthenticator.namesForPeople), or an AAID without its \"#\", where a line of a PAM file ends ("
    + AuthenticatorType.allCases.map { "\($0.rawValue): \(withoutNumberSign($0.aaid))" }.joined(separator: ", ") + ")"

  /// The name or the AAID of a known type, the AAID with or without its "#".
  ///
  /// libpam takes every "#" for the beginning of a comment.
  static func authenticatorArgument(_ text: String) -> String? {
    let meant = AuthenticatorType.allCases.first { withoutNumberSign($0.aaid) == text.uppercased() }
    return authenticator(meant?.aaid ?? text)
  }

  private static func withoutNumberSign(_ aaid: String) -> String { aaid.filter { $0 != "#" } }

  static let environmentWords = "an environment variable's name in capitals, or empty"

  /// A variable that no program loader, shell or library reads; empty for none.
  static func environmentName(_ text: String) -> String? {
    let bytes = text.utf8
    guard let first = bytes.first else { return "" }
    let isName = bytes.allSatisfy {
      (0x41...0x5a).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
    }
    guard isName, !(0x30...0x39).contains(first), bytes.count <= 64 else { return nil }
    let steering = ["LD_", "GLIBC_", "MALLOC_", "LC_", "SSL_", "OPENSSL_", "PYTHON", "PERL", "BASH", "SUDO_", "XDG_"]
    let names = [
      "PATH", "HOME", "SHELL", "USER", "LOGNAME", "IFS", "ENV", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM", "MAIL",
    ]
    return names.contains(text) || steering.contains(where: text.hasPrefix) ? nil : text
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
  }

  static func isPrintable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) }
  }
}
