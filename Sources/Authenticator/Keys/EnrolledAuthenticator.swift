import UAFCrypto

/// What is needed to check an entry against the secret that is set.
///
/// The secret itself is stored nowhere, and nothing here can be compared with it: the correct secret is the one that
/// opens the seal.
public struct EnrolledAuthenticator: Equatable, Sendable {
  let salt: [UInt8]
  let cost: Scrypt.Parameters
  let nonce: [UInt8]
  /// The authenticator's own random key, sealed.
  let sealedKey: [UInt8]
  /// What is kept of the share that its key needs; nil for a key without one.
  let share: [UInt8]?
  /// Counts registrations with this authenticator (UAF: RegCounter).
  public internal(set) var registrationCounter: UInt32

  /// Whether its key needs a share, so that a chip counts wrong values.
  public var hasShare: Bool { share != nil }

  var record: [UInt8] {
    // Version 1 has no share, so that an earlier program reads it.
    var writer = RecordWriter(version: share == nil ? 1 : 2)
    writer.put(salt)
    for number in [cost.logN, cost.r, cost.p] { writer.put(UInt8(clamping: number)) }
    writer.put(nonce)
    writer.put(sealedKey)
    writer.put(registrationCounter)
    if let share { writer.put(share) }
    return writer.bytes
  }

  init(record: [UInt8]) throws(StateError) {
    let hasShare = record.first == 2
    var reader = try RecordReader(record, version: hasShare ? 2 : 1)
    salt = try reader.data()
    cost = Scrypt.Parameters(
      logN: Int(try reader.integer(UInt8.self)), r: Int(try reader.integer(UInt8.self)),
      p: Int(try reader.integer(UInt8.self)))
    nonce = try reader.data()
    sealedKey = try reader.data()
    registrationCounter = try reader.integer()
    share = hasShare ? try reader.data() : nil
    try reader.finish()
  }

  init(salt: [UInt8], cost: Scrypt.Parameters, nonce: [UInt8], sealedKey: [UInt8], share: [UInt8]? = nil) {
    self.salt = salt
    self.cost = cost
    self.nonce = nonce
    self.sealedKey = sealedKey
    self.share = share
    registrationCounter = 0
  }
}
