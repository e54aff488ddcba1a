import Foundation

// GRDB speaks Data; everything else here speaks arrays of bytes.
extension [UInt8] {
  /// The bytes as SQLite gets them: a BLOB, an empty one included.
  var databaseBlob: Data { Data(self) }

  /// The bytes of a BLOB; none for NULL.
  init(databaseBlob: Data?) {
    self = databaseBlob.map { [UInt8]($0) } ?? []
  }
}
