extension LastAnswer {
  /// The fixed size of the record, so that a refusal can be stored on a full disk too.
  static let recordSize = 256
  /// SHA-256's.
  static let termsSize = 32

  /// The answer as the body of a record.
  var record: [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(refusals)
    writer.put(latestWallSeconds)
    writer.put(yes != nil)
    if let yes {
      writer.put(yes.asked.bootID)
      writer.put(yes.asked.nanoseconds)
      writer.put(yes.asked.wallSeconds)
      writer.put(yes.terms)
      writer.put(UInt8(truncatingIfNeeded: yes.types.count))
      for type in yes.types { writer.put(type.rawValue) }
    }
    writer.pad(to: Self.recordSize)
    return writer.bytes
  }

  /// Reads a record.
  ///
  /// - Throws: ``StateError/damaged``.
  init(record: [UInt8]) throws(StateError) {
    guard record.count == Self.recordSize else { throw .damaged }
    var reader = try RecordReader(record, version: 1)
    refusals = try reader.integer()
    latestWallSeconds = try reader.integer()
    if try reader.flag() { yes = try Yes(from: &reader) }
    try reader.finish()
  }
}

extension LastAnswer.Yes {
  fileprivate init(from reader: inout RecordReader) throws(StateError) {
    let bootID = try reader.data()
    let nanoseconds = try reader.integer(Int64.self)
    asked = BootTime(bootID: bootID, nanoseconds: nanoseconds, wallSeconds: try reader.integer())
    terms = try reader.data()
    guard terms.count == LastAnswer.termsSize else { throw .damaged }
    types = []
    for _ in 0..<(try reader.integer(UInt8.self)) {
      guard let type = AuthenticatorType(rawValue: try reader.text()) else { throw .damaged }
      types.append(type)
    }
  }
}
