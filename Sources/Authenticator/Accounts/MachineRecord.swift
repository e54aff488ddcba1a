/// By what a server knows this machine, in the file of the account that it gave it to; readable only by root.
///
/// It opens nothing here. At the server it is worth a place that strangers cannot take.
public struct MachineRecord: Equatable, Sendable {
  /// The machine's number at the server.
  public let machineID: [UInt8]
  /// The key of its proofs.
  public let secret: [UInt8]
  /// SHA-256 of the server's addresses when it gave the secret: no other server is sent a proof.
  public let place: [UInt8]

  /// Makes a record.
  public init(machineID: [UInt8], secret: [UInt8], place: [UInt8]) {
    self.machineID = machineID
    self.secret = secret
    self.place = place
  }

  /// The record of an account; nil if there is none.
  ///
  /// - Throws: ``StateError``.
  public static func of(_ account: AccountFile) throws(StateError) -> MachineRecord? {
    guard let body = try account.records.body(.machine, of: account.identity) else { return nil }
    var reader = try RecordReader(body, version: 1)
    let machineID = try reader.data()
    let secret = try reader.data()
    let record = MachineRecord(machineID: machineID, secret: secret, place: try reader.data())
    try reader.finish()
    return record
  }

  /// Stores the record in place of an earlier one; nothing is written if it is the same.
  ///
  /// - Throws: ``StateError``; `absent` if the account was removed meanwhile.
  public func store(in account: AccountFile) throws(StateError) {
    // A damaged one is replaced.
    guard (try? Self.of(account)) != self else { return }
    var writer = RecordWriter(version: 1)
    for part in [machineID, secret, place] { writer.put(part) }
    let body = writer.bytes
    try account.records.write { () throws(StateError) in
      guard try account.records.body(.identity, of: nil) == account.identity.record else { throw .absent }
      try account.records.put(.machine, body: body, of: account.identity)
    }
  }
}
