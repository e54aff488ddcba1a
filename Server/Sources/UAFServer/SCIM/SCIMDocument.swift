import UAFAdministration
import UAFCrypto
import UAFMessages
import UAFService
import WebMessages

/// A resource as it is sent.
struct SCIMDocument {
  private static let digestBytes = 12
  static let meta = "meta"

  private let type: SCIMResourceType
  /// The resource without its `meta`.
  private let resource: JSONObject
  /// Seconds since 1970; nil if it is not known.
  private let created: Int64?
  /// The path of the resource.
  let location: String

  private init(_ resource: JSONObject, _ type: SCIMResourceType, id: String, created: Int64? = nil) {
    self.type = type
    self.resource = resource
    self.created = created
    location = "\(SCIMResponder.prefix)\(type.endpoint)/\(id)"
  }

  /// The entity tag: two states of a resource that differ in any attribute have different ones.
  ///
  /// It is a digest of the whole resource, so a search among thousands does without it.
  func version() throws -> String {
    "W/\"\(Hexadecimal.text(try SHA256.hash(JSONValue.object(resource).bytes).prefix(Self.digestBytes)))\""
  }

  /// The whole resource.
  func json() throws -> JSONObject { whole(try version()) }

  /// The part of the resource that a client wants to see.
  ///
  /// - Parameter tag: what ``version()`` has returned, if it is known already.
  func json(_ projection: SCIMProjection, version tag: String? = nil) throws -> JSONObject {
    guard projection.shows(Self.meta) else { return projection.applied(to: resource) }
    return projection.applied(to: whole(try tag ?? version()))
  }

  /// Whether the resource meets a filter.
  func meets(_ filter: SCIMFilter) throws -> Bool {
    let needsMeta = filter.paths.contains { $0.attribute == Self.meta }
    return filter.matches(needsMeta ? try json() : resource, isExact: type.isExact)
  }

  private func whole(_ tag: String) -> JSONObject {
    var meta: JSONObject = ["resourceType": .string(type.name)]
    meta.set("created", created.map { .string(SecondText.iso8601.text(at: $0)) })
    meta.set("location", .string(location))
    meta.set("version", .string(tag))
    var resource = resource
    resource.set(Self.meta, .object(meta))
    return resource
  }

  init(_ person: ProvisionedPerson) {
    let (core, further) = (SCIMSchema.user.id, SCIMSchema.enterprise.id)
    let department = person.profile.department
    var object: JSONObject = [
      "schemas": .array(([core] + (department == nil ? [] : [further])).map(JSONValue.string)),
      "id": .string(person.id),
    ]
    object.set("externalId", person.profile.externalID.map(JSONValue.string))
    object.set("userName", .string(person.username))
    object.set("displayName", person.profile.displayName.map(JSONValue.string))
    object.set("active", .bool(person.isActive))
    if let mail = person.profile.mail { object.set("emails", .array([.object(Self.mail(mail))])) }
    if !person.groups.isEmpty { object.set("groups", .array(person.groups.map { .object(Self.group($0)) })) }
    if let department { object.set(further, .object(["department": .string(department)])) }
    self.init(object, .user, id: person.id, created: person.createdAt)
  }

  init(_ group: ProvisionedGroup) {
    var object: JSONObject = ["schemas": .array([.string(SCIMSchema.group.id)]), "id": .string(group.id)]
    object.set("externalId", group.externalID.map(JSONValue.string))
    object.set("displayName", .string(group.name))
    // Even without members: authentik adds none to a group whose list is absent.
    object.set("members", .array(group.members.map { .object(Self.member($0.id)) }))
    self.init(object, .group, id: group.id)
  }

  /// The one mail address of a person.
  static func mail(_ address: String?) -> JSONObject {
    var object: JSONObject = [:]
    object.set("value", address.map(JSONValue.string))
    object.set("type", .string("work"))
    return object
  }

  private static func group(_ group: ProvisionedGroup.Reference) -> JSONObject {
    [
      "value": .string(group.id), "$ref": .string("\(SCIMResponder.prefix)/Groups/\(group.id)"),
      "display": .string(group.name), "type": .string("direct"),
    ]
  }

  /// An element of a group's members.
  static func member(_ id: String) -> JSONObject {
    [
      "value": .string(id), "$ref": .string("\(SCIMResponder.prefix)/Users/\(id)"), "type": .string("User"),
    ]
  }

  /// Whether a header `If-Match` or `If-None-Match` has this version, or `*`.
  ///
  /// Weak tags are compared too: SCIM uses them for both headers (RFC 7644, section 3.14).
  func isNamed(in header: String) throws -> Bool {
    let version = try version()
    return header.split(separator: ",").contains { part in
      var tag = part.drop { $0 == " " }
      while tag.last == " " { tag.removeLast() }
      return tag == "*" || tag == version || tag == version.dropFirst(2)
    }
  }
}

/// The attributes that a client wants to see (RFC 7644, section 3.9).
struct SCIMProjection: Equatable {
  /// nil if all are wanted.
  private let included: SCIMAttributeNames?
  private let excluded: SCIMAttributeNames

  /// - Throws: ``SCIMError`` if both lists are given: RFC 7644 does not say which one counts; and for a list that is too long.
  init(attributes: [String]?, excluded: [String]?) throws(SCIMError) {
    guard attributes == nil || excluded == nil else {
      throw SCIMError(.invalidValue, "attributes and excludedAttributes exclude each other")
    }
    included = try attributes.map { names throws(SCIMError) in try SCIMAttributeNames(names, of: "attributes") }
    self.excluded = try SCIMAttributeNames(excluded ?? [], of: "excludedAttributes")
  }

  /// Whether an attribute is shown, at least in part.
  ///
  /// - Parameter attribute: in lower case.
  func shows(_ attribute: String) -> Bool {
    guard !excluded.wholes.contains(attribute) else { return false }
    return included.map { $0.wholes.contains(attribute) || $0.parts[attribute] != nil } ?? true
  }

  /// The resource with the wanted attributes; `schemas` and `id` are always shown (RFC 7643, section 3.1).
  func applied(to resource: JSONObject) -> JSONObject {
    var shown: JSONObject = [:]
    for member in resource.members {
      let name = member.name.lowercased()
      if name == "schemas" || name == "id" {
        shown.set(member.name, member.value)
      } else {
        shown.set(member.name, value(member.value, of: name))
      }
    }
    return shown
  }

  /// The wanted part of an attribute; nil for none.
  private func value(_ value: JSONValue, of name: String) -> JSONValue? {
    if let included {
      guard !included.wholes.contains(name) else { return value }
      return included.parts[name].flatMap { parts in part(of: value) { parts.contains($0) } }
    }
    guard !excluded.wholes.contains(name) else { return nil }
    guard let parts = excluded.parts[name] else { return value }
    return part(of: value) { !parts.contains($0) }
  }

  private func part(of value: JSONValue, _ isShown: (String) -> Bool) -> JSONValue? {
    switch value {
    case .object(let object):
      var shown: JSONObject = [:]
      for member in object.members where isShown(member.name.lowercased()) { shown.set(member.name, member.value) }
      return shown.members.isEmpty ? nil : .object(shown)
    case .array(let elements):
      let shown = elements.compactMap { part(of: $0, isShown) }
      return shown.isEmpty ? nil : .array(shown)
    default: return value
    }
  }
}

/// A list of attributes that a client has sent, read once for all resources of a response.
private struct SCIMAttributeNames: Equatable {
  /// The most names of a list: more than there are attributes.
  private static let most = 64
  private static let core = "urn:ietf:params:scim:schemas:core:"

  /// The attributes that are named as a whole, and the URNs of extensions, in lower case.
  private(set) var wholes: Set<String> = []
  /// The parts of attributes, and the attributes of extensions, by the attribute or the URN.
  private(set) var parts: [String: Set<String>] = [:]

  /// Names of attributes that do not exist are ignored.
  ///
  /// - Parameter parameter: the name of the list.
  /// - Throws: ``SCIMError`` with `invalidValue`.
  init(_ names: [String], of parameter: String) throws(SCIMError) {
    guard names.count <= Self.most else {
      throw SCIMError(.invalidValue, "\(parameter) may have at most \(Self.most) names")
    }
    for name in names {
      // The URN of an extension looks like a path whose attribute is its last part.
      wholes.insert(name.lowercased())
      guard let path = SCIMPath(parsing: name) else { continue }
      if let schema = path.schema, !schema.hasPrefix(Self.core) {
        parts[schema, default: []].insert(path.attribute)
      } else if let sub = path.sub {
        parts[path.attribute, default: []].insert(sub)
      } else {
        wholes.insert(path.attribute)
      }
    }
  }
}
