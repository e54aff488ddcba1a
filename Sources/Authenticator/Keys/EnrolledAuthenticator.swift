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
  /// Counts registrations with this authenticator (UAF: RegCounter).
  public internal(set) var registrationCounter: UInt32

  var record: [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(salt)
    for number in [cost.logN, cost.r, cost.p] { writer.put(UInt8(clamping: number)) }
    writer.put(nonce)
    writer.put(sealedKey)
    writer.put(registrationCounter)
    return writer.bytes
  }

  init(record: [UInt8]) throws(StateError) {
    var reader = try RecordReader(record, version: 1)
    salt = try reader.data()
    cost = Scrypt.Parameters(
      logN: Int(try reader.integer(UInt8.self)), r: Int(try reader.integer(UInt8.self)),
      p: Int(try reader.integer(UInt8.self)))
    nonce = try reader.data()
    sealedKey = try reader.data()
    registrationCounter = try reader.integer()
    try reader.finish()
  }

  init(salt: [UInt8], cost: Scrypt.Parameters, nonce: [UInt8], sealedKey: [UInt8]) {
    self.salt = salt
    self.cost = cost
    self.nonce = nonce
    self.sealedKey = sealedKey
    registrationCounter = 0
  }
}
