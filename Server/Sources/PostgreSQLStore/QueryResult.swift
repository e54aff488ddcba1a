import CLibPQ
import SQLStore
import UAFService

/// The result of a statement.
@safe final class QueryResult {
  private let result: OpaquePointer

  /// Takes over a result of libpq.
  init(owning result: OpaquePointer) {
    // SAFETY: the caller gives it up.
    unsafe self.result = result
  }

  deinit {
    // SAFETY: the result is ours, and this was the last use.
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

  /// The number of rows that a change has affected.
  // SAFETY: the text is part of the result, and is copied immediately.
  var changes: Int { unsafe Int(String(cString: PQcmdTuples(result))) ?? 0 }

  /// The command tag: the server's name for what it did, such as "COMMIT".
  // SAFETY: as above.
  var tag: String { unsafe String(cString: PQcmdStatus(result)) }

  /// The SQLSTATE of an error, five characters; nil if the result is not an error of the server.
  var sqlState: String? { field(CInt(UInt8(ascii: "C"))) }

  /// The text of an error.
  ///
  /// It contains no stored values, which are only in the error's details.
  var message: String? { field(CInt(UInt8(ascii: "M"))) }

  private func field(_ code: CInt) -> String? {
    // SAFETY: as above; nil if there is no such field.
    unsafe PQresultErrorField(result, code).map { unsafe String(cString: $0) }
  }

  /// A value's bytes; nil for NULL.
  func bytes(_ row: CInt, _ column: CInt) -> [UInt8]? {
    // SAFETY: libpq returns NULL for a row or column that does not exist. The value has as many bytes as its length says, and
    // they are copied immediately.
    guard unsafe PQgetisnull(result, row, column) == 0, let value = unsafe PQgetvalue(result, row, column) else {
      return nil
    }
    return unsafe [UInt8](
      UnsafeRawBufferPointer(start: value, count: max(0, Int(PQgetlength(result, row, column)))))
  }
}

/// One row of a result, with values in PostgreSQL's binary format.
///
/// It repeats some functions that ``SQLRow`` has for all rows, so that reading the columns of a login needs no generic code.
struct QueryRow {
  let result: QueryResult
  let number: CInt

  func bytes(_ column: CInt) -> [UInt8]? { result.bytes(number, column) }

  /// The bytes of a column that is never NULL.
  ///
  /// - Throws: ``PostgreSQLError/unreadable`` for NULL. The functions below throw the same.
  func requiredBytes(_ column: CInt) throws -> [UInt8] {
    guard let bytes = bytes(column) else { throw PostgreSQLError.unreadable }
    return bytes
  }

  func optionalText(_ column: CInt) throws -> String? {
    guard let bytes = bytes(column) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw PostgreSQLError.unreadable }
    return text
  }

  func text(_ column: CInt) throws -> String {
    guard let text = try optionalText(column) else { throw PostgreSQLError.unreadable }
    return text
  }

  /// A number of two, four or eight bytes.
  func optionalInteger(_ column: CInt) throws -> Int64? {
    guard let bytes = bytes(column) else { return nil }
    guard [2, 4, 8].contains(bytes.count), let first = bytes.first else { throw PostgreSQLError.unreadable }
    return bytes.reduce(first & 0x80 == 0 ? 0 : -1) { $0 << 8 | Int64($1) }
  }

  /// A number, if it is in the range of the requested type.
  func integer<Number: FixedWidthInteger>(_ column: CInt, as type: Number.Type = Int64.self) throws -> Number {
    guard let number = try optionalInteger(column).flatMap({ Number(exactly: $0) }) else {
      throw PostgreSQLError.unreadable
    }
    return number
  }

  func boolean(_ column: CInt) throws -> Bool {
    guard let bytes = bytes(column), bytes.count == 1 else { throw PostgreSQLError.unreadable }
    return bytes[0] != 0
  }
}

extension QueryRow: SQLRow {
  static var unreadable: any StoreFailure { PostgreSQLError.unreadable }
}

/// A parameter of a statement, in PostgreSQL's binary format.
enum Parameter {
  case integer(Int64?)
  case text(String?)
  case bytes([UInt8]?)
  case integers([Int64])
  case texts([String])
  case byteStrings([[UInt8]])

  static func integer(_ number: some BinaryInteger) -> Parameter { .integer(Int64?(Int64(clamping: number))) }

  /// The OID of the parameter's type (pg_type.dat): int8, text, bytea, and their arrays.
  var type: UInt32 {
    switch self {
    case .integer: 20
    case .text: 25
    case .bytes: 17
    case .integers: 1016
    case .texts: 1009
    case .byteStrings: 1001
    }
  }

  /// Appends the bytes of the value to those of earlier parameters.
  ///
  /// - Returns: false for NULL, which has no bytes.
  func append(to bytes: inout [UInt8]) -> Bool {
    switch self {
    case .integer(nil), .text(nil), .bytes(nil): return false
    case .integer(let number?): Self.append(number, to: &bytes)
    case .text(let text?): bytes += text.utf8
    case .bytes(let value?): bytes += value
    case .integers(let numbers):
      Self.appendArray(of: 20, numbers, to: &bytes) { Self.append($0, to: &$1) }
    case .texts(let texts):
      Self.appendArray(of: 25, texts, to: &bytes) { $1 += $0.utf8 }
    case .byteStrings(let strings):
      Self.appendArray(of: 17, strings, to: &bytes) { $1 += $0 }
    }
    return true
  }

  /// Appends an array of one dimension that begins with index 1 and contains no NULL.
  private static func appendArray<Element>(
    of type: UInt32, _ elements: [Element], to bytes: inout [UInt8], _ appendElement: (Element, inout [UInt8]) -> Void
  ) {
    append(Int32(elements.isEmpty ? 0 : 1), to: &bytes)
    append(Int32(0), to: &bytes)
    append(type, to: &bytes)
    guard !elements.isEmpty else { return }
    append(Int32(clamping: elements.count), to: &bytes)
    append(Int32(1), to: &bytes)
    for element in elements {
      // The length is filled in after the element was written, because it is known only then.
      let start = bytes.count
      append(Int32(0), to: &bytes)
      appendElement(element, &bytes)
      let length = Int32(clamping: bytes.count - start - 4)
      for place in 0..<4 { bytes[start + place] = UInt8(truncatingIfNeeded: length >> (24 - 8 * Int32(place))) }
    }
  }

  /// A number in big-endian order.
  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    var shift = number.bitWidth
    while shift > 0 {
      shift -= 8
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}

extension Parameter {
  init(_ value: SQLValue) {
    self =
      switch value {
      case .integer(let number): .integer(number)
      case .text(let text): .text(text)
      case .bytes(let bytes): .bytes(bytes)
      }
  }
}

/// The parameters of a statement in one block of bytes, in the form that libpq needs.
struct ParameterBlock {
  private var block: [UInt8] = []
  private var offsets: [Int?] = []
  private var lengths: [CInt] = []

  init(_ parameters: [Parameter]) {
    for parameter in parameters {
      let start = block.count
      offsets.append(parameter.append(to: &block) ? start : nil)
      lengths.append(CInt(clamping: block.count - start))
    }
    // One more byte and length: even an empty value, or an empty list of parameters, needs an address.
    block.append(0)
    lengths.append(0)
  }

  /// Passes to `body` pointers to the parameters' bytes (a null pointer for NULL), their lengths, and their formats, which are
  /// binary.
  func withPointers(_ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<CInt>, UnsafePointer<CInt>) -> Void) {
    let formats = [CInt](repeating: 1, count: lengths.count)
    // SAFETY: each offset is within the block; the pointers live for the call.
    unsafe block.withUnsafeBytes { bytes in
      guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
      var pointers: [UnsafePointer<CChar>?] = unsafe []
      for offset in offsets { unsafe pointers.append(offset.map { unsafe base + $0 }) }
      unsafe pointers.append(nil)
      unsafe body(pointers, lengths, formats)
    }
  }
}

/// Remembers whether the server has warned.
///
/// If a commit is cancelled while it waits for its standby, PostgreSQL reports a success, with only a warning: "canceling wait
/// for synchronous replication". The text depends on the server's language, so every warning is treated like this one.
final class Notices {
  private(set) var hasWarned = false

  func reset() { hasWarned = false }

  /// Receives the notices of a connection, which must not live longer than this object.
  func listen(to connection: OpaquePointer) {
    // SAFETY: libpq passes the pointer to the receiver, and only while the connection is used. The owner of the connection
    // keeps both.
    unsafe PQsetNoticeReceiver(
      connection,
      { owner, result in
        guard let owner = unsafe owner else { return }
        let notices = unsafe Unmanaged<Notices>.fromOpaque(owner).takeUnretainedValue()
        // The severity in English, whatever the server's language (PG_DIAG_SEVERITY_NONLOCALIZED).
        let severity = unsafe PQresultErrorField(result, CInt(UInt8(ascii: "V"))).map { unsafe String(cString: $0) }
        if !Notices.harmless.contains(severity ?? "") { notices.hasWarned = true }
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private static let harmless = ["NOTICE", "INFO", "LOG", "DEBUG"]
}
