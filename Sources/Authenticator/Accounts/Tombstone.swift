/// The record that something was registered here; it stays as long as the account's file.
///
/// `nouserok` looks for it, so that neither a deregistration nor a removed row counts as "never".
enum Tombstone: Equatable {
  /// The account has an identity row; if it is missing, somebody removed it.
  case registered
  /// Everything was deregistered or reset; whose it was, unless an earlier version wrote it.
  ///
  /// The account stage asks for that account still, with what the server knows the machine by.
  case buried(AccountIdentity?)

  /// - Throws: ``StateError/damaged``.
  init(record: [UInt8]) throws(StateError) {
    guard record.first == 2 else {
      var reader = try RecordReader(record, version: 1)
      switch try reader.integer(UInt8.self) {
      case 1: self = .registered
      case 2: self = .buried(nil)
      default: throw .damaged
      }
      try reader.finish()
      return
    }
    var reader = try RecordReader(record, version: 2)
    self = .buried(try AccountIdentity(record: try reader.data()))
    try reader.finish()
  }

  var record: [UInt8] {
    switch self {
    case .registered, .buried(nil):
      var writer = RecordWriter(version: 1)
      writer.put(UInt8(self == .registered ? 1 : 2))
      return writer.bytes
    case .buried(let identity?):
      var writer = RecordWriter(version: 2)
      writer.put(identity.record)
      return writer.bytes
    }
  }

  /// Whether everything was deregistered or reset.
  var isBuried: Bool { self != .registered }
}
