import UAFAdministration
import UAFMessages

/// One request of the API, after its caller is known and its parts are read.
struct APICall {
  let caller: Caller
  let environment: AdministrationEnvironment
  /// The variable parts of the path, by their names.
  let path: [String: String]
  let query: QueryText
  let body: BodyMembers

  /// A variable part of the path.
  func part(_ name: String) -> String { path[name] ?? "" }

  /// A variable part of the path that is a number.
  ///
  /// - Throws: ``Problem``: of another text there is nothing.
  func number(_ name: String) throws(Problem) -> Int64 {
    guard let number = Int64(part(name)), number >= 0 else { throw Problem(.notFound, "unknown", "no such \(name)") }
    return number
  }

  /// How many rows a page has.
  func limit() throws(Problem) -> Int {
    try query.integer("limit").map { Int(clamping: $0) } ?? PageLimit.standard
  }

  /// A role that the body names.
  func role() throws(Problem) -> Role {
    guard let role = Role(rawValue: try body.string("role")) else {
      throw Problem(
        .badRequest, "invalid", "must be one of \(Role.allCases.map(\.rawValue).joined(separator: ", "))",
        field: "role")
    }
    return role
  }
}
