/// The names that an account goes by on this machine: the one that it was registered under, and those that root has had take the
/// registration over since.
///
/// The registered name stays in every seal. A renamed account opens its keys by it, and keeps its name at the server.
struct AccountNames: Equatable {
  /// How many names may take a registration over; the oldest goes when there are more.
  private static let most = 8

  private(set) var names: [[UInt8]]

  /// The names of an account.
  ///
  /// - Throws: ``StateError``.
  init(of identity: AccountIdentity, in records: SealedRecords) throws(StateError) {
    names = [identity.name]
    guard let body = try records.body(.names, of: identity) else { return }
    var reader = try RecordReader(body, version: 1)
    for _ in 0..<(try reader.integer(UInt8.self)) { names.append(try reader.data()) }
    try reader.finish()
  }

  /// Has a further name take the registration over.
  ///
  /// Those before it stay: an account may have two names at one time.
  mutating func add(_ name: [UInt8]) {
    guard !names.contains(name) else { return }
    names.append(name)
    if names.count > Self.most + 1 { names.remove(at: 1) }
  }

  /// Stores them; inside `write`.
  func put(of identity: AccountIdentity, in records: SealedRecords) throws(StateError) {
    var writer = RecordWriter(version: 1)
    writer.put(UInt8(truncatingIfNeeded: names.count - 1))
    for name in names.dropFirst() { writer.put(name) }
    try records.put(.names, body: writer.bytes, of: identity)
  }
}
