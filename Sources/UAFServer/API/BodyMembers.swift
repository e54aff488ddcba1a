import UAFMessages

/// The members of a request's JSON object.
struct BodyMembers: Equatable {
  private let object: JSONObject

  /// - Parameter names: those that the route has.
  /// - Throws: ``Problem`` for what is no JSON object, and for members of other names.
  init(_ bytes: [UInt8], names: [String]) throws(Problem) {
    guard let value = try? JSONValue(parsing: bytes), case .object(let object) = value else {
      throw Problem(.badRequest, "malformed", "the body is no JSON object, or has a member twice")
    }
    for member in object.members where !names.contains(member.name) {
      throw Problem(.badRequest, "invalid", "the body has a member that this path does not have; it has: \(names)")
    }
    self.object = object
  }

  /// Without members, for a route that takes no body.
  init() { object = [:] }

  func optionalString(_ name: String) throws(Problem) -> String? {
    guard let value = object[name] else { return nil }
    guard case .string(let text) = value, !text.utf8.contains(0) else {
      throw Problem(.badRequest, "invalid", "must be a string without U+0000", field: name)
    }
    return text
  }

  func string(_ name: String) throws(Problem) -> String {
    guard let text = try optionalString(name) else {
      throw Problem(.badRequest, "invalid", "is missing", field: name)
    }
    return text
  }

  func optionalInteger(_ name: String) throws(Problem) -> Int64? {
    guard let value = object[name] else { return nil }
    guard case .integer(let number) = value else {
      throw Problem(.badRequest, "invalid", "must be a whole number", field: name)
    }
    return number
  }

  func strings(_ name: String) throws(Problem) -> [String] {
    guard let value = object[name] else { return [] }
    let wrong = Problem(.badRequest, "invalid", "must be a list of strings", field: name)
    guard case .array(let elements) = value else { throw wrong }
    var texts: [String] = []
    for element in elements {
      guard case .string(let text) = element else { throw wrong }
      texts.append(text)
    }
    return texts
  }
}
