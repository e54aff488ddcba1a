import NIOHTTP1
import UAFMessages

/// The description of the API as OpenAPI 3.1, generated from the routes themselves.
enum APIDescription {
  static let path = "/openapi.json"

  /// The document.
  static func document(of routes: [APIRoute] = APIRoutes.all, version: String) -> JSONObject {
    var paths: JSONObject = [:]
    for path in routes.map(\.path) where paths[path] == nil {
      var item: JSONObject = [:]
      for route in routes where route.path == path { item.set(route.method.rawValue.lowercased(), operation(route)) }
      paths.set(path, .object(item))
    }
    return [
      "openapi": .string("3.1.0"),
      "info": .object([
        "title": .string("uaf-server"), "version": .string(version),
        "description": .string("Administration of a UAF server. Times are seconds since 1970."),
      ]),
      "servers": .array([.object(["url": .string(APIRoute.prefix)])]),
      "security": .array([.object(["token": .array([])])]),
      "paths": .object(paths), "components": components,
    ]
  }

  private static let components = JSONValue.object([
    "securitySchemes": .object(["token": .object(["type": .string("http"), "scheme": .string("bearer")])]),
    "responses": .object([
      "Problem": .object([
        "description": .string(
          "The request was refused, and nothing was changed. Only if `code` is `store-away`, `under-way` or `failed`, "
            + "it is unknown whether something was changed."
        ),
        "content": .object([
          Problem.mediaType: .object(["schema": .object(["$ref": .string("#/components/schemas/Problem")])])
        ]),
      ])
    ]),
    "schemas": .object([
      "Problem": .object([
        "type": .string("object"),
        "required": .array(["type", "title", "status", "code", "detail"].map(JSONValue.string)),
        "properties": .object([
          "type": text, "title": text, "status": .object(["type": .string("integer")]), "code": text, "detail": text,
          "field": text,
        ]),
      ])
    ]),
  ])

  private static let text = JSONValue.object(["type": .string("string")])

  private static func operation(_ route: APIRoute) -> JSONValue {
    var parameters = route.variables.map { parameter($0, in: "path", ["type": .string("string")], true, nil) }
    parameters += route.query.map { parameter($0.name, in: "query", $0.schema, $0.isRequired, $0.description) }
    if route.isRepeatable {
      parameters.append(
        parameter(
          IdempotencyKey.header, in: "header", ["type": .string("string"), "maxLength": .integer(255)], false,
          "The same request with the same key is done only once within 24 hours."))
    }
    var object: JSONObject = ["summary": .string(route.summary), "operationId": .string(operationID(route))]
    if !parameters.isEmpty { object.set("parameters", .array(parameters)) }
    if let body = route.body { object.set("requestBody", requestBody(body, route.bodyExample)) }
    var response: JSONObject = ["description": .string(route.status.reasonPhrase)]
    if let example = route.example {
      response.set("content", content(["type": .string("object")], example))
    }
    object.set(
      "responses",
      .object([
        String(route.status.code): .object(response),
        "default": .object(["$ref": .string("#/components/responses/Problem")]),
      ]))
    return .object(object)
  }

  /// The operation's ID: the method and the words of the path.
  ///
  /// It is unique in the document.
  private static func operationID(_ route: APIRoute) -> String {
    let words = route.path.split { !$0.isLetter }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return route.method.rawValue.lowercased() + words.joined()
  }

  private static func parameter(
    _ name: String, in place: String, _ schema: JSONObject, _ isRequired: Bool, _ description: String?
  ) -> JSONValue {
    var object: JSONObject = [
      "name": .string(name), "in": .string(place), "required": .bool(isRequired), "schema": .object(schema),
    ]
    object.set("description", description.map(JSONValue.string))
    return .object(object)
  }

  private static func requestBody(_ members: [APIRoute.Input], _ example: JSONObject?) -> JSONValue {
    var properties: JSONObject = [:]
    for member in members {
      var schema = member.schema
      schema.set("description", .string(member.description))
      properties.set(member.name, .object(schema))
    }
    let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
    var schema: JSONObject = [
      "type": .string("object"), "properties": .object(properties), "additionalProperties": .bool(false),
    ]
    if !required.isEmpty { schema.set("required", .array(required)) }
    return .object(["required": .bool(true), "content": content(schema, example)])
  }

  private static func content(_ schema: JSONObject, _ example: JSONObject?) -> JSONValue {
    var media: JSONObject = ["schema": .object(schema)]
    media.set("example", example.map(JSONValue.object))
    return .object(["application/json": .object(media)])
  }
}
