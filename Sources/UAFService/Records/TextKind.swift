import UAFMessages

/// Who wrote a text that a person confirms: its first words say so.
///
/// The server writes these words itself, or refuses the text. So no text passes for one of another kind, whatever its writer put
/// after them.
package enum TextKind: String, CaseIterable, Sendable {
  /// Somebody asks to sign in to the console.
  case signIn = "console-sign-in"
  /// Somebody who has signed in to the console wants to do something.
  case step = "console-step"
  /// Somebody who administers this server asks the person.
  case approval
  /// A program on a machine asks its person: `ACCOUNT@HOST: ` stands first, as the machine's core writes it.
  case machine

  /// The words that the server puts first; nil for a text that comes from a machine.
  private var opening: String? {
    switch self {
    case .signIn: "Console sign-in: "
    case .step: "Console: "
    case .approval: "Asked of "
    case .machine: nil
    }
  }

  /// Reads the kind of a text in the form of ``TransactionText``; nil for a text whose first words name none.
  package init?(of shown: String) {
    let found = Self.allCases.first { kind in kind.opening.map { shown.utf8.starts(with: $0.utf8) } ?? false }
    guard let kind = found ?? (Self.namesMachine(shown) ? .machine : nil) else { return nil }
    self = kind
  }

  /// Whether the first word is `ACCOUNT@HOST:`; no opening of the server has an `@` there, nor any letter that looks like one.
  private static func namesMachine(_ shown: String) -> Bool {
    let word = shown.utf8.prefix { $0 != UInt8(ascii: " ") }
    let account = word.prefix { $0 != UInt8(ascii: "@") }
    return !account.isEmpty && account.count < word.count && word.last == UInt8(ascii: ":")
      && word.count < shown.utf8.count
  }

  // MARK: Written by the server

  /// The text of a sign-in, at most 192 bytes.
  ///
  /// Of a longer host and name the beginnings stand in it: a text has to be short enough to be shown whole.
  static func signIn(host: String, username: String, number: String) -> String {
    let (host, name) = (shown(host, limit: 60), shown(username, limit: 80))
    return (signIn.opening ?? "") + "uaf-server at \(host) as \(name), code \(number)"
  }

  /// The text of a step of the console.
  ///
  /// - Parameter words: what is done, with names as they are.
  /// - Returns: nil if it is too long to be shown and signed whole.
  package static func step(_ words: String) -> String? {
    TransactionText(bytes: Array(words.utf8), in: .utf8).flatMap { made(.step, $0.shown) }
  }

  /// The text of an approval.
  ///
  /// - Parameters:
  ///   - words: of whoever asks, which may be anything; what cannot be shown is escaped, if it is not yet.
  ///   - username: who is asked.
  ///   - asker: who asks, and as what.
  /// - Returns: nil without words, and if the text is too long to be shown and signed whole.
  package static func approval(_ words: String, of username: String, by asker: String) -> String? {
    guard let words = TransactionText(sent: words)?.shown else { return nil }
    return made(.approval, "\(shown(username, limit: 40)) by \(shown(asker, limit: 60)): \(words)")
  }

  /// - Parameter rest: in the form of ``TransactionText``.
  private static func made(_ kind: TextKind, _ rest: String) -> String? {
    let text = (kind.opening ?? "") + rest
    return text.utf8.count <= TransactionText.maximumSigned ? text : nil
  }

  /// A name as it is shown; of one that takes more than so many bytes the beginning, and dots.
  private static func shown(_ name: String, limit: Int) -> String {
    var shown = ""
    for scalar in name.unicodeScalars {
      let next = TransactionText(bytes: Array(String(scalar).utf8))?.shown ?? ""
      guard shown.utf8.count + next.utf8.count <= limit else { return shown + "..." }
      shown += next
    }
    return shown
  }
}
