import CLibPQ

/// What a statement returned.
@safe final class QueryResult {
  private let result: OpaquePointer

  /// Takes over a result of libpq.
  init(owning result: OpaquePointer) {
    // SAFETY: the caller gives it up.
    unsafe self.result = result
  }

  deinit {
    // SAFETY: the result is ours, and this was its last use.
    unsafe PQclear(result)
  }

  // SAFETY: PQresultStatus only reads.
  var status: ExecStatusType { unsafe PQresultStatus(result) }

  var rows: [QueryRow] {
    // SAFETY: PQntuples only reads.
    let count = unsafe PQntuples(result)
    return (0..<count).map { QueryRow(result: self, number: $0) }
  }

  var first: QueryRow? { rows.first }

  /// How many rows a change has touched.
  // SAFETY: the text is part of the result, and is copied at once.
  var changes: Int { unsafe Int(String(cString: PQcmdTuples(result))) ?? 0 }

  /// What the server says it has done, such as "COMMIT".
  // SAFETY: as above.
  var tag: String { unsafe String(cString: PQcmdStatus(result)) }

  /// The five characters of an error's class; nil if the result is no error of the server.
  var sqlState: String? { field(CInt(UInt8(ascii: "C"))) }

  /// The error's text without stored values, which are in its details.
  var message: String? { field(CInt(UInt8(ascii: "M"))) }

  private func field(_ code: CInt) -> String? {
    // SAFETY: as above; nil if there is no such field.
    unsafe PQresultErrorField(result, code).map { unsafe String(cString: $0) }
  }

  /// A value's bytes; nil for NULL.
  func bytes(_ row: CInt, _ column: CInt) -> [UInt8]? {
    // SAFETY: libpq answers for a row or column that is not there with NULL. The value has as many bytes as its length says,
    // and they are copied at once.
    guard unsafe PQgetisnull(result, row, column) == 0, let value = unsafe PQgetvalue(result, row, column) else {
      return nil
    }
    return unsafe [UInt8](
      UnsafeRawBufferPointer(start: value, count: max(0, Int(PQgetlength(result, row, column)))))
  }
}
