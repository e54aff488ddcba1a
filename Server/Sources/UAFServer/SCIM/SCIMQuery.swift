import UAFMessages

/// A search for resources (RFC 7644, sections 3.4.2 and 3.4.3).
struct SCIMQuery {
  /// The parameters that a list of resources accepts.
  ///
  /// Sorting is not supported, so an order that is asked for is ignored (RFC 7644, section 3.4.2.3). The last one is what
  /// Microsoft Entra ID adds to each URL if its administrator has asked for behaviour in line with the RFC.
  static let names = [
    "filter", "startIndex", "count", "attributes", "excludedAttributes", "sortBy", "sortOrder", "aadOptscim062020",
  ]

  let filter: SCIMFilter?
  /// From 1.
  let startIndex: Int
  let count: Int
  let projection: SCIMProjection

  /// Reads the query of a URL.
  ///
  /// - Throws: ``SCIMError``.
  init(_ query: QueryText, _ type: SCIMResourceType) throws(SCIMError) {
    try self.init(
      filter: query["filter"], startIndex: Self.number(query["startIndex"], of: "startIndex"),
      count: Self.number(query["count"], of: "count"), projection: Self.projection(query), type)
  }

  /// Reads the body of a search.
  ///
  /// - Throws: ``SCIMError``.
  init(_ body: JSONObject, _ type: SCIMResourceType) throws(SCIMError) {
    let schema = "urn:ietf:params:scim:api:messages:2.0:searchrequest"
    try SCIMBody.check(body, has: schema, among: [schema])
    let known = ["schemas"] + Self.names.map { $0.lowercased() }
    for member in body.members where !known.contains(member.name.lowercased()) {
      throw SCIMError(.invalidSyntax, "a search has no member \(SCIMBody.shown(member.name))")
    }
    var filter: String?
    if let value = body.ignoringCase("filter"), value != .null { filter = try SCIMBody.text(value, of: "filter") }
    try self.init(
      filter: filter, startIndex: Self.number(body.ignoringCase("startindex"), of: "startIndex"),
      count: Self.number(body.ignoringCase("count"), of: "count"),
      projection: SCIMProjection(
        attributes: Self.names(body.ignoringCase("attributes"), of: "attributes"),
        excluded: Self.names(body.ignoringCase("excludedattributes"), of: "excludedAttributes")), type)
  }

  private init(
    filter: String?, startIndex: Int?, count: Int?, projection: SCIMProjection, _ type: SCIMResourceType
  ) throws(SCIMError) {
    self.filter = try filter.map { text throws(SCIMError) in try SCIMFilter(text) }
    try self.filter?.check(type)
    // Smaller numbers count as the smallest (RFC 7644, section 3.4.2.4).
    self.startIndex = max(startIndex ?? 1, 1)
    self.count = min(max(count ?? SCIMServiceProvider.mostResults, 0), SCIMServiceProvider.mostResults)
    self.projection = projection
  }

  /// The attributes that the query of a URL asks for.
  static func projection(_ query: QueryText) throws(SCIMError) -> SCIMProjection {
    func list(_ name: String) -> [String]? {
      query[name].map { $0.split(separator: ",").map { String($0.filter { $0 != " " }) } }
    }
    return try SCIMProjection(attributes: list("attributes"), excluded: list("excludedAttributes"))
  }

  private static func number(_ text: String?, of name: String) throws(SCIMError) -> Int? {
    guard let text else { return nil }
    guard let number = Int(text) else { throw SCIMError(.invalidValue, "\(name) must be a whole number") }
    return number
  }

  private static func number(_ value: JSONValue?, of name: String) throws(SCIMError) -> Int? {
    switch value {
    case nil, .null: return nil
    case .integer(let number): return Int(clamping: number)
    default: throw SCIMError(.invalidValue, "\(name) must be a whole number")
    }
  }

  private static func names(_ value: JSONValue?, of name: String) throws(SCIMError) -> [String]? {
    switch value {
    case nil, .null: return nil
    case .array(let elements):
      var names: [String] = []
      for element in elements { names.append(try SCIMBody.text(element, of: name)) }
      return names
    default: throw SCIMError(.invalidValue, "\(name) must be a list of texts")
    }
  }
}

/// The list of the resources that a search has found.
enum SCIMList {
  static func json(_ resources: [JSONObject], total: Int, startIndex: Int) -> JSONObject {
    [
      "schemas": .array([.string("urn:ietf:params:scim:api:messages:2.0:ListResponse")]),
      "totalResults": .integer(Int64(total)), "itemsPerPage": .integer(Int64(resources.count)),
      "startIndex": .integer(Int64(startIndex)), "Resources": .array(resources.map(JSONValue.object)),
    ]
  }
}
