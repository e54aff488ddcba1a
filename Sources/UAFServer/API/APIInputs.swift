import UAFAdministration
import UAFMessages

/// Parameters and members that several routes have.
enum APIInputs {
  static let limit = APIRoute.Input(
    name: "limit",
    schema: [
      "type": .string("integer"), "minimum": .integer(1), "maximum": .integer(Int64(PageLimit.maximum)),
      "default": .integer(Int64(PageLimit.standard)),
    ], description: "How many rows the page has at most.")

  static func after(_ what: String) -> APIRoute.Input {
    text("after", "Rows after this one; `next` of the page before. \(what)")
  }

  static func text(_ name: String, _ description: String, isRequired: Bool = false) -> APIRoute.Input {
    APIRoute.Input(
      name: name, schema: ["type": .string("string")], description: description, isRequired: isRequired)
  }

  static func number(
    _ name: String, _ range: ClosedRange<Int64>, _ description: String, isRequired: Bool = false
  ) -> APIRoute.Input {
    APIRoute.Input(
      name: name,
      schema: [
        "type": .string("integer"), "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
      ], description: description, isRequired: isRequired)
  }

  static func flag(_ name: String, _ description: String) -> APIRoute.Input {
    APIRoute.Input(name: name, schema: ["type": .string("boolean")], description: description)
  }

  static func choice(_ name: String, _ values: [String], _ description: String, isRequired: Bool = false)
    -> APIRoute.Input
  {
    APIRoute.Input(
      name: name, schema: ["type": .string("string"), "enum": .array(values.map(JSONValue.string))],
      description: description, isRequired: isRequired)
  }

  static let role = choice("role", Role.allCases.map(\.rawValue), "What they may do.", isRequired: true)
  static let reason = text("reason", "Why, for the audit; at most 500 bytes.")
}
