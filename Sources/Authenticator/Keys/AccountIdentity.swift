/// Whose state a file is: part of every seal and every mark, so that a reused uid or a renamed
/// account opens nothing.
public struct AccountIdentity: Equatable, Sendable {
  /// The account's number.
  public let uid: UInt32
  /// The account's canonical name, as bytes.
  public let name: [UInt8]
  /// The server's name for the account.
  public let serverUserName: String

  /// An identity.
  public init(uid: UInt32, name: [UInt8], serverUserName: String) {
    self.uid = uid
    self.name = name
    self.serverUserName = serverUserName
  }

  var record: [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(uid)
    writer.put(name)
    writer.put(serverUserName)
    return writer.bytes
  }

  init(record: [UInt8]) throws(StateError) {
    var reader = try RecordReader(record, version: 1)
    uid = try reader.integer()
    name = try reader.data()
    serverUserName = try reader.text()
    try reader.finish()
  }
}
