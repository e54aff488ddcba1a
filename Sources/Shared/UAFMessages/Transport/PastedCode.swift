/// Codes and payloads as people pass them on: typed on a different keyboard, quoted by a mail program, or in the middle of a
/// letter.
///
/// Only the form is cleaned. Text around a code is dropped only if the text contains exactly one code, and a code that
/// is wrong stays wrong. A text in which nothing is recognised stays unchanged for the server to judge: a different server's
/// code may look like anything.
public enum PastedCode {
  /// What was found in a text.
  public enum Found: Equatable, Sendable {
    /// The only code or payload, or the only word of the text.
    case code(String)
    /// Nothing that reads as one.
    case nothing
    /// More than one that could be meant.
    case several

    /// The only code.
    public var code: String? {
      if case .code(let code) = self { code } else { nil }
    }
  }

  /// The most other words, such as the account's name, beside a code that is written as several words.
  private static let mostOthers = 3
  private static let mostBytes = 32_768
  /// A time far enough from 1970 for any minute of a code: only the code's form matters here.
  private static let anyTime: Int64 = 60 * 3 << 23

  /// The words of a text without a mail program's quotation signs and without invisible characters.
  public static func words(of text: String) -> [String] { lines(of: tidied(text)).flatMap(\.self) }

  /// The only enrolment code or payload in a text.
  ///
  /// - Parameter keepsOthers: whether 16 characters in a row are returned as they were written, instead of in four groups. They
  ///   may be a different server's code: of all such texts, one in 32 passes the check.
  public static func enrolment(in text: String, keepsOthers: Bool = false) -> Found {
    let lines = lines(of: tidied(text))
    let payloads = payloads(in: lines)
    let ofPayloads = payloads.compactMap { (try? EnrolmentPayload(encoded: $0))?.code?.text }
    // The server prints the code alone below the payload that contains it.
    let codes = codes(in: lines, groups: 4, of: [4, 5], isChecked: true) { EnrolmentCode(typed: $0)?.text }
      .filter { !ofPayloads.contains($0.read) }
      .map { keepsOthers && !EnrolmentCode.isEvident($0.spaced) ? $0.written : $0.read }
    return only(of: payloads + codes, in: lines)
  }

  /// The only unlock payload, or the characters of the only unlock code, in a text.
  ///
  /// - Parameter names: names of the account, which are not part of a code, though they may be spelt with its characters.
  public static func unlock(in text: String, beside names: [String]) -> Found {
    let names = Set(names.map { $0.lowercased() })
    let lines = lines(of: tidied(text)).map { $0.filter { !names.contains(trimmed($0).lowercased()) } }
    let codes = codes(in: lines.filter { !$0.isEmpty }, groups: 6, of: [4], isChecked: false) {
      UnlockCode(typed: $0, near: anyTime)?.text
    }
    return only(of: payloads(in: lines) + codes.map(\.written), in: lines)
  }

  /// Whether a word has the form of an unlock code, of whatever time.
  public static func isUnlockCode(_ word: String) -> Bool { UnlockCode(typed: word, near: anyTime) != nil }

  /// The purpose of the only code or payload in a text, wherever it is; nil if none is recognised, or if several kinds are.
  ///
  /// Only whole words and whole groups of a line count: a run of any words can too easily look like an unlock code.
  public static func kind(in text: String) -> CodeKind? {
    let lines = lines(of: tidied(text))
    let payloads = Set(payloads(in: lines).compactMap { CodeKind($0) })
    // A payload comes first: a letter with a payload may also show the code in it separately.
    guard payloads.isEmpty else { return payloads.count == 1 ? payloads.first : nil }
    var kinds: Set<CodeKind> = []
    for line in lines {
      let words = line.map(trimmed).filter { !$0.isEmpty }
      kinds.formUnion((words + line.flatMap(parts)).compactMap { CodeKind($0) })
      for (groups, size) in [(4, 4), (4, 5), (6, 4), (10, 5)] where words.count >= groups {
        for begin in 0...(words.count - groups) {
          let run = words[begin..<(begin + groups)]
          guard run.allSatisfy({ $0.utf8.count == size }), let kind = CodeKind(run.joined(separator: "-")) else {
            continue
          }
          if kind != .enrolmentCode || isWhole(run, in: words) { kinds.insert(kind) }
        }
      }
    }
    return kinds.count == 1 ? kinds.first : nil
  }

  /// Whether a line is a code or a payload and nothing else, so that the next line is not part of it.
  ///
  /// Any word with the characters of a code counts, such as a code with a typing error. An incomplete payload does not count:
  /// it may continue in the next line. A line that a mail program has quoted does not count either: it belongs to a letter.
  public static func standsAlone(in line: String) -> Bool {
    guard let first = tidied(line).unicodeScalars.first(where: { $0 != " " }), first != ">", first != "|" else {
      return false
    }
    let words = words(of: line)
    let code = words.joined()
    if EnrolmentCode(typed: code) != nil || isUnlockCode(code) { return true }
    guard words.count == 1 else { return false }
    // A greeting is not taken for a code: it ends with a comma or an exclamation mark, which no code contains.
    return code.hasPrefix("eyJ") ? isWhole(code) : code.utf8.allSatisfy(isOfPayload)
  }

  /// - Parameter lines: the lines whose only word is used if nothing was found.
  private static func only(of found: [String], in lines: [[String]]) -> Found {
    guard found.isEmpty else { return found.count == 1 ? .code(found[0]) : .several }
    let words = lines.flatMap(\.self)
    return words.count == 1 ? .code(words[0]) : .nothing
  }

  // MARK: The form

  /// The text with ASCII for the full-width characters and the hyphens of other keyboards, one kind of space and of line end,
  /// and without invisible characters: byte order marks, soft hyphens, marks of direction and of zero width.
  static func tidied(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x0A...0x0D, 0x85, 0x2028, 0x2029: scalars.append("\n")
      case 0x09: scalars.append(" ")
      case 0x2010...0x2015, 0x2043, 0x2212, 0xFE58, 0xFE63: scalars.append("-")
      case 0xFF01...0xFF5E: if let narrow = Unicode.Scalar(scalar.value - 0xFEE0) { scalars.append(narrow) }
      // Variation selectors, which choose how the character before them looks.
      case 0xFE00...0xFE0F: break
      default:
        switch scalar.properties.generalCategory {
        case .format: break
        case .spaceSeparator: scalars.append(" ")
        default: scalars.append(scalar)
        }
      }
    }
    return String(scalars)
  }

  /// The words of each line that has any.
  ///
  /// - Parameter text: tidied.
  private static func lines(of text: String) -> [[String]] {
    let lines = text.unicodeScalars.split(separator: "\n").map { line in
      // No code begins with one of these.
      line.drop { $0 == " " || $0 == ">" || $0 == "|" }.split(separator: " ").map { String($0) }
    }
    return lines.filter { !$0.isEmpty }
  }

  /// A word without the quotes, brackets, emphasis and sentence punctuation around it.
  private static func trimmed(_ word: String) -> String {
    let scalars = Array(word.unicodeScalars)
    guard let first = scalars.firstIndex(where: { !isAround($0) }),
      let last = scalars.lastIndex(where: { !isAround($0) })
    else { return "" }
    return String(String.UnicodeScalarView(scalars[first...last]))
  }

  private static func isAround(_ scalar: Unicode.Scalar) -> Bool {
    if "\"'`´<>*_~|=.,;:!?-。、".unicodeScalars.contains(scalar) { return true }
    return switch scalar.properties.generalCategory {
    case .initialPunctuation, .finalPunctuation, .openPunctuation, .closePunctuation: true
    default: false
    }
  }

  // MARK: Payloads

  /// The payloads, each once: a text that looks like the beginning of one, with the rows into which a mail program has broken it.
  private static func payloads(in lines: [[String]]) -> [String] {
    var found: [String] = []
    var index = 0
    while index < lines.count {
      let line = lines[index]
      index += 1
      for (position, word) in line.enumerated() {
        guard var (payload, isOpen) = beginning(in: word) else { continue }
        isOpen = isOpen && position == line.count - 1
        while isOpen, !isWhole(withoutEnd(payload)), index < lines.count, lines[index].count == 1,
          let row = row(lines[index][0])
        {
          payload += row.text
          isOpen = row.isOpen
          index += 1
        }
        let whole = withoutEnd(payload)
        if isWhole(whole) { payload = whole }
        if !found.contains(payload) { found.append(payload) }
      }
    }
    return found
  }

  /// A payload's beginning in a word, and whether it may continue in the next line because nothing closes it here.
  private static func beginning(in word: String) -> (text: String, isOpen: Bool)? {
    // A name before `=` is dropped if a payload is its value; a payload that ends with `=` is not valid, and stays invalid.
    let word = word.firstRange(of: "=eyJ").map { word[$0.lowerBound...].dropFirst() } ?? word[...]
    let parts = word.utf8.split(omittingEmptySubsequences: false) { !isOfPayload($0) && $0 != UInt8(ascii: "=") }
    for (index, part) in parts.enumerated() {
      guard let text = String(part.drop { $0 == UInt8(ascii: "_") }) else { continue }
      if text.hasPrefix("eyJ"), text.utf8.count > 20 { return (text, index == parts.count - 1) }
    }
    return nil
  }

  /// A further row of a payload, and whether the payload continues after it.
  private static func row(_ word: String) -> (text: String, isOpen: Bool)? {
    let text = word.utf8.prefix(while: isOfPayload)
    let rest = word.unicodeScalars.dropFirst(text.count)
    guard !text.isEmpty, rest.allSatisfy(isAround) else { return nil }
    return (String(decoding: text, as: UTF8.self), rest.isEmpty)
  }

  /// A payload without punctuation or emphasis at its end.
  private static func withoutEnd(_ payload: String) -> String {
    var payload = payload
    while let last = payload.last, last == "." || last == "_" { payload.removeLast() }
    return payload
  }

  /// Whether a payload is complete: base64url of an object, or a token of three parts.
  private static func isWhole(_ payload: String) -> Bool {
    let parts = payload.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 1 else { return decoded(parts[0]).last == UInt8(ascii: "}") }
    guard parts.count == 3 else { return false }
    // A signature of our server has 64 bytes.
    let isOurs = String(decoding: decoded(parts[0]), as: UTF8.self).contains("\"ES256\"")
    return !parts[2].isEmpty && (!isOurs || decoded(parts[2]).count == 64)
  }

  private static func decoded(_ part: Substring) -> [UInt8] {
    (try? Base64URL.decode(String(part), maximumCount: mostBytes)) ?? []
  }

  private static func isOfPayload(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  // MARK: Codes

  /// A code as it was written, without and with the spaces between its words, and in its canonical form.
  private typealias Code = (written: String, spaced: String, read: String)

  /// The codes, each once.
  ///
  /// In a text of few words, a code may be any run of them. In a letter, it is one word, or its groups are the words of a line: a
  /// run of any words could too easily look like a code, above all one without check characters.
  ///
  /// - Parameter isChecked: whether it is a code with a check, so that the words beside it tell something about it.
  private static func codes(
    in lines: [[String]], groups: Int, of sizes: [Int], isChecked: Bool, read: (String) -> String?
  ) -> [Code] {
    var found: [Code] = []
    func note(_ words: some Collection<String>) {
      let written: String = words.joined()
      guard let code = read(written), !found.contains(where: { $0.read == code }) else { return }
      found.append((written, words.joined(separator: " "), code))
    }
    let words = lines.map { $0.map(trimmed).filter { !$0.isEmpty } }
    let all = words.flatMap(\.self)
    let isShort = all.count <= 6 + mostOthers
    if isShort {
      note(all)
      guard found.isEmpty else { return found }
      for begin in all.indices {
        for end in begin..<all.endIndex where all.count - (end - begin + 1) <= mostOthers {
          if !isChecked || isWhole(all[begin...end], in: all) { note(all[begin...end]) }
        }
      }
    }
    for part in lines.flatMap({ $0.flatMap(parts) }) where isShort || looksMade(part) { note([part]) }
    for line in words where line.count >= groups {
      for begin in 0...(line.count - groups) {
        let run = line[begin..<(begin + groups)]
        let hasForm = sizes.contains { size in run.allSatisfy { $0.utf8.count == size } }
        if hasForm, looksMade(run.joined()), !isChecked || isWhole(run, in: line) { note(run) }
      }
    }
    return found
  }

  /// Whether no word beside a run of words looks like a further group of the same code.
  ///
  /// Without this rule, the account's name and three of the four groups could be taken for the code: one in 32 of such runs
  /// passes the check.
  private static func isWhole(_ run: ArraySlice<String>, in words: [String]) -> Bool {
    guard run.count > 1 else { return true }
    let isCapital = run.contains { $0.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } }
    let beside = [run.startIndex - 1, run.endIndex].filter(words.indices.contains).map { words[$0] }
    return !beside.contains { word in
      let isSmall = word.utf8.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
      let hasDigit = word.utf8.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      let isShort = word.utf8.count <= 6 && word.utf8.allSatisfy { $0 < 0x80 }
      return isShort && (hasDigit || isSmall != isCapital)
    }
  }

  /// The parts of a word that may be a code, such as the end of an address or of `code:`.
  private static func parts(of word: String) -> [String] {
    word.unicodeScalars.split { $0 != "-" && $0 != "_" && isAround($0) }.map { trimmed(String($0)) }
  }

  /// Whether a text is unlikely to be an ordinary word.
  private static func looksMade(_ text: String) -> Bool {
    text.utf8.contains { $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}

/// The purpose of a code or a payload, as far as its form shows it.
///
/// A person who gets several of them in one letter can easily give the wrong one to a command.
public enum CodeKind: CaseIterable, Sendable {
  /// The 16 characters with which a person registers.
  case enrolmentCode
  /// The line that contains such a code.
  case enrolmentPayload
  /// The line that asks a person to approve something.
  case approval
  /// The line with which machines join a server.
  case machinePayload
  /// The 24 characters that end locks.
  case unlockCode
  /// The signed line that ends locks.
  case unlockPayload
  /// The words that open a device key without the chip that has sealed it.
  case recoveryKey

  /// The kind of one code or payload; nil for anything that is not recognised, such as a code of a different server.
  ///
  /// The end of a payload may be missing: its beginning shows its kind.
  public init?(_ text: String) {
    // This comes first: a short payload may have the characters of a code.
    if text.hasPrefix("eyJ") {
      guard let kind = Self.payload(text) else { return nil }
      self = kind
    } else if EnrolmentCode(typed: text) != nil {
      self = .enrolmentCode
    } else if PastedCode.isUnlockCode(text) {
      self = .unlockCode
    } else if Self.isRecoveryKey(text) {
      self = .recoveryKey
    } else {
      return nil
    }
  }

  private static func payload(_ text: String) -> CodeKind? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let said = beginning(parts[0])
    guard parts.count == 1 else {
      return said.contains("\"typ\":\"\(UnlockStatement.tokenType)\"") ? .unlockPayload : nil
    }
    guard let name = said.firstRange(of: "\"op\":\"") else { return nil }
    let kinds: [(name: String, kind: CodeKind)] = [
      (UAFOperation.registration.rawValue, .enrolmentPayload), (UAFOperation.authentication.rawValue, .approval),
      (MachinePayload.operation, .machinePayload),
    ]
    return kinds.first { said[name.upperBound...].hasPrefix($0.name + "\"") }?.kind
  }

  /// The decoded beginning of base64url text, without its spaces.
  private static func beginning(_ text: Substring) -> String {
    let head = text.prefix(512)
    // A cut text may have any length: only whole groups of four can be decoded.
    let bytes =
      [head, head.prefix(head.count - head.count % 4)].lazy
      .compactMap { try? Base64URL.decode(String($0), maximumCount: 384) }.first ?? []
    return String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
  }

  /// Ten words of five letters, in which consonants and vowels alternate.
  private static func isRecoveryKey(_ text: String) -> Bool {
    let words = text.lowercased().utf8.split { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: " ") }
    return words.count == 10
      && words.allSatisfy { word in
        word.count == 5
          && word.enumerated().allSatisfy { index, letter in
            (index % 2 == 0 ? "bdfghjklmnprstvz" : "aiou").utf8.contains(letter)
          }
      }
  }
}
