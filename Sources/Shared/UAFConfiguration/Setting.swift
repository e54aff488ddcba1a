// Purpose: one row of the table of keys: name, type, range. A section's rows are its whole grammar; a key without a row is
// refused.

import AuthenticatorTypes
import FidoResults

/// A key of a section, and how its value is stored.
struct Setting<Section> {
  let name: String
  let store: (TOMLNode.Value, inout Section) throws(SettingProblem) -> Void

  /// `true` or `false`.
  static func boolean(_ name: String, _ path: WritableKeyPath<Section, Bool>) -> Setting {
    Setting(name: name) { value, section throws(SettingProblem) in section[keyPath: path] = try Self.boolean(value) }
  }

  /// `true` or `false`, for a key whose absence has a separate meaning.
  static func boolean(_ name: String, _ path: WritableKeyPath<Section, Bool?>) -> Setting {
    Setting(name: name) { value, section throws(SettingProblem) in section[keyPath: path] = try Self.boolean(value) }
  }

  /// A whole number in a range.
  static func integer(
    _ name: String, _ path: WritableKeyPath<Section, Int>, _ range: ClosedRange<Int>
  ) -> Setting {
    Setting(name: name) { value, section throws(SettingProblem) in
      section[keyPath: path] = try Self.integer(value, range)
    }
  }

  /// A whole number in a range, for a key whose absence has a separate meaning.
  static func integer(
    _ name: String, _ path: WritableKeyPath<Section, Int?>, _ range: ClosedRange<Int>
  ) -> Setting {
    Setting(name: name) { value, section throws(SettingProblem) in
      section[keyPath: path] = try Self.integer(value, range)
    }
  }

  /// Whole seconds in a range.
  static func seconds(
    _ name: String, _ path: WritableKeyPath<Section, Duration>, _ range: ClosedRange<Int>
  ) -> Setting {
    Setting(name: name) { value, section throws(SettingProblem) in
      section[keyPath: path] = .seconds(try Self.integer(value, range))
    }
  }

  /// One of the names of an enumeration.
  static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ path: WritableKeyPath<Section, Choice>
  ) -> Setting {
    Setting(name: name) { value, section throws(SettingProblem) in section[keyPath: path] = try Self.choice(value) }
  }

  /// A text that `parse` understands; `allowed` says what that is.
  static func text<Parsed>(
    _ name: String, _ path: WritableKeyPath<Section, Parsed>, allowed: SettingForm,
    _ parse: @escaping (String) -> Parsed?
  ) -> Setting {
    Setting(name: name) { value, section throws(SettingProblem) in
      guard let parsed = parse(try Self.text(value)) else { throw SettingProblem.form(allowed) }
      section[keyPath: path] = parsed
    }
  }

  /// A list of 1 to 16 texts that `parse` understands, none of them twice; `allowed` says what the list is.
  static func texts<Parsed: Equatable>(
    _ name: String, _ path: WritableKeyPath<Section, [Parsed]>, allowed: SettingForm,
    _ parse: @escaping (String) -> Parsed?
  ) -> Setting {
    Setting(name: name) { value, section throws(SettingProblem) in
      let refusal = SettingProblem.form(allowed)
      guard case .array(let nodes) = value, (1...16).contains(nodes.count) else { throw refusal }
      var elements: [Parsed] = []
      for node in nodes {
        guard let parsed = parse(try Self.text(node.value)), !elements.contains(parsed) else { throw refusal }
        elements.append(parsed)
      }
      section[keyPath: path] = elements
    }
  }

  // MARK: Types

  static func boolean(_ value: TOMLNode.Value) throws(SettingProblem) -> Bool {
    guard case .boolean(let boolean) = value else { throw .form(.boolean) }
    return boolean
  }

  static func integer(_ value: TOMLNode.Value, _ range: ClosedRange<Int>) throws(SettingProblem) -> Int {
    guard case .integer(let number) = value, let exact = Int(exactly: number), range.contains(exact) else {
      throw .form(.integer(range))
    }
    return exact
  }

  static func text(_ value: TOMLNode.Value) throws(SettingProblem) -> String {
    guard case .string(let text) = value else { throw .form(.text) }
    guard text.utf8.count <= 4096 else { throw .form(.bytes(limit: 4096)) }
    return text
  }

  static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ value: TOMLNode.Value
  ) throws(SettingProblem) -> Choice {
    guard case .string(let text) = value, let choice = Choice(rawValue: text) else {
      throw .form(.choice(Choice.allCases.map(\.rawValue)))
    }
    return choice
  }
}

/// The forms of texts that several keys share.
enum AllowedText {
  /// A path from the root, without `.`, `..` and control characters.
  static func absolutePath(_ text: String) -> String? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard text.hasPrefix("/"), text.utf8.count < 4096, text != "/", isPrintable(text) else { return nil }
    guard !parts.contains("."), !parts.contains(".."), !parts.dropLast().contains("") else { return nil }
    return text
  }

  /// The name of a PAM service.
  static func serviceName(_ text: String) -> String? {
    let isName = (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    return isName && !text.contains("/") ? text : nil
  }

  /// The name of a service of the system bus in the form that fprintd has, from which the names of its interfaces follow.
  ///
  /// So its parts have only what the name of an interface may have. The bus's own names and fprintd's are refused: nobody's
  /// finger is a face.
  static func sensorService(_ text: String) -> String? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isName = parts.allSatisfy { part in
      part.first.map { !(0x30...0x39).contains($0) } == true && part.allSatisfy(isPartOfName)
    }
    guard isName, parts.count >= 2, text.utf8.count <= 128, !text.hasPrefix("org.freedesktop.DBus"),
      text != "net.reactivated.Fprint"
    else { return nil }
    return text
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
  }

  /// The administrator's text for the person.
  static func message(_ text: String) -> String? {
    (1...200).contains(text.unicodeScalars.count) && isPrintable(text) ? text : nil
  }

  /// A message for everybody, or a table of them by language.
  static func messages(_ value: TOMLNode.Value) -> AdministratorText? {
    if case .string(let text) = value { return message(text).map { AdministratorText($0) } }
    return byLanguage(value).flatMap { AdministratorText($0) }
  }

  /// A table of messages by language, with no other keys.
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

  /// One visible character.
  static func character(_ text: String) -> Character? {
    guard text.count == 1, text.unicodeScalars.count <= 4, isPrintable(text), text != " " else { return nil }
    return text.first
  }

  /// One of the eight names of terminals, or six hexadecimal digits.
  static func color(_ text: String) -> String? {
    let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "default"]
    let isHex = text.utf8.count == 7 && text.hasPrefix("#") && text.utf8.dropFirst().allSatisfy(isHexDigit)
    return names.contains(text) || isHex ? text : nil
  }

  /// The name or the AAID of a known type.
  static func authenticator(_ text: String) -> String? { AuthenticatorType(nameOrAAID: text).map { _ in text } }

  /// The name or the AAID of a known type, the AAID with or without its "#".
  ///
  /// libpam treats every "#" as the beginning of a comment.
  static func authenticatorArgument(_ text: String) -> String? {
    let meant = AuthenticatorType.allCases.first { $0.aaid.filter { $0 != "#" } == text.uppercased() }
    return authenticator(meant?.aaid ?? text)
  }

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
