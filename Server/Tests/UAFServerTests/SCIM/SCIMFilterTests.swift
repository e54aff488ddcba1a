import Testing
import UAFMessages

@testable import UAFServer

/// The grammar of filters and paths (RFC 7644, sections 3.4.2.2 and 3.5.2).
struct SCIMFilterTests {
  private static let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
  private static let filters = [
    #"userName eq "mina""#, #"not (active eq true) and emails pr"#,
    #"(displayName co "\"a" or displayName sw "b") and externalId ne null"#,
    #"emails[type eq "work" and value ew "@example.org"]"#, #"\#(enterprise):department eq "Labs""#,
    #"members.value eq "1-0a""#,
  ]

  @Test(arguments: filters)
  func `each part of a filter from its beginning is refused, unless it is a filter itself`(text: String) throws {
    let whole = try SCIMFilter(text)
    for end in text.indices {
      let part = String(text[..<end])
      guard let filter = try? SCIMFilter(part) else { continue }
      // A filter that ends before `and` or `or` is whole.
      #expect(filter != whole && (text.hasPrefix(part + " and") || text.hasPrefix(part + " or") || part.last == " "))
      #expect(part.split(separator: " ").count < text.split(separator: " ").count)
    }
  }

  @Test(arguments: filters) func `a filter followed by anything is refused`(text: String) {
    for further in [")", "]", " x", "\"", " and", " or", " eq"] {
      #expect(throws: SCIMError.self) { try SCIMFilter(text + further) }
    }
  }

  @Test(arguments: [
    "", " ", "userName", "userName eq", #"userName xx "a""#, #"eq "a""#, "userName eq mina", "userName eq 'mina'",
    "userName gt true", "active co false", "userName eq [1]", #"user name eq "a""#, #"emails.a.b eq "a""#,
    #"emails[type eq "work"].value eq "a""#, #"emails.value[type eq "a"]"#, "not active pr", "(active pr", "emails[]",
    #"1a eq "a""#, #"http://x:a eq "b""#, #"userName eq "\x""#, #"userName eq "a"#, "userName eq 1e",
  ])
  func `a text that is no filter is refused as invalidFilter`(text: String) {
    #expect { try SCIMFilter(text) } throws: { ($0 as? SCIMError)?.kind == .invalidFilter }
  }

  @Test func `a filter is refused that is too long, too deep, or has too many comparisons`() throws {
    _ = try SCIMFilter(String(repeating: "(", count: 7) + "a pr" + String(repeating: ")", count: 7))
    #expect(throws: SCIMError.self) {
      try SCIMFilter(String(repeating: "(", count: 8) + "a pr" + String(repeating: ")", count: 8))
    }
    #expect(throws: SCIMError.self) { try SCIMFilter(String(repeating: "(", count: 4000)) }
    let many = Array(repeating: "a pr", count: 64).joined(separator: " or ")
    _ = try SCIMFilter(many)
    #expect(throws: SCIMError.self) { try SCIMFilter(many + " or a pr") }
    #expect(throws: SCIMError.self) { try SCIMFilter(#"a eq "\#(String(repeating: "a", count: 4096))""#) }
  }

  @Test(arguments: [
    (#"userName eq "mina""#, true), (#"USERNAME EQ "mina""#, true), (#"userName eq "Mina""#, false),
    (#"displayName eq "김미나""#, true), (#"displayName co "MI""#, false), (#"emails.value co "EXAMPLE""#, true),
    (#"emails co "example""#, true), (#"emails[type eq "work" and value sw "mina@"]"#, true),
    (#"emails[type eq "home"]"#, false), ("active eq true", true), (#"active eq "true""#, false), ("title pr", false),
    ("not (title pr)", true), ("externalId eq null", true), ("userName eq null", false), ("userName ne null", true),
    (#"userName ne "mina""#, false), (#"userName gt "mima" and userName lt "minb""#, true),
    (#"userName ge "mina" and userName le "mina""#, true), (#"userName gt "mina" or userName ew "ina""#, true),
    (#"active eq true or active eq false and userName eq "jun""#, true),
    (#"(active eq true or active eq false) and userName eq "jun""#, false),
    (#"\#(enterprise):department eq "labs""#, true), (#"department eq "labs""#, false),
  ])
  func `a resource meets a filter or not`(text: String, isMet: Bool) throws {
    let resource: JSONObject = [
      "userName": .string("mina"), "displayName": .string("김미나"), "active": .bool(true),
      "emails": .array([.object(["value": .string("Mina@example.org"), "type": .string("work")])]),
      Self.enterprise: .object(["department": .string("Labs")]),
    ]
    #expect(try SCIMFilter(text).matches(resource, isExact: SCIMResourceType.user.isExact) == isMet)
  }

  @Test func `an attribute that a filter requires is found only in comparisons that every match meets`() throws {
    let name = SCIMPath("username")
    #expect(try SCIMFilter(#"active eq true and userName eq "mina""#).required(name) == "mina")
    #expect(try SCIMFilter(#"active eq true or userName eq "mina""#).required(name) == nil)
    #expect(try SCIMFilter(#"not (userName eq "mina")"#).required(name) == nil)
    #expect(try SCIMFilter(#"userName sw "mina""#).required(name) == nil)
    let member = SCIMPath("members", sub: "value")
    #expect(try SCIMFilter(#"members[value eq "1-a"]"#).required(member) == "1-a")
    #expect(try SCIMFilter(#"members[value eq "1-a" or display pr]"#).required(member) == nil)
  }

  @Test func `a path names an attribute, its values and a part of them`() throws {
    #expect(try SCIMTarget("displayName") == SCIMTarget(path: SCIMPath("displayname")))
    let work = try SCIMFilter(#"type eq "work""#)
    #expect(
      try SCIMTarget(#"emails[type eq "work"].value"#)
        == SCIMTarget(path: SCIMPath("emails", sub: "value"), filter: work))
    #expect(
      try SCIMTarget("\(Self.enterprise):department")
        == SCIMTarget(path: SCIMPath(schema: Self.enterprise.lowercased(), "department")))
  }

  @Test(arguments: [
    "", ".", "a.", "a..b", "a b", "emails[", "emails[type", #"emails[type eq "work""#, #"emails[type eq "work"]."#,
    #"emails[type eq "work"]value"#, #"emails[type eq "work"].a.b"#, #"emails[type eq "work"] .value"#, "a[b pr]]",
    "a.b[c pr]",
  ])
  func `a text that is no path is refused as invalidPath`(text: String) {
    #expect { try SCIMTarget(text) } throws: { ($0 as? SCIMError)?.kind == .invalidPath }
  }
}
