import UAFMessages

/// An attribute of a resource that this server keeps (RFC 7643, section 7).
struct SCIMAttribute: Sendable {
  enum Kind: String, Sendable {
    case string
    case boolean
    case complex
    case reference
    case dateTime
  }

  let name: String
  let kind: Kind
  let description: String
  var isMultiValued = false
  var isRequired = false
  var isCaseExact = false
  var mutability = "readWrite"
  var uniqueness = "none"
  var isAlwaysReturned = false
  var canonicalValues: [String] = []
  var referenceTypes: [String] = []
  var subAttributes: [SCIMAttribute] = []

  /// The attribute in the form of the endpoint `/Schemas`.
  var json: JSONObject {
    var object: JSONObject = [
      "name": .string(name), "type": .string(kind.rawValue), "multiValued": .bool(isMultiValued),
      "description": .string(description), "required": .bool(isRequired), "caseExact": .bool(isCaseExact),
      "mutability": .string(mutability), "returned": .string(isAlwaysReturned ? "always" : "default"),
      "uniqueness": .string(uniqueness),
    ]
    if !canonicalValues.isEmpty { object.set("canonicalValues", .array(canonicalValues.map(JSONValue.string))) }
    if !referenceTypes.isEmpty { object.set("referenceTypes", .array(referenceTypes.map(JSONValue.string))) }
    if !subAttributes.isEmpty { object.set("subAttributes", .array(subAttributes.map { .object($0.json) })) }
    return object
  }
}

/// A schema of this server (RFC 7643, section 7).
struct SCIMSchema: Sendable {
  let id: String
  let name: String
  let description: String
  let attributes: [SCIMAttribute]
  /// The names of the further attributes that RFC 7643 gives this schema, in lower case.
  ///
  /// Identity providers send them with every user. They are accepted, and not kept.
  var unkept: Set<String> = []

  /// The attribute with a name in any case.
  func attribute(_ name: String) -> SCIMAttribute? { attributes.first { $0.name.lowercased() == name.lowercased() } }

  static let user = SCIMSchema(
    id: "urn:ietf:params:scim:schemas:core:2.0:User", name: "User",
    description: "A person with an account at this server.",
    attributes: [
      SCIMAttribute(
        name: "userName", kind: .string,
        description: "The account's name, with which the person logs in: 1 to 128 printable ASCII characters.",
        isRequired: true, isCaseExact: true, mutability: "immutable", uniqueness: "server"),
      SCIMAttribute(
        name: "displayName", kind: .string, description: "The person's name in any script, at most 128 characters."),
      SCIMAttribute(
        name: "active", kind: .boolean, description: "Whether the account is enabled."),
      SCIMAttribute(
        name: "emails", kind: .complex, description: "The person's mail address; this server keeps one.",
        isMultiValued: true,
        subAttributes: [
          SCIMAttribute(name: "value", kind: .string, description: "The address, at most 254 bytes."),
          SCIMAttribute(
            name: "type", kind: .string, description: "The address that is kept counts as the one for work.",
            canonicalValues: ["work"]),
        ]),
      SCIMAttribute(
        name: "groups", kind: .complex, description: "The person's groups; change them at the groups.",
        isMultiValued: true, mutability: "readOnly",
        subAttributes: [
          SCIMAttribute(
            name: "value", kind: .string, description: "The id of the group.", isCaseExact: true,
            mutability: "readOnly"),
          SCIMAttribute(
            name: "$ref", kind: .reference, description: "The group's path.", isCaseExact: true,
            mutability: "readOnly", referenceTypes: ["Group"]),
          SCIMAttribute(
            name: "display", kind: .string, description: "The name of the group.", mutability: "readOnly"),
          SCIMAttribute(
            name: "type", kind: .string, description: "Groups have no groups as members.", mutability: "readOnly",
            canonicalValues: ["direct"]),
        ]),
    ],
    unkept: [
      "name", "nickname", "profileurl", "title", "usertype", "preferredlanguage", "locale", "timezone", "password",
      "phonenumbers", "ims", "photos", "addresses", "entitlements", "roles", "x509certificates",
    ])

  static let enterprise = SCIMSchema(
    id: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User", name: "EnterpriseUser",
    description: "What an organisation knows about the person.",
    attributes: [
      SCIMAttribute(name: "department", kind: .string, description: "The person's department, at most 128 characters.")
    ], unkept: ["employeenumber", "costcenter", "organization", "division", "manager"])

  static let group = SCIMSchema(
    id: "urn:ietf:params:scim:schemas:core:2.0:Group", name: "Group",
    description: "A group of people. Only a mapping that an administrator has signed gives it an effect.",
    attributes: [
      SCIMAttribute(
        name: "displayName", kind: .string,
        description: "The group's name, at most 64 characters; no two groups have the same in any case.",
        isRequired: true, uniqueness: "server"),
      SCIMAttribute(
        name: "members", kind: .complex, description: "The people in the group.", isMultiValued: true,
        subAttributes: [
          SCIMAttribute(
            name: "value", kind: .string, description: "The id of a user.", isCaseExact: true, mutability: "immutable"),
          SCIMAttribute(
            name: "$ref", kind: .reference, description: "The user's path.", isCaseExact: true,
            mutability: "immutable", referenceTypes: ["User"]),
          SCIMAttribute(
            name: "type", kind: .string, description: "Only users can be members.", mutability: "immutable",
            canonicalValues: ["User"]),
        ]),
    ])

  static let all = [user, enterprise, group]

  /// The schema in the form of the endpoint `/Schemas`.
  var json: JSONObject {
    [
      "schemas": .array([.string("urn:ietf:params:scim:schemas:core:2.0:Schema")]), "id": .string(id),
      "name": .string(name), "description": .string(description),
      "attributes": .array(attributes.map { .object($0.json) }),
      "meta": .object([
        "resourceType": .string("Schema"), "location": .string("\(SCIMResponder.prefix)/Schemas/\(id)"),
      ]),
    ]
  }
}

/// A type of resources: its schema, and the extension of that schema (RFC 7643, section 6).
struct SCIMResourceType: Sendable {
  let name: String
  let endpoint: String
  let schema: SCIMSchema
  let `extension`: SCIMSchema?

  static let user = SCIMResourceType(
    name: "User", endpoint: "/Users", schema: .user, extension: .enterprise)
  static let group = SCIMResourceType(
    name: "Group", endpoint: "/Groups", schema: .group, extension: nil)
  static let all = [user, group]

  /// The attributes that every resource has, and that are in no schema (RFC 7643, section 3.1).
  private static let common = [
    SCIMAttribute(name: "id", kind: .string, description: "", isCaseExact: true, mutability: "readOnly"),
    SCIMAttribute(
      name: "meta", kind: .complex, description: "", mutability: "readOnly",
      subAttributes: [
        SCIMAttribute(name: "resourceType", kind: .string, description: "", isCaseExact: true),
        SCIMAttribute(name: "created", kind: .dateTime, description: ""),
        SCIMAttribute(name: "location", kind: .string, description: "", isCaseExact: true),
        SCIMAttribute(name: "version", kind: .string, description: "", isCaseExact: true),
      ]),
    SCIMAttribute(name: "externalId", kind: .string, description: "", isCaseExact: true),
  ]

  /// The attribute that a path names, without its part after the point; nil if this server keeps no such attribute.
  func attribute(_ path: SCIMPath) -> SCIMAttribute? {
    if let schema = path.schema, let `extension`, schema == `extension`.id.lowercased() {
      return `extension`.attribute(path.attribute)
    }
    guard path.schema == nil || path.schema == schema.id.lowercased() else { return nil }
    return schema.attribute(path.attribute) ?? Self.common.first { $0.name.lowercased() == path.attribute }
  }

  /// Whether values of an attribute are compared with regard to case.
  func isExact(_ path: SCIMPath) -> Bool {
    guard let attribute = attribute(path) else { return true }
    guard !attribute.subAttributes.isEmpty else { return attribute.isCaseExact }
    // Of a complex attribute without a part, `value` is compared.
    let sub = path.sub ?? "value"
    return attribute.subAttributes.first { $0.name.lowercased() == sub }?.isCaseExact ?? true
  }

  /// Whether RFC 7643 has such an attribute, which this server accepts and does not keep.
  func isUnkept(_ path: SCIMPath) -> Bool {
    if let schema = path.schema, let `extension`, schema == `extension`.id.lowercased() {
      return `extension`.unkept.contains(path.attribute)
    }
    return (path.schema == nil || path.schema == schema.id.lowercased()) && schema.unkept.contains(path.attribute)
  }

  /// The resource type in the form of the endpoint `/ResourceTypes`.
  var json: JSONObject {
    var object: JSONObject = [
      "schemas": .array([.string("urn:ietf:params:scim:schemas:core:2.0:ResourceType")]), "id": .string(name),
      "name": .string(name), "endpoint": .string(endpoint), "description": .string(schema.description),
      "schema": .string(schema.id),
    ]
    if let `extension` {
      object.set(
        "schemaExtensions",
        .array([.object(["schema": .string(`extension`.id), "required": .bool(false)])]))
    }
    object.set(
      "meta",
      .object([
        "resourceType": .string("ResourceType"), "location": .string("\(SCIMResponder.prefix)/ResourceTypes/\(name)"),
      ]))
    return object
  }
}

/// What this server can do (RFC 7643, section 5).
enum SCIMServiceProvider {
  /// The most resources in a response.
  static let mostResults = 200

  static let json: JSONObject = [
    "schemas": .array([.string("urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig")]),
    "patch": .object(["supported": .bool(true)]),
    "bulk": .object([
      "supported": .bool(false), "maxOperations": .integer(0), "maxPayloadSize": .integer(0),
    ]),
    "filter": .object(["supported": .bool(true), "maxResults": .integer(Int64(mostResults))]),
    "changePassword": .object(["supported": .bool(false)]),
    "sort": .object(["supported": .bool(false)]),
    "etag": .object(["supported": .bool(true)]),
    "authenticationSchemes": .array([
      .object([
        "type": .string("oauthbearertoken"), "name": .string("Bearer token"),
        "description": .string("A token of the role provisioning, in the header Authorization."),
        "specUri": .string("https://www.rfc-editor.org/info/rfc6750"), "primary": .bool(true),
      ])
    ]),
    "meta": .object([
      "resourceType": .string("ServiceProviderConfig"),
      "location": .string("\(SCIMResponder.prefix)/ServiceProviderConfig"),
    ]),
  ]
}
