/// What a machine that a server knows sends with each request, in the header `UAF-Machine`; our own.
///
/// Base64url of: form (1) | operation, queue and step (1) | number of the machine (16) | time (8) | nonce (16) |
/// length of the name (1) | name | code (32). Numbers are big-endian. The code is the HMAC-SHA-256 of everything before it, under
/// the machine's secret. A server can check it before it reads anything of the body.
public struct MachineProof: Equatable, Sendable {
  /// The length of the nonce.
  public static let nonceByteCount = 16
  /// The longest text.
  public static let maximumCharacters = 272

  private static let codeByteCount = 32
  private static let form: UInt8 = 1
  private static let answerFlag: UInt8 = 0x80
  /// Operation and queue have four values each, of which not all are used.
  private static let (operationMask, queueMask, queueShift): (UInt8, UInt8, UInt8) = (0x03, 0x30, 4)
  private static let names = 1...128
  /// What stands before the name.
  private static let headByteCount = 2 + MachineSecret.machineIDByteCount + 8 + nonceByteCount + 1

  /// The machine's number, as the server gave it.
  public let machineID: [UInt8]
  /// The request that the proof goes with.
  public let claim: MachineClaim
  /// For whom the machine asks.
  public let queue: MachineQueue
  /// When it was made, in seconds since 1970.
  public let madeAt: Int64
  /// Random bytes: no two proofs are equal.
  public let nonce: [UInt8]

  /// Makes what is to be proved.
  ///
  /// - Returns: nil for a number, a nonce or a name of another length.
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
      // No UAF response goes with the question for a state.
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

  /// What the code is over.
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
