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
  /// A copy of the share, which the recovery key opens; nil without one.
  let copy: [UInt8]?
  /// The share itself, sealed under the device key, where the chip that had it is lost; nil where a chip gives it out.
  let released: [UInt8]?
  /// Counts registrations with this authenticator (UAF: RegCounter).
  public internal(set) var registrationCounter: UInt32

  /// Whether its key needs a share of the chip, so that the chip counts wrong values.
  public var hasShare: Bool { chipShare != nil }

  /// What is kept of the share that the chip has; nil for a key without one, and for one whose share was released.
  var chipShare: [UInt8]? { released == nil ? share : nil }

  var record: [UInt8] {
    // Each has what the version before it has not, so that an earlier program reads what it can use.
    var writer = RecordWriter(version: released != nil ? 4 : copy != nil ? 3 : share != nil ? 2 : 1)
    writer.put(salt)
    for number in [cost.logN, cost.r, cost.p] { writer.put(UInt8(clamping: number)) }
    writer.put(nonce)
    writer.put(sealedKey)
    writer.put(registrationCounter)
    if let share { writer.put(share) }
    if let further = released ?? copy { writer.put(further) }
    return writer.bytes
  }

  init(record: [UInt8]) throws(StateError) {
    let version = record.first ?? 0
    guard (1...4).contains(version) else { throw .damaged }
    var reader = try RecordReader(record, version: version)
    salt = try reader.data()
    cost = Scrypt.Parameters(
      logN: Int(try reader.integer(UInt8.self)), r: Int(try reader.integer(UInt8.self)),
      p: Int(try reader.integer(UInt8.self)))
    nonce = try reader.data()
    sealedKey = try reader.data()
    registrationCounter = try reader.integer()
    share = version >= 2 ? try reader.data() : nil
    copy = version == 3 ? try reader.data() : nil
    released = version == 4 ? try reader.data() : nil
    try reader.finish()
  }

  init(
    salt: [UInt8], cost: Scrypt.Parameters, nonce: [UInt8], sealedKey: [UInt8], share: [UInt8]? = nil,
    copy: [UInt8]? = nil
  ) {
    self.salt = salt
    self.cost = cost
    self.nonce = nonce
    self.sealedKey = sealedKey
    self.share = share
    self.copy = copy
    released = nil
    registrationCounter = 0
  }

  /// The same with its share released from the chip.
  init(_ other: EnrolledAuthenticator, released: [UInt8]) {
    salt = other.salt
    cost = other.cost
    nonce = other.nonce
    sealedKey = other.sealedKey
    share = other.share
    copy = nil
    self.released = released
    registrationCounter = other.registrationCounter
  }
}
