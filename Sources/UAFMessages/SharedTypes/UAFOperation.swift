/// A UAF operation (UAF protocol 1.1, section 3.1.2).
public enum UAFOperation: String, JSONRepresentable, CaseIterable, Sendable {
  case registration = "Reg"
  case authentication = "Auth"
  case deregistration = "Dereg"

  /// Reads `"Reg"`, `"Auth"` or `"Dereg"`.
  public init(json: JSONValue, path: String) throws(MessageError) {
    guard let operation = UAFOperation(rawValue: try json.nonEmptyString(path: path)) else { throw .outOfRange(path) }
    self = operation
  }

  /// The operation as JSON.
  public var json: JSONValue { .string(rawValue) }
}
