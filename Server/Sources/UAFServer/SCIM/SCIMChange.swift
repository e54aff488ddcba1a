import FidoResults
import UAFAdministration
import UAFMessages
import UAFService

/// How an attribute changes.
enum SCIMChange: Equatable {
  case add(JSONValue)
  case replace(JSONValue)
  /// The value says which values are removed; nil for all. RFC 7644 has no such value, but Microsoft Entra ID and authentik send
  /// it to remove members of a group.
  case remove(JSONValue?)

  /// The new value; nil if there is none.
  var value: JSONValue? {
    switch self {
    case .add(let value), .replace(let value): value
    case .remove: nil
    }
  }
}

/// A body of a PATCH (RFC 7644, section 3.5.2).
struct SCIMPatch {
  struct Operation {
    /// nil if the value is an object of attributes.
    let target: SCIMTarget?
    /// The path as it was sent; empty if there is none.
    let path: String
    let change: SCIMChange
  }

  private static let schema = "urn:ietf:params:scim:api:messages:2.0:patchop"
  /// The most operations of a body: authentik sends one for each new member of a group.
  private static let mostOperations = 10_000

  let operations: [Operation]

  /// - Throws: ``SCIMError``.
  init(_ body: JSONObject) throws(SCIMError) {
    try SCIMBody.check(body, has: Self.schema, among: [Self.schema])
    for member in body.members where !["schemas", "operations"].contains(member.name.lowercased()) {
      throw SCIMError(.invalidSyntax, "a PATCH has no member \(SCIMBody.shown(member.name))")
    }
    guard case .array(let elements)? = body.ignoringCase("operations"),
      (1...Self.mostOperations).contains(elements.count)
    else { throw SCIMError(.invalidSyntax, "Operations must have 1 to \(Self.mostOperations) operations") }
    var operations: [Operation] = []
    for element in elements { operations.append(try Self.operation(element)) }
    self.operations = operations
  }

  private static func operation(_ element: JSONValue) throws(SCIMError) -> Operation {
    guard case .object(let object) = element else {
      throw SCIMError(.invalidSyntax, "each of Operations must be an object")
    }
    for member in object.members where !["op", "path", "value"].contains(member.name.lowercased()) {
      throw SCIMError(.invalidSyntax, "an operation has no member \(SCIMBody.shown(member.name))")
    }
    guard case .string(let name)? = object.ignoringCase("op") else {
      throw SCIMError(.invalidSyntax, "op must be add, replace or remove")
    }
    var path = ""
    switch object.ignoringCase("path") {
    case nil, .null: break
    case .string(let text) where !text.isEmpty: path = text
    default: throw SCIMError(.invalidPath, "path must be the path of an attribute")
    }
    let value = object.ignoringCase("value")
    let change: SCIMChange
    // Microsoft Entra ID writes Add, Replace and Remove.
    switch (name.lowercased(), value) {
    case ("add", let value?): change = .add(value)
    case ("replace", let value?): change = .replace(value)
    case ("remove", let value): change = .remove(value == .null ? nil : value)
    case ("add", nil), ("replace", nil): throw SCIMError(.invalidValue, "an operation to add or replace needs a value")
    default: throw SCIMError(.invalidSyntax, "op must be add, replace or remove")
    }
    if path.isEmpty, change.value == nil { throw SCIMError(.noTarget, "an operation to remove needs a path") }
    let isExtension = path.lowercased() == SCIMSchema.enterprise.id.lowercased()
    return Operation(target: path.isEmpty || isExtension ? nil : try SCIMTarget(path), path: path, change: change)
  }
}

/// Parts of bodies that users and groups have in common.
enum SCIMBody {
  /// Refuses a body without a schema, or with one that is not known.
  ///
  /// - Parameters:
  ///   - schema: in lower case.
  ///   - known: in lower case.
  static func check(_ body: JSONObject, has schema: String, among known: [String]) throws(SCIMError) {
    guard case .array(let elements)? = body.ignoringCase("schemas") else {
      throw SCIMError(.invalidSyntax, "schemas must be a list of schemas")
    }
    var found = false
    for element in elements {
      guard case .string(let text) = element, known.contains(text.lowercased()) else {
        throw SCIMError(.invalidSyntax, "schemas has \(shown(element)), which this resource does not have")
      }
      found = found || text.lowercased() == schema
    }
    guard found else { throw SCIMError(.invalidSyntax, "schemas lacks the schema of this resource") }
  }

  /// Refuses objects in which two names differ at most in case, at any depth: names are the same in any case (RFC 7643, section
  /// 2.1), so nobody could know which of the two counts.
  static func checkNames(_ value: JSONValue) throws(SCIMError) {
    switch value {
    case .object(let object):
      var names: Set<String> = []
      for member in object.members {
        guard names.insert(member.name.lowercased()).inserted else {
          throw SCIMError(.invalidSyntax, "an object has \(shown(member.name)) twice: names are the same in any case")
        }
        try checkNames(member.value)
      }
    case .array(let elements): for element in elements { try checkNames(element) }
    case .null, .bool, .integer, .otherNumber, .string: break
    }
  }

  /// A value of a list of texts, in a text for people.
  private static func shown(_ element: JSONValue) -> String {
    if case .string(let text) = element { shown(text) } else { "a value that is no text" }
  }

  /// A name that a client has sent, in a text for people.
  static func shown(_ name: String) -> String { Text.cleaned(name, limit: 64) }

  /// A text; empty for null.
  static func text(_ value: JSONValue, of name: String) throws(SCIMError) -> String {
    switch value {
    case .string(let text) where !text.utf8.contains(0): return text
    case .null: return ""
    default: throw SCIMError(.invalidValue, "\(name) must be a text without U+0000")
    }
  }

  /// A truth value; Microsoft Entra ID writes the texts `True` and `False`.
  static func flag(_ value: JSONValue, of name: String) throws(SCIMError) -> Bool {
    switch value {
    case .bool(let flag): return flag
    case .string(let text) where text.lowercased() == "true": return true
    case .string(let text) where text.lowercased() == "false": return false
    default: throw SCIMError(.invalidValue, "\(name) must be true or false")
    }
  }

  /// The elements of a list, or the one element that was sent without a list.
  static func elements(_ value: JSONValue, of name: String) throws(SCIMError) -> [JSONObject] {
    let values: [JSONValue] =
      if case .array(let values) = value { values } else if value == .null { [] } else { [value] }
    var objects: [JSONObject] = []
    for value in values {
      guard case .object(let object) = value else {
        throw SCIMError(.invalidValue, "\(name) must be a list of objects")
      }
      objects.append(object)
    }
    return objects
  }
}

/// A resource that is read from a body, or changed by a PATCH.
protocol SCIMEdited {
  static var type: SCIMResourceType { get }

  /// Changes one attribute that this server keeps.
  ///
  /// - Throws: ``SCIMError``.
  mutating func change(_ target: SCIMTarget, _ change: SCIMChange) throws(SCIMError)

  /// Decides about an attribute that clients cannot change.
  ///
  /// - Throws: ``SCIMError`` with `mutability`.
  func keep(_ path: SCIMPath, _ change: SCIMChange) throws(SCIMError)
}

/// Where a request names an attribute, and so the name of its refusal (RFC 7644, section 3.12).
private enum SCIMOrigin {
  /// In the body of a whole resource.
  case body
  /// In the path of an operation.
  case path
  /// In the value of an operation, which has no path.
  case value

  var unknown: SCIMError.Kind {
    switch self {
    case .body: .invalidSyntax
    case .path: .invalidPath
    case .value: .invalidValue
    }
  }
}

extension SCIMEdited {
  /// Reads the attributes of a whole resource (RFC 7644, sections 3.3 and 3.5.1).
  ///
  /// Attributes that clients cannot change are ignored.
  ///
  /// - Throws: ``SCIMError``.
  mutating func read(_ body: JSONObject) throws(SCIMError) {
    let known = [Self.type.schema, Self.type.extension].compactMap { $0?.id.lowercased() }
    try SCIMBody.check(body, has: Self.type.schema.id.lowercased(), among: known)
    try set(body, .body) { .replace($0) }
  }

  /// Performs the operations of a PATCH in their order.
  ///
  /// - Throws: ``SCIMError``; nothing is kept then.
  mutating func perform(_ patch: SCIMPatch) throws(SCIMError) {
    for operation in patch.operations {
      if let target = operation.target {
        try set(target, operation.change, .path)
      } else if operation.path.isEmpty {
        guard case .object(let object)? = operation.change.value else {
          throw SCIMError(.invalidValue, "the value of an operation without a path must be an object of attributes")
        }
        try set(object, .value) { Self.same(operation.change, with: $0) }
      } else {
        try set(extension: operation.path, operation.change, .path)
      }
    }
  }

  private static func same(_ change: SCIMChange, with value: JSONValue) -> SCIMChange {
    if case .add = change { .add(value) } else { .replace(value) }
  }

  /// Sets the attributes of an object, whose names may be paths.
  private mutating func set(
    _ object: JSONObject, _ origin: SCIMOrigin, _ change: (JSONValue) -> SCIMChange
  ) throws(SCIMError) {
    for member in object.members where member.name.lowercased() != "schemas" {
      if let further = Self.type.extension, member.name.lowercased() == further.id.lowercased() {
        try set(extension: member.name, change(member.value), origin)
      } else {
        try set(try Self.target(member.name, origin), change(member.value), origin)
      }
    }
  }

  /// The target that the name of a member means.
  private static func target(_ name: String, _ origin: SCIMOrigin) throws(SCIMError) -> SCIMTarget {
    if case .body = origin {
      guard let path = SCIMPath(parsing: name), path.sub == nil else {
        throw SCIMError(origin.unknown, "\(type.name) has no attribute \(SCIMBody.shown(name))")
      }
      return SCIMTarget(path: path)
    }
    do throws(SCIMError) { return try SCIMTarget(name) } catch { throw SCIMError(origin.unknown, error.detail) }
  }

  /// Sets the attributes of the extension, given as an object under its URN.
  private mutating func set(
    extension name: String, _ change: SCIMChange, _ origin: SCIMOrigin
  ) throws(SCIMError) {
    guard let further = Self.type.extension else {
      throw SCIMError(origin.unknown, "\(Self.type.name) has no extension \(SCIMBody.shown(name))")
    }
    let schema = further.id.lowercased()
    switch change.value {
    case .object(let object)?:
      for member in object.members where member.name.lowercased() != "schemas" {
        let target = SCIMTarget(path: SCIMPath(schema: schema, member.name.lowercased()))
        // Even below a path, the name of the attribute is in the value.
        let inner: SCIMOrigin = if case .path = origin { .value } else { origin }
        try set(target, Self.same(change, with: member.value), inner)
      }
    case nil, .null?:
      for attribute in further.attributes {
        try set(SCIMTarget(path: SCIMPath(schema: schema, attribute.name.lowercased())), .remove(nil), origin)
      }
    default: throw SCIMError(.invalidValue, "\(further.id) must be an object")
    }
  }

  private mutating func set(_ target: SCIMTarget, _ change: SCIMChange, _ origin: SCIMOrigin) throws(SCIMError) {
    guard let attribute = Self.type.attribute(target.path) else {
      if Self.type.isUnkept(target.path) { return }
      throw SCIMError(origin.unknown, "\(Self.type.name) has no attribute \(SCIMBody.shown(target.path.attribute))")
    }
    guard attribute.mutability != "readOnly" else {
      if case .body = origin { return }
      try keep(target.path, change)
      return
    }
    try self.change(target, change)
  }
}

/// A user in a request.
struct SCIMUser: SCIMEdited {
  static var type: SCIMResourceType { .user }

  /// nil for a user who does not exist yet.
  private let id: String?
  private(set) var draft: PersonDraft

  /// A user of whom nothing is said yet.
  ///
  /// - Parameter person: the user who is replaced; nil for a new one. Unless the body says otherwise, they stay active or
  ///   inactive.
  init(replacing person: ProvisionedPerson? = nil) {
    id = person?.id
    draft = PersonDraft(username: "", isActive: person?.isActive ?? true)
    for field in ProfileField.allCases { draft.texts[field] = "" }
  }

  /// A user who is to be changed.
  init(changing person: ProvisionedPerson) {
    id = person.id
    draft = PersonDraft(person)
  }

  /// The whole user in a body.
  static func draft(_ body: JSONObject, replacing person: ProvisionedPerson? = nil) throws(SCIMError) -> PersonDraft {
    var user = SCIMUser(replacing: person)
    try user.read(body)
    guard !user.draft.username.isEmpty else { throw SCIMError(.invalidValue, "userName is missing") }
    // An absent attribute is cleared, but a directory does not lose its account because an identity provider knows no ID.
    if user.draft.texts[.externalID]?.isEmpty == true, let id = person?.profile.externalID,
      DirectorySource.isExternalID(id)
    {
      user.draft.texts[.externalID] = id
    }
    return user.draft
  }

  func keep(_ path: SCIMPath, _ change: SCIMChange) throws(SCIMError) {
    if path.attribute == "id", let id, change.value == .string(id) { return }
    throw SCIMError(.mutability, "\(path.attribute) cannot be changed here")
  }

  mutating func change(_ target: SCIMTarget, _ change: SCIMChange) throws(SCIMError) {
    guard target.filter == nil || target.path.attribute == "emails" else {
      throw SCIMError(.invalidPath, "\(target.path.attribute) has a single value")
    }
    guard target.path.sub == nil || target.path.attribute == "emails" else {
      throw SCIMError(.invalidPath, "\(target.path.attribute) has no parts")
    }
    switch target.path.attribute {
    case "username":
      guard let value = change.value else { throw SCIMError(.mutability, "userName is required") }
      draft.username = try SCIMBody.text(value, of: "userName")
    case "active":
      guard let value = change.value else { throw SCIMError(.invalidValue, "active must be true or false") }
      draft.isActive = try SCIMBody.flag(value, of: "active")
    case "displayname": draft.texts[.displayName] = try text(change, "displayName")
    case "externalid": draft.texts[.externalID] = try text(change, "externalId")
    case "department": draft.texts[.department] = try text(change, "department")
    default: try changeMail(target, change)
    }
  }

  private func text(_ change: SCIMChange, _ name: String) throws(SCIMError) -> String {
    guard let value = change.value else { return "" }
    return try SCIMBody.text(value, of: name)
  }

  /// Changes the one mail address that this server keeps.
  ///
  /// It counts as the one for work, so that `emails[type eq "work"].value` sets it even if there is none yet.
  private mutating func changeMail(_ target: SCIMTarget, _ change: SCIMChange) throws(SCIMError) {
    let present = draft.texts[.mail] ?? ""
    if let filter = target.filter {
      let mail = SCIMDocument.mail(present.isEmpty ? nil : present)
      let isRemoval = change.value == nil
      guard filter.matches(mail, isExact: { _ in false }), !isRemoval || !present.isEmpty else {
        throw SCIMError(.noTarget, "emails has no such value: only an address of the type work is kept")
      }
    }
    switch target.path.sub {
    case nil: draft.texts[.mail] = try change.value.map { value throws(SCIMError) in try Self.mail(value) } ?? ""
    case "value": draft.texts[.mail] = try text(change, "emails.value")
    case "type", "primary", "display": break
    case let sub?: throw SCIMError(.invalidPath, "emails has no part \(SCIMBody.shown(sub))")
    }
  }

  /// The address to keep: the primary one, or else the one for work, or else the first.
  private static func mail(_ value: JSONValue) throws(SCIMError) -> String {
    var best: (rank: Int, address: String) = (0, "")
    for object in try SCIMBody.elements(value, of: "emails") {
      guard let address = object.ignoringCase("value") else { throw SCIMError(.invalidValue, "emails needs a value") }
      let text = try SCIMBody.text(address, of: "emails.value")
      let flag = object.ignoringCase("primary") ?? .null
      let isPrimary = flag == .null ? false : try SCIMBody.flag(flag, of: "emails.primary")
      let rank = isPrimary ? 3 : object.ignoringCase("type") == .string("work") ? 2 : 1
      if rank > best.rank { best = (rank, text) }
    }
    return best.address
  }
}

/// A group in a request.
struct SCIMGroup: SCIMEdited {
  static var type: SCIMResourceType { .group }

  /// The most comparisons of members with filters in a request.
  ///
  /// While they are made, nothing else is written to the store.
  private static let mostComparisons = 1_000_000

  /// How many comparisons the operations so far have needed.
  private var comparisons = 0
  /// The group that is changed; nil for a whole one.
  private let group: ProvisionedGroup?
  private(set) var draft: GroupDraft

  /// A group of which nothing is said yet.
  init() {
    group = nil
    draft = GroupDraft(name: "")
  }

  /// A group that is to be changed.
  init(changing group: ProvisionedGroup) {
    self.group = group
    draft = GroupDraft(group)
  }

  /// The whole group in a body.
  static func draft(_ body: JSONObject) throws(SCIMError) -> GroupDraft {
    var group = SCIMGroup()
    try group.read(body)
    guard !group.draft.name.isEmpty else { throw SCIMError(.invalidValue, "displayName is missing") }
    return group.draft
  }

  func keep(_ path: SCIMPath, _ change: SCIMChange) throws(SCIMError) {
    // Okta sends the id along with a new name.
    if path.attribute == "id", let group, change.value == .string(group.id) { return }
    throw SCIMError(.mutability, "\(path.attribute) cannot be changed here")
  }

  mutating func change(_ target: SCIMTarget, _ change: SCIMChange) throws(SCIMError) {
    guard target.path.sub == nil else {
      throw SCIMError(.invalidPath, "parts of \(target.path.attribute) cannot be changed by themselves")
    }
    if target.path.attribute == "displayname" {
      guard target.filter == nil else { throw SCIMError(.invalidPath, "displayName has a single value") }
      guard let value = change.value else { throw SCIMError(.mutability, "displayName is required") }
      draft.name = try SCIMBody.text(value, of: "displayName")
      return
    }
    if target.path.attribute == "externalid" {
      guard target.filter == nil else { throw SCIMError(.invalidPath, "externalId has a single value") }
      draft.externalID =
        try change.value.map { value throws(SCIMError) in try SCIMBody.text(value, of: "externalId") } ?? ""
      return
    }
    if let filter = target.filter { return try changeMembers(meeting: filter, change) }
    switch change {
    case .add(let value): draft.members.formUnion(try Self.ids(value))
    case .replace(let value): draft.members = try Self.ids(value)
    case .remove(nil): draft.members = []
    case .remove(let value?): draft.members.subtract(try Self.ids(value))
    }
  }

  /// Removes the members that meet a filter.
  ///
  /// A filter that names the id of a member, as identity providers send it, looks at that member alone.
  private mutating func changeMembers(meeting filter: SCIMFilter, _ change: SCIMChange) throws(SCIMError) {
    guard case .remove = change else { throw SCIMError(.mutability, "a member can be added or removed, not changed") }
    let looked: Set<String>
    if let id = filter.required(SCIMPath("value")) {
      looked = draft.members.contains(id) ? [id] : []
    } else {
      comparisons += draft.members.count * filter.comparisons
      guard comparisons <= Self.mostComparisons else {
        throw SCIMError(
          .tooMany, "the filters look at too many members: remove members by their ids, members[value eq \"ID\"]")
      }
      looked = draft.members
    }
    let met = looked.filter { id in
      filter.matches(SCIMDocument.member(id)) { $0.attribute == "value" || $0.attribute == "$ref" }
    }
    guard !met.isEmpty else { throw SCIMError(.noTarget, "no member of the group meets the filter") }
    draft.members.subtract(met)
  }

  private static func ids(_ value: JSONValue) throws(SCIMError) -> Set<String> {
    var ids: Set<String> = []
    for object in try SCIMBody.elements(value, of: "members") {
      guard case .string(let id)? = object.ignoringCase("value") else {
        throw SCIMError(.invalidValue, "members needs the id of a user as value")
      }
      if case .string(let type)? = object.ignoringCase("type"), type.lowercased() != "user" {
        throw SCIMError(.invalidValue, "only users can be members of a group")
      }
      ids.insert(id)
    }
    return ids
  }
}
