/// The record that something was registered here; it stays as long as the account's file.
///
/// `nouserok` looks for it, so that neither a deregistration nor a removed row counts as "never".
enum Tombstone: UInt8 {
  /// The account has an identity row; if it is missing, somebody removed it.
  case registered = 1
  /// Everything was deregistered or reset.
  case buried = 2

  var record: [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(rawValue)
    return writer.bytes
  }
}
