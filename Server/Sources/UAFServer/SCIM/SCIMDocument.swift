import UAFAdministration
import UAFCrypto
import UAFMessages
import UAFService
import WebMessages

/// A resource as it is sent.
struct SCIMDocument {
  private static let digestBytes = 12

  let json: JSONObject
  /// The entity tag: two states of a resource that differ in any attribute have different ones.
  let version: String
  /// The path of the resource.
  let location: String

  /// Completes a resource with its `meta`.
  ///
  /// - Parameter created: seconds since 1970; nil if it is not known.
  private init(_ resource: JSONObject, _ type: SCIMResourceType, id: String, created: Int64? = nil) throws {
    location = "\(SCIMResponder.prefix)\(type.endpoint)/\(id)"
    let digest = try SHA256.hash(JSONValue.object(resource).bytes).prefix(Self.digestBytes)
    version = "W/\"\(digest.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined())\""
    var meta: JSONObject = ["resourceType": .string(type.name)]
    meta.set("created", created.map { .string(SecondText.iso8601.text(at: $0)) })
    meta.set("location", .string(location))
    meta.set("version", .string(version))
    var resource = resource
    resource.set("meta", .object(meta))
    json = resource
  }

  init(_ person: ProvisionedPerson) throws {
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
    try self.init(object, .user, id: person.id, created: person.createdAt)
  }

  init(_ group: ProvisionedGroup) throws {
    let object: JSONObject = [
      "schemas": .array([.string(SCIMSchema.group.id)]), "id": .string(group.id), "displayName": .string(group.name),
      // Even without members: authentik adds none to a group whose list is absent.
      "members": .array(group.members.map { .object(Self.member($0.id)) }),
    ]
    try self.init(object, .group, id: group.id)
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
  func isNamed(in header: String) -> Bool {
    header.split(separator: ",").contains { part in
      var tag = part.drop { $0 == " " }
      while tag.last == " " { tag.removeLast() }
      return tag == "*" || tag == version || tag == version.dropFirst(2)
    }
  }
}

/// The attributes that a client wants to see (RFC 7644, section 3.9).
struct SCIMProjection: Equatable {
  /// In lower case; nil if all are wanted.
  private let included: [String]?
  private let excluded: [String]

  /// - Throws: ``SCIMError`` if both lists are given: RFC 7644 does not say which one counts.
  init(attributes: [String]?, excluded: [String]?) throws(SCIMError) {
    guard attributes == nil || excluded == nil else {
      throw SCIMError(.invalidValue, "attributes and excludedAttributes exclude each other")
    }
    included = attributes?.map { $0.lowercased() }
    self.excluded = excluded?.map { $0.lowercased() } ?? []
  }

  /// Whether an attribute is shown, at least in part.
  func shows(_ attribute: String) -> Bool {
    if excluded.contains(where: { SCIMPath(parsing: $0).map { $0.attribute == attribute && $0.sub == nil } ?? false }) {
      return false
    }
    return included?.contains { SCIMPath(parsing: $0)?.attribute == attribute } ?? true
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
      guard !included.contains(name) else { return value }
      let subs = subs(of: name, in: included)
      return subs.isEmpty ? nil : part(of: value) { subs.contains($0) }
    }
    guard !excluded.contains(name) else { return nil }
    let subs = subs(of: name, in: excluded)
    return subs.isEmpty ? value : part(of: value) { !subs.contains($0) }
  }

  /// The parts of an attribute, or the attributes of an extension, that a list names.
  private func subs(of name: String, in list: [String]) -> Set<String> {
    Set(
      list.compactMap { text in
        guard let path = SCIMPath(parsing: text) else { return nil }
        return path.schema == name ? path.attribute : path.attribute == name ? path.sub ?? nil : nil
      })
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
