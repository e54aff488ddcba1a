import UAFCrypto
import UAFMessages

/// The confirmed texts: written once and never changed.
///
/// They stay when the key that signed is deleted.
package protocol ConfirmedTexts {
  /// Adds a text under the next number; the number in `text` is not used.
  func add(_ text: ConfirmedText) throws

  /// Passes each text to a body, oldest first, without keeping all of them in memory.
  ///
  /// - Parameter username: nil for every account.
  func forEach(of username: String?, _ body: (ConfirmedText) throws -> Void) throws

  /// The text with a number; nil if there is none.
  func confirmation(_ number: Int64) throws -> ConfirmedText?
}

/// A text that somebody confirmed, with everything that proves it.
package struct ConfirmedText: Equatable, Sendable {
  package var id: Int64 = 0
  package let username: String
  /// Seconds since 1970.
  package let confirmedAt: Int64
  /// The whole text, as it was shown.
  package let shown: String
  /// The final challenge parameters, byte for byte as they were sent.
  package let fcParams: String
  package let assertion: [UInt8]
  /// The key that signed, in the form of ``StoredKey``.
  package let publicKey: [UInt8]
  package let signatureAlgorithm: UInt16

  package init(
    id: Int64 = 0, username: String, confirmedAt: Int64, shown: String, fcParams: String, assertion: [UInt8],
    publicKey: [UInt8], signatureAlgorithm: UInt16
  ) {
    self.id = id
    self.username = username
    self.confirmedAt = confirmedAt
    self.shown = shown
    self.fcParams = fcParams
    self.assertion = assertion
    self.publicKey = publicKey
    self.signatureAlgorithm = signatureAlgorithm
  }
}

/// Who wrote a text that a person confirms: the first words of the text say so.
///
/// The server writes these words itself, or refuses the text. So no author can make a text look like a text of a different
/// kind.
package enum TextKind: String, CaseIterable, Sendable {
  /// Somebody asks to sign in to the console.
  case signIn = "console-sign-in"
  /// Somebody who has signed in to the console wants to do something.
  case step = "console-step"
  /// An administrator of this server asks the person.
  case approval
  /// A program on a machine asks the machine's person: the text begins with `ACCOUNT@HOST: `, which the machine's core writes.
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

  /// Finds the kind of a text, which is in the form of ``TransactionText``; nil if its first words are those of no kind.
  package init?(of shown: String) {
    let found = Self.allCases.first { kind in kind.opening.map { shown.utf8.starts(with: $0.utf8) } ?? false }
    guard let kind = found ?? (Self.namesMachine(shown) ? .machine : nil) else { return nil }
    self = kind
  }

  /// Whether the first word is `ACCOUNT@HOST:`.
  ///
  /// No opening that the server writes has an `@` in its first word, or a letter that looks like one.
  private static func namesMachine(_ shown: String) -> Bool {
    let word = shown.utf8.prefix { $0 != UInt8(ascii: " ") }
    let account = word.prefix { $0 != UInt8(ascii: "@") }
    return !account.isEmpty && account.count < word.count && word.last == UInt8(ascii: ":")
      && word.count < shown.utf8.count
  }

  // MARK: Written by the server

  /// The text of a sign-in, at most 192 bytes.
  ///
  /// A long host or name is cut off: the text must be short enough to be shown whole.
  static func signIn(host: String, username: String, number: String) -> String {
    let (host, name) = (shown(host, limit: 60), shown(username, limit: 80))
    return (signIn.opening ?? "") + "uaf-server at \(host) as \(name), code \(number)"
  }

  /// The text of a step of the console.
  ///
  /// - Parameter words: the action; characters in names that cannot be shown are escaped here.
  /// - Returns: nil if the text is too long to be shown and signed whole.
  package static func step(_ words: String) -> String? {
    TransactionText(bytes: Array(words.utf8), in: .utf8).flatMap { made(.step, $0.shown) }
  }

  /// The text of an approval.
  ///
  /// - Parameters:
  ///   - words: any text from the asker; characters that cannot be shown are escaped, unless they are escaped already.
  ///   - username: who is asked.
  ///   - asker: who asks, with their role.
  /// - Returns: nil if `words` is empty, or if the text is too long to be shown and signed whole.
  package static func approval(_ words: String, of username: String, by asker: String) -> String? {
    guard let words = TransactionText(sent: words)?.shown else { return nil }
    return made(.approval, "\(shown(username, limit: 40)) by \(shown(asker, limit: 60)): \(words)")
  }

  /// - Parameter rest: in the form of ``TransactionText``.
  private static func made(_ kind: TextKind, _ rest: String) -> String? {
    let text = (kind.opening ?? "") + rest
    return text.utf8.count <= TransactionText.maximumSigned ? text : nil
  }

  /// A name as it is shown; if it is longer than the limit, its beginning and three dots.
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

extension Transaction {
  /// The form of a text that goes into the request and is signed.
  package init(signing text: TransactionText) throws {
    try self.init(text: text.signed { bytes throws(CryptoError) in try SHA256.hash(bytes) })
  }
}

/// Verifies a stored confirmation again, using only what was stored with it.
package enum ConfirmedTextCheck {
  /// The fault of a confirmation.
  package enum Fault: String, Equatable, Sendable {
    case unreadable = "the stored text or assertion cannot be read"
    case notConfirmed = "the authenticator did not say that the text was confirmed"
    case otherText = "a different text was signed"
    case otherChallenge = "the signature is for different challenge parameters"
    case invalidSignature = "the signature was not made with the stored key"
  }

  /// The first fault; nil if the person's key signed this text.
  package static func fault(in confirmation: ConfirmedText) -> Fault? {
    guard let text = TransactionText(sent: confirmation.shown), text.shown == confirmation.shown,
      let transaction = try? Transaction(signing: text),
      let assertion = try? UnverifiedAuthenticationAssertion(parsing: confirmation.assertion),
      assertion.signatureAlgorithm == confirmation.signatureAlgorithm
    else { return .unreadable }
    guard assertion.authenticationMode == .transactionConfirmed else { return .notConfirmed }
    guard let hash = try? SHA256.hash(transaction.content), assertion.transactionContentHash == hash else {
      return .otherText
    }
    guard let challenge = try? SHA256.hash(Array(confirmation.fcParams.utf8)),
      assertion.finalChallengeHash == challenge
    else { return .otherChallenge }
    guard let scheme = SignatureScheme(rawValue: confirmation.signatureAlgorithm),
      let key = try? VerificationKey(encoded: confirmation.publicKey, scheme: scheme),
      key.isValidSignature(assertion.signature, of: assertion.signedBytes)
    else { return .invalidSignature }
    return nil
  }
}
