/// The proof that a known machine sends with each request, in the header `UAF-Machine`; our own.
///
/// Base64url of: form (1) | operation, queue and step (1) | ID of the machine (16) | time (8) | nonce (16) |
/// length of the name (1) | name | code (32). Numbers are big-endian. The code is the HMAC-SHA-256 of everything before it, under
/// the machine's secret. A server can check it before it reads any part of the body.
public struct MachineProof: Equatable, Sendable {
  /// The length of the nonce.
  public static let nonceByteCount = 16
  /// The longest text.
  public static let maximumCharacters = 272

  private static let codeByteCount = 32
  private static let form: UInt8 = 1
  private static let answerFlag: UInt8 = 0x80
  /// Operation and queue have two bits each; not all of their values are used.
  private static let (operationMask, queueMask, queueShift): (UInt8, UInt8, UInt8) = (0x03, 0x30, 4)
  private static let names = 1...128
  /// The length of the part before the name.
  private static let headByteCount = 2 + MachineSecret.machineIDByteCount + 8 + nonceByteCount + 1

  /// The machine's ID, as the server gave it.
  public let machineID: [UInt8]
  /// The request that the proof goes with.
  public let claim: MachineClaim
  /// On whose behalf the machine sends the request.
  public let queue: MachineQueue
  /// When it was made, in seconds since 1970.
  public let madeAt: Int64
  /// Random bytes: no two proofs are equal.
  public let nonce: [UInt8]

  /// Makes a proof, without its code.
  ///
  /// - Returns: nil for an ID, a nonce or a name of the wrong length.
  public init?(machineID: [UInt8], claim: MachineClaim, queue: MachineQueue, madeAt: Int64, nonce: [UInt8]) {
    guard machineID.count == MachineSecret.machineIDByteCount, nonce.count == Self.nonceByteCount,
      Self.names.contains(claim.username.utf8.count)
    else { return nil }
    self.machineID = machineID
    self.claim = claim
    self.queue = queue
    self.madeAt = madeAt
    self.nonce = nonce
  }

  /// Reads a proof.
  ///
  /// - Returns: the proof and its code, which is not checked here; nil for anything that is not in the form above.
  public static func read(_ text: String) -> (proof: MachineProof, code: [UInt8])? {
    guard let bytes = try? Base64URL.decode(text, maximumCount: headByteCount + names.upperBound + codeByteCount),
      bytes.count > headByteCount + codeByteCount, bytes[0] == form
    else { return nil }
    let nameEnd = bytes.count - codeByteCount
    let what = bytes[1]
    guard Int(bytes[headByteCount - 1]) == nameEnd - headByteCount,
      what & ~(operationMask | queueMask | answerFlag) == 0,
      let entry = operations.first(where: { $0.number == what & operationMask }),
      // A request for an account's state carries no UAF response.
      entry.operation != nil || what & answerFlag == 0,
      let queue = MachineQueue(rawValue: (what & queueMask) >> queueShift),
      let username = String(validating: bytes[headByteCount..<nameEnd], as: UTF8.self)
    else { return nil }
    let claim = MachineClaim(operation: entry.operation, isAnswer: what & answerFlag != 0, username: username)
    let madeAt = bytes[18..<26].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return MachineProof(
      machineID: Array(bytes[2..<18]), claim: claim, queue: queue, madeAt: Int64(bitPattern: madeAt),
      nonce: Array(bytes[26..<42])
    ).map { ($0, Array(bytes[nameEnd...])) }
  }

  /// The bytes that the code covers.
  public var authenticated: [UInt8] {
    let name = Array(claim.username.utf8)
    let number = Self.operations.first { $0.operation == claim.operation }?.number ?? 0
    let time = (0..<8).reversed().map { UInt8(truncatingIfNeeded: madeAt >> (8 * $0)) }
    let what = number | queue.rawValue << Self.queueShift | (claim.isAnswer ? Self.answerFlag : 0)
    return [Self.form, what] + machineID + time + nonce
      + [UInt8(truncatingIfNeeded: name.count)] + name
  }

  /// The header's value.
  public func text(with code: [UInt8]) -> String { Base64URL.encode(authenticated + code) }

  private static let operations: [(operation: UAFOperation?, number: UInt8)] = [
    (nil, 0), (.registration, 1), (.authentication, 2), (.deregistration, 3),
  ]
}

/// What a machine's proof is about: one request for one account.
public struct MachineClaim: Equatable, Sendable {
  /// The operation of the UAF request or response; nil for a request for the account's state, and for a check-in or a join.
  public let operation: UAFOperation?
  /// Whether the request carries a UAF response; otherwise it asks for a UAF request.
  public let isAnswer: Bool
  /// The account's name at the server.
  public let username: String

  /// Makes a claim.
  public init(operation: UAFOperation?, isAnswer: Bool, username: String) {
    self.operation = operation
    self.isAnswer = isAnswer
    self.username = username
  }

  /// The claim of a machine that asks for an account's state.
  public static func state(of username: String) -> MachineClaim {
    MachineClaim(operation: nil, isAnswer: false, username: username)
  }

  /// Whether it asks for the account's state.
  public var asksForState: Bool { operation == nil && !isAnswer && !isCheckIn && !isJoining }

  // MARK: A body

  /// The claim of a machine that has joined and asks to join again.
  ///
  /// Its name is made as for ``checkIn(bodyHash:)``.
  ///
  /// - Parameter bodyHash: the SHA-256 of the request's body.
  public static func joining(bodyHash: [UInt8]) -> MachineClaim {
    .state(of: joiningPrefix + Base64URL.encode(bodyHash))
  }

  /// Whether a machine that has joined asks to join again.
  public var isJoining: Bool { isOf(Self.joiningPrefix) }

  /// The claim of a machine that has joined and checks in.
  ///
  /// Its name contains a space, so it is not the name of an account. So this claim is valid for nothing else, and for no other
  /// body.
  ///
  /// - Parameter bodyHash: the SHA-256 of the request's body.
  public static func checkIn(bodyHash: [UInt8]) -> MachineClaim {
    .state(of: checkInPrefix + Base64URL.encode(bodyHash))
  }

  /// Whether a machine checks in.
  public var isCheckIn: Bool { isOf(Self.checkInPrefix) }

  private func isOf(_ prefix: String) -> Bool {
    operation == nil && !isAnswer && username.utf8.starts(with: prefix.utf8)
  }

  private static let checkInPrefix = "check-in "
  private static let joiningPrefix = "join "
}

/// On whose behalf a machine sends a request.
///
/// The server limits each of these separately, so that others on the same machine cannot use up the person's share.
public enum MachineQueue: UInt8, CaseIterable, Sendable {
  /// For the person, at the machine.
  case own
  /// For somebody who logs in over the network.
  case remote
  /// For another user of the machine, who tries to log in to the account.
  case otherUser
}

/// What a server gives to a machine with its success, so that the server recognises the machine later; our own member.
///
/// It opens nothing: it only keeps its holder from being blocked by the requests of strangers.
public struct MachineSecret: JSONRepresentable, Equatable, Sendable, CustomStringConvertible {
  /// The length of a machine's ID.
  public static let machineIDByteCount = 16
  /// The length of the secret.
  public static let secretByteCount = 32

  /// The machine's ID at the server, for one account.
  public let machineID: [UInt8]
  /// The key of its proofs.
  public let secret: [UInt8]

  /// Makes a secret from the ID and the key.
  ///
  /// - Throws: ``MessageError/outOfRange(_:)`` for any other length.
  public init(machineID: [UInt8], secret: [UInt8]) throws(MessageError) {
    guard machineID.count == Self.machineIDByteCount else { throw .outOfRange("machineSecret.id") }
    guard secret.count == Self.secretByteCount else { throw .outOfRange("machineSecret.secret") }
    self.machineID = machineID
    self.secret = secret
  }

  /// Reads both.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    machineID = try reader.base64URL("id", counts: Self.machineIDByteCount...Self.machineIDByteCount)
    secret = try reader.base64URL("secret", counts: Self.secretByteCount...Self.secretByteCount)
  }

  /// The JSON form.
  public var json: JSONValue {
    .object(["id": .string(Base64URL.encode(machineID)), "secret": .string(Base64URL.encode(secret))])
  }

  /// ID and key, in the form that a signed verdict covers.
  public var bytes: [UInt8] { machineID + secret }

  /// A text without any part of the secret.
  public var description: String { "the secret of a machine" }
}
