/// What stays of an account for as long as its file exists: that something was registered here.
///
/// `nouserok` asks for it, so that neither a deregistration nor a removed row turns into "never".
enum Tombstone: UInt8 {
  /// The account has an identity row; where it is missing, somebody removed it.
  case registered = 1
  /// Everything was deregistered or reset.
  case buried = 2

  var record: [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(rawValue)
    return writer.bytes
  }
}
