import NIOHTTP1
import UAFAdministration
import UAFMessages
import WebMessages

/// The table of SCIM's routes.
enum SCIMRoutes {
  static let all = SCIMUserRoutes.all + SCIMGroupRoutes.all + SCIMDiscoveryRoutes.all + refused

  /// What RFC 7644 has and this server does not.
  private static let refused = [
    refusal(.POST, "/Bulk", "bulk operations are not supported: send each operation by itself"),
    refusal(.POST, "/.search", "search at /Users/.search or /Groups/.search"),
    refusal(.GET, "/Me", "a token of the role provisioning belongs to no user"),
  ]

  private static func refusal(_ method: HTTPMethod, _ path: String, _ detail: String) -> SCIMRoute {
    SCIMRoute(method: method, path: path) { _ in throw SCIMError(.notImplemented, detail) }
  }
}

/// The routes of users (RFC 7643, section 4.1).
enum SCIMUserRoutes {
  static let all = [list, search, create, one, replace, patch, delete]

  private static let list = SCIMRoute(method: .GET, path: "/Users") { call in
    try await found(SCIMQuery(call.query, .user), call)
  }

  private static let search = SCIMRoute(method: .POST, path: "/Users/.search", hasBody: true) { call in
    try await found(SCIMQuery(call.body, .user), call)
  }

  private static func found(_ query: SCIMQuery, _ call: SCIMCall) async throws -> WebResponse {
    let condition = query.filter.map { filter in
      { @Sendable (person: ProvisionedPerson) throws -> Bool in try SCIMDocument(person).meets(filter) }
    }
    let page = try await call.people.people(
      key(query.filter), skipping: query.startIndex - 1, limit: query.count, by: call.caller, where: condition)
    let resources = try page.records.map { try SCIMDocument($0).json(query.projection) }
    return SCIMResponse.json(SCIMList.json(resources, total: page.total, startIndex: query.startIndex))
  }

  /// The key that every match of a filter has.
  private static func key(_ filter: SCIMFilter?) -> ProvisionedKey {
    guard let filter else { return .none }
    if let id = filter.required(SCIMPath("id")) { return .id(id) }
    if let name = filter.required(SCIMPath("username")) { return .name(name) }
    return filter.required(SCIMPath("externalid")).map { .externalID($0) } ?? .none
  }

  private static let create = SCIMRoute(method: .POST, path: "/Users", hasBody: true) { call in
    let person = try await call.people.add(try SCIMUser.draft(call.body), by: call.caller)
    return try call.response(SCIMDocument(person), .created)
  }

  private static let one = SCIMRoute(method: .GET, path: "/Users/{id}") { call in
    try call.found(SCIMDocument(try await call.people.person(call.id, by: call.caller)))
  }

  private static let replace = SCIMRoute(method: .PUT, path: "/Users/{id}", hasBody: true) { call in
    let person = try await call.people.change(call.id, by: call.caller) { person in
      try call.checkVersion(SCIMDocument(person))
      return try SCIMUser.draft(call.body, replacing: person)
    }
    return try call.response(SCIMDocument(person))
  }

  private static let patch = SCIMRoute(method: .PATCH, path: "/Users/{id}", hasBody: true) { call in
    let patch = try SCIMPatch(call.body)
    let person = try await call.people.change(call.id, by: call.caller) { person in
      try call.checkVersion(SCIMDocument(person))
      var user = SCIMUser(changing: person)
      try user.perform(patch)
      return user.draft
    }
    return try call.response(SCIMDocument(person))
  }

  private static let delete = SCIMRoute(method: .DELETE, path: "/Users/{id}") { call in
    try await call.people.remove(call.id, by: call.caller) { try call.checkVersion(SCIMDocument($0)) }
    return WebResponse(status: .noContent)
  }
}

/// The routes of groups (RFC 7643, section 4.2).
enum SCIMGroupRoutes {
  static let all = [list, search, create, one, replace, patch, delete]

  private static let members = SCIMPath("members")

  private static let list = SCIMRoute(method: .GET, path: "/Groups") { call in
    try await found(SCIMQuery(call.query, .group), call)
  }

  private static let search = SCIMRoute(method: .POST, path: "/Groups/.search", hasBody: true) { call in
    try await found(SCIMQuery(call.body, .group), call)
  }

  private static func found(_ query: SCIMQuery, _ call: SCIMCall) async throws -> WebResponse {
    let key = key(query.filter)
    let searchesMembers = query.filter?.paths.contains { $0.attribute == members.attribute } ?? false
    guard key != .none || !searchesMembers else {
      throw SCIMError(.invalidFilter, "members are searched by the operator eq alone: members.value eq \"ID\"")
    }
    let condition = query.filter.map { filter in
      { @Sendable (group: ProvisionedGroup) throws -> Bool in try SCIMDocument(group).meets(filter) }
    }
    let page = try await call.groups.groups(
      key, skipping: query.startIndex - 1, limit: query.count,
      showing: query.projection.shows(members.attribute) || query.projection.shows(SCIMDocument.meta),
      searching: searchesMembers, by: call.caller, where: condition)
    let resources = try page.records.map { try SCIMDocument($0).json(query.projection) }
    return SCIMResponse.json(SCIMList.json(resources, total: page.total, startIndex: query.startIndex))
  }

  /// The key that every match of a filter has.
  private static func key(_ filter: SCIMFilter?) -> ProvisionedKey {
    guard let filter else { return .none }
    if let id = filter.required(SCIMPath("id")) { return .id(id) }
    if let name = filter.required(SCIMPath("displayname")) { return .name(name) }
    if let externalID = filter.required(SCIMPath("externalid")) { return .externalID(externalID) }
    let member = filter.required(SCIMPath("members", sub: "value")) ?? filter.required(members)
    return member.map { .member($0) } ?? .none
  }

  private static let create = SCIMRoute(method: .POST, path: "/Groups", hasBody: true) { call in
    let group = try await call.groups.add(try SCIMGroup.draft(call.body), by: call.caller)
    return try call.response(SCIMDocument(group), .created)
  }

  private static let one = SCIMRoute(method: .GET, path: "/Groups/{id}") { call in
    try call.found(SCIMDocument(try await call.groups.group(call.id, by: call.caller)))
  }

  private static let replace = SCIMRoute(method: .PUT, path: "/Groups/{id}", hasBody: true) { call in
    let group = try await call.groups.change(call.id, by: call.caller) { group in
      try call.checkVersion(SCIMDocument(group))
      return try SCIMGroup.draft(call.body)
    }
    return try call.response(SCIMDocument(group))
  }

  private static let patch = SCIMRoute(method: .PATCH, path: "/Groups/{id}", hasBody: true) { call in
    let patch = try SCIMPatch(call.body)
    let group = try await call.groups.change(call.id, by: call.caller) { group in
      try call.checkVersion(SCIMDocument(group))
      var edited = SCIMGroup(changing: group)
      try edited.perform(patch)
      return edited.draft
    }
    return try call.response(SCIMDocument(group))
  }

  private static let delete = SCIMRoute(method: .DELETE, path: "/Groups/{id}") { call in
    try await call.groups.remove(call.id, by: call.caller) { try call.checkVersion(SCIMDocument($0)) }
    return WebResponse(status: .noContent)
  }
}

/// The routes that describe this server (RFC 7644, section 4).
enum SCIMDiscoveryRoutes {
  static let all = [provider, resourceTypes, resourceType, schemas, schema]

  private static let provider = SCIMRoute(method: .GET, path: "/ServiceProviderConfig") { call in
    try check(call)
    return SCIMResponse.json(SCIMServiceProvider.json)
  }

  private static let resourceTypes = SCIMRoute(method: .GET, path: "/ResourceTypes") { call in
    try check(call)
    return list(SCIMResourceType.all.map(\.json))
  }

  private static let resourceType = SCIMRoute(method: .GET, path: "/ResourceTypes/{id}") { call in
    try check(call)
    guard let type = SCIMResourceType.all.first(where: { $0.name == call.id }) else {
      throw SCIMError(.notFound, "there is no such resource type")
    }
    return SCIMResponse.json(type.json)
  }

  private static let schemas = SCIMRoute(method: .GET, path: "/Schemas") { call in
    try check(call)
    return list(SCIMSchema.all.map(\.json))
  }

  private static let schema = SCIMRoute(method: .GET, path: "/Schemas/{id}") { call in
    try check(call)
    guard let schema = SCIMSchema.all.first(where: { $0.id.lowercased() == call.id.lowercased() }) else {
      throw SCIMError(.notFound, "there is no such schema")
    }
    return SCIMResponse.json(schema.json)
  }

  private static func list(_ resources: [JSONObject]) -> WebResponse {
    SCIMResponse.json(SCIMList.json(resources, total: resources.count, startIndex: 1))
  }

  /// Refuses a filter: a client might take the answer for the only schemas that there are (RFC 7644, section 4).
  private static func check(_ call: SCIMCall) throws(SCIMError) {
    guard call.query["filter"] == nil else { throw SCIMError(.forbidden, "this path does not accept a filter") }
  }
}
