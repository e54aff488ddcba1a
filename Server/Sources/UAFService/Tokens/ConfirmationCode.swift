import UAFCrypto
import UAFMessages

/// The code with which an administrator confirms a text of the console, to sign in or to carry out a dangerous step.
///
/// It is sealed by the server's secret, so nothing is stored for a code that was only issued. The challenge of its request is
/// computed from it. So the code was confirmed if that challenge was used.
package struct ConfirmationCode: Equatable, Sendable {
  /// What is confirmed.
  package enum Subject: UInt8, Sendable {
    case signIn = 1
    /// The step that waits in a session.
    case step = 2
  }

  package let subject: Subject
  /// Random bytes; an ID is used once.
  package let id: [UInt8]
  /// The number that both the page and the text show, 0 to 9999, so that a person can compare them.
  package let number: UInt16
  /// Seconds since 1970.
  package let expiresAt: Int64
  /// The account whose person may confirm.
  package let username: String

  /// How long a code is valid, in seconds.
  package static let lifetime: Int64 = 120
  package static let idBytes = 16
  private static let bodyBytes = 27
  private static let purpose = "confirmation code"
  private static let browserPurpose = "console browser"

  /// Makes a code.
  ///
  /// - Parameter random: 18 random bytes.
  package init(_ subject: Subject, for username: String, random: [UInt8], now: Int64) {
    self.subject = subject
    self.username = username
    id = Array(random.prefix(Self.idBytes))
    number = random.dropFirst(Self.idBytes).reduce(0) { $0 << 8 | UInt16($1) } % 10_000
    expiresAt = now + Self.lifetime
  }

  private init?(body: [UInt8], username: String) {
    guard body.count == Self.bodyBytes, let subject = Subject(rawValue: body[0]) else { return nil }
    self.subject = subject
    self.username = username
    number = UInt16(body[1]) << 8 | UInt16(body[2])
    expiresAt = Int64(bitPattern: body[3..<11].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    id = Array(body[11...])
  }

  private var body: [UInt8] {
    var bytes = [subject.rawValue, UInt8(number >> 8), UInt8(number & 0xFF)]
    BigEndian.append(expiresAt, to: &bytes)
    return bytes + id
  }

  /// The number as it is shown: four digits.
  package var shownNumber: String {
    let digits = String(number)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  // MARK: The form in a payload

  /// The code in the form of a payload, 79 characters; it is valid only with the account's name.
  ///
  /// - Throws: ``CryptoError``.
  package func sealed(by keys: ServerKeys) throws -> String {
    Base64URL.encode(body + (try keys.authenticationCode(Self.purpose, body + Array(username.utf8))))
  }

  /// Reads a code of a payload.
  ///
  /// - Returns: nil if this server did not seal it for this account, or if it has expired.
  /// - Throws: ``CryptoError``.
  package init?(sealed text: String, for username: String, keys: ServerKeys, now: Int64) throws {
    guard let bytes = try? Base64URL.decode(text, maximumCount: Self.bodyBytes + 32),
      bytes.count == Self.bodyBytes + 32
    else { return nil }
    let body = Array(bytes.prefix(Self.bodyBytes))
    guard try keys.isValid(Array(bytes.suffix(32)), Self.purpose, body + Array(username.utf8)) else { return nil }
    self.init(body: body, username: username)
    guard expiresAt > now else { return nil }
  }

  // MARK: The form in a browser

  /// The text that the browser keeps as proof that it asked for the code.
  ///
  /// Whoever has only the payload cannot make it.
  ///
  /// - Throws: ``CryptoError``.
  package func browserText(keys: ServerKeys) throws -> String {
    let bytes = body + Array(username.utf8)
    return Base64URL.encode((try keys.authenticationCode(Self.browserPurpose, bytes)) + bytes)
  }

  /// Reads what a browser sends.
  ///
  /// - Returns: nil if this server did not make it, or if it has expired.
  /// - Throws: ``CryptoError``.
  package init?(browserText text: String, keys: ServerKeys, now: Int64) throws {
    guard let bytes = try? Base64URL.decode(text, maximumCount: 32 + Self.bodyBytes + 128),
      bytes.count > 32 + Self.bodyBytes
    else { return nil }
    let rest = Array(bytes.dropFirst(32))
    guard try keys.isValid(Array(bytes.prefix(32)), Self.browserPurpose, rest),
      let username = String(validating: rest[Self.bodyBytes...], as: UTF8.self)
    else { return nil }
    self.init(body: Array(rest.prefix(Self.bodyBytes)), username: username)
    guard expiresAt > now else { return nil }
  }

  // MARK: Its challenge

  /// The unique bytes of its challenge, which are the same in each request for this code.
  ///
  /// - Throws: ``CryptoError``.
  func unique(keys: ServerKeys) throws -> [UInt8] {
    try keys.authenticationCodes(Self.purpose + " challenge", body + Array(username.utf8)).first ?? []
  }

  /// The challenges that its request can have: one for each accepted secret of the server.
  ///
  /// - Throws: ``CryptoError``.
  package func challenges(keys: ServerKeys) throws -> [IssuedChallenge] {
    try keys.authenticationCodes(Self.purpose + " challenge", body + Array(username.utf8)).map {
      IssuedChallenge(hash: try SHA256.hash($0), expiresAt: expiresAt)
    }
  }

  /// The name under which the code is marked as used.
  package var usedName: String { "console " + Base64URL.encode(id) }

  /// The text of a sign-in, as it is shown and signed.
  ///
  /// - Parameter url: the base URL that clients use.
  package func signInText(at url: String) -> String {
    let host = url.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }
    return TextKind.signIn(host: String(host), username: username, number: shownNumber)
  }
}
