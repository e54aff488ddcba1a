import UAFCrypto
import UAFMessages

/// A request that the server has sent and nobody has answered yet.
package struct IssuedRequest: Equatable, Sendable {
  /// Seconds within which a request can be answered.
  package static let lifetime: Int64 = 120
  /// The most requests for a registration that are open at the same time.
  ///
  /// Each needs a code or a proof.
  static let maximumOpen: Int64 = 100_000

  package let operation: UAFOperation
  package let username: String
  /// SHA-256 of the challenge; the challenge itself is not kept.
  package let challengeHash: [UInt8]
  package let appID: String
  package let serverData: String
  package let policy: Policy
  /// The text that must be confirmed, as it is signed.
  package let transaction: Transaction?
  package let device: Device
  /// Seconds since 1970.
  package let expiresAt: Int64
  /// The keys that the requesting machine says it has lost; the new keys replace them.
  package var lostKeyIDs: [KeyID] = []

  package init(
    operation: UAFOperation, username: String, challengeHash: [UInt8], appID: String, serverData: String,
    policy: Policy, transaction: Transaction?, device: Device, expiresAt: Int64,
    lostKeyIDs: [KeyID] = []
  ) {
    self.operation = operation
    self.username = username
    self.challengeHash = challengeHash
    self.appID = appID
    self.serverData = serverData
    self.policy = policy
    self.transaction = transaction
    self.device = device
    self.expiresAt = expiresAt
    self.lostKeyIDs = lostKeyIDs
  }
}

/// The machine that a client says it runs on.
///
/// The statement is not verified.
package struct Device: Equatable, Sendable {
  package var id: String?
  package var name: String?
  package var model: String?
  package var os: String?

  package init() {}

  init(_ context: RequestContext) {
    id = context.deviceID
    name = context.deviceName
    model = context.deviceModel
    os = context.deviceOS
  }
}

/// The challenge of a request, in the form in which a store keeps it.
///
/// It is identified by its unique bytes. If several requests share these bytes, only one of them can be answered.
///
/// The expiry is sealed with the challenge, or is one of the values from which the challenge is computed. So a challenge always
/// comes with the same expiry, and a store may search by both.
package struct IssuedChallenge: Equatable, Sendable {
  /// SHA-256 of the challenge's unique bytes.
  package let hash: [UInt8]
  /// When its request expires, in seconds since 1970.
  package let expiresAt: Int64

  package init(hash: [UInt8], expiresAt: Int64) {
    self.hash = hash
    self.expiresAt = expiresAt
  }
}

/// The session data of a request (`serverData`): what the server must know when the answer comes.
///
/// The client sends it back unchanged. So the server stores nothing for a request for an authentication, and nobody can fill
/// its disk with requests. It is authenticated, not encrypted: it contains only what the client knows, and its length depends
/// only on the request.
struct ServerData: Equatable, Sendable {
  let purpose: ChallengePurpose
  let username: String
  /// Seconds since 1970.
  let expiresAt: Int64
  /// SHA-256 of what this authentication authorises, such as the keys to remove; empty if the purpose alone says that.
  ///
  /// For a registration that a registered key allows: the digest of the keys that were revoked when it began
  /// (`Credentials.revocationMark`); empty if an earlier version of the server began it.
  var proofSubject: [UInt8] = []
  /// The approval of the text that must be confirmed.
  ///
  /// The text itself is in the store.
  var approvalID: Int64?
  var text = SealedText.none

  init(_ purpose: ChallengePurpose, username: String, expiresAt: Int64) {
    self.purpose = purpose
    self.username = username
    self.expiresAt = expiresAt
  }

  /// The operation of the request.
  var operation: UAFOperation {
    switch purpose {
    case .registrationByCode, .registrationByKey: .registration
    default: .authentication
    }
  }

  /// Whether only keys that are accepted for the steps of administrators may answer.
  var needsVouchedKey: Bool { purpose.isOfConsole }

  /// The operations that the verdict authorises the client to begin.
  var use: [UAFOperation] {
    purpose.authorizedOperation.map { [$0] } ?? []
  }
}

/// Writes and reads session data.
///
/// Base64url of: form (1) | purpose (1) | expiry (8) | approval (8) | length of the name (1) | name | length of the proof's
/// subject (1) | subject | kind of text (1) | text or its hash | code (32). Numbers are big-endian. The code covers the
/// challenge and everything before the code, so a request that was never issued is refused before the store is used.
struct ServerDataSeal {
  let keys: ServerKeys
  var place = Place.uaf

  /// Where session data is sent; data of one place is not valid in another.
  enum Place: String {
    /// The field `serverData` of UAF.
    case uaf = "serverData"
    /// The challenge of a passkey.
    case passkeys = "passkeyData"
  }

  /// The first byte.
  ///
  /// It identifies the version of this format.
  private static let form: UInt8 = 3
  /// UAF protocol 1.1, section 3.1.3.
  private static let maximumBytes = 1152

  /// Writes session data for a challenge.
  ///
  /// - Throws: ``CryptoError``.
  func seal(_ data: ServerData, challenge: [UInt8]) throws -> String {
    Base64URL.encode(try sealedBytes(data, challenge: challenge))
  }

  /// Writes session data for a challenge, as bytes.
  ///
  /// - Throws: ``CryptoError``.
  func sealedBytes(_ data: ServerData, challenge: [UInt8]) throws -> [UInt8] {
    let name = Array(data.username.utf8)
    var body: [UInt8] = []
    body.reserveCapacity(64 + name.count + data.proofSubject.count)
    body.append(Self.form)
    body.append(data.purpose.rawValue)
    BigEndian.append(data.expiresAt, to: &body)
    BigEndian.append(data.approvalID ?? 0, to: &body)
    body.append(UInt8(clamping: name.count))
    body += name
    body.append(UInt8(clamping: data.proofSubject.count))
    body += data.proofSubject
    switch data.text {
    case .none: body.append(0)
    case .whole(let text): body += [1] + Array(text.shown.utf8)
    case .hash(let hash): body += [2] + hash
    }
    return body + (try keys.authenticationCode(place.rawValue, challenge + body))
  }

  /// Reads session data.
  ///
  /// - Returns: nil if it was not sealed here for this challenge.
  /// - Throws: ``CryptoError``.
  func open(_ text: String, challenge: [UInt8]) throws -> ServerData? {
    guard let bytes = try? Base64URL.decode(text, maximumCount: Self.maximumBytes) else { return nil }
    return try open(bytes, challenge: challenge)
  }

  /// Reads session data from bytes; like ``open(_:challenge:)`` for a text.
  func open(_ bytes: [UInt8], challenge: [UInt8]) throws -> ServerData? {
    guard (33...Self.maximumBytes).contains(bytes.count) else { return nil }
    let body = bytes.dropLast(32)
    guard try keys.isValid(Array(bytes.suffix(32)), place.rawValue, challenge + body) else { return nil }
    // It is authentic, so this server wrote it. If it has a different format, an earlier version of the server did.
    guard body.first == Self.form else { return nil }
    return Self.read(body.dropFirst())
  }

  private static func read(_ body: ArraySlice<UInt8>) -> ServerData? {
    guard body.count >= 18 else { return nil }
    let bytes = Array(body)
    let nameEnd = 18 + Int(bytes[17])
    guard bytes.count > nameEnd, let username = String(validating: bytes[18..<nameEnd], as: UTF8.self),
      let purpose = ChallengePurpose(rawValue: bytes[0])
    else { return nil }
    var data = ServerData(purpose, username: username, expiresAt: integer(bytes[1..<9]))
    let approvalID = integer(bytes[9..<17])
    data.approvalID = approvalID == 0 ? nil : approvalID
    let subjectEnd = nameEnd + 1 + Int(bytes[nameEnd])
    guard bytes.count > subjectEnd else { return nil }
    data.proofSubject = Array(bytes[(nameEnd + 1)..<subjectEnd])
    guard let text = text(bytes[subjectEnd], Array(bytes[(subjectEnd + 1)...])) else { return nil }
    data.text = text
    return data
  }

  private static func text(_ kind: UInt8, _ rest: [UInt8]) -> SealedText? {
    switch kind {
    case 0: return SealedText.none
    case 1: return String(validating: rest, as: UTF8.self).flatMap { TransactionText(sent: $0) }.map { .whole($0) }
    case 2: return .hash(rest)
    default: return nil
    }
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
    Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}

/// The part of session data about the text that must be confirmed.
enum SealedText: Equatable, Sendable {
  /// No text was sent by the client.
  case none
  /// The whole text, in at most ``maximumWhole`` bytes.
  case whole(TransactionText)
  /// The SHA-256 of a longer text: the client sends the text again with its answer.
  case hash([UInt8])

  /// The most bytes of a text that is sealed whole.
  ///
  /// UAF allows 1,536 characters of session data, which are 1,152 bytes; the other fields need up to 183 of them.
  static let maximumWhole = 960

  /// Seals a text.
  ///
  /// - Throws: ``CryptoError`` if OpenSSL cannot hash.
  init(_ text: TransactionText?) throws(CryptoError) {
    guard let text else {
      self = .none
      return
    }
    let bytes = Array(text.shown.utf8)
    self = bytes.count <= Self.maximumWhole ? .whole(text) : .hash(try SHA256.hash(bytes))
  }

  /// The text that was sealed; nil for none.
  ///
  /// - Parameter sent: the text that the client sends with its answer.
  /// - Throws: ``ServiceRefusal`` if the client had to send the text again, but sent none or a different one; ``CryptoError``
  ///   if OpenSSL cannot hash.
  func text(sentAgain sent: String?) throws -> TransactionText? {
    switch self {
    case .none: return nil
    case .whole(let text): return text
    case .hash(let hash):
      guard let text = sent.flatMap({ TransactionText(sent: $0) }), try SHA256.hash(Array(text.shown.utf8)) == hash
      else { throw ServiceRefusal.wrongTransaction }
      return text
    }
  }
}

/// Numbers in big-endian order.
enum BigEndian {
  static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    var shift = number.bitWidth
    while shift > 0 {
      shift -= 8
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}

extension ChallengePurpose {
  /// Whether the console asks: for a sign-in, or for the confirmation of a step.
  var isOfConsole: Bool { self == .consoleSignIn || self == .consoleStep }
}
