import Testing
import UAFService

@testable import UAFAdministration

/// The settings of a directory.
struct DirectorySettingsTests {
  /// The least that a file must have, with further members or others in their place.
  static func text(_ changes: [String: String?] = [:]) -> [UInt8] {
    var members: [String: String] = [
      "source": #""corp""#, "url": #""ldaps://ldap.example.org""#, "base": #""ou=people,dc=example,dc=org""#,
      "filter": #""(objectClass=inetOrgPerson)""#, "attributes": #"{"id":"entryUUID","name":"uid"}"#,
    ]
    for (name, value) in changes { members[name] = value }
    return Array(
      "{\(members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}".utf8)
  }

  @Test func `what a file leaves out is safe: the system's authorities, no groups, and the standard limit`() throws {
    let settings = try DirectorySettings(parsing: Self.text())
    #expect(settings.authorities == "/etc/ssl/certs/ca-certificates.crt" && settings.bind == nil)
    #expect(settings.groups == nil && settings.limit == DisableLimit(accounts: 10, percent: 5))
    #expect(settings.fields.isEmpty && !settings.lowersNames && !settings.startsTLS)
    #expect(settings.personAttributes == ["entryUUID", "uid"])
  }

  @Test func `each attribute is asked for once, whatever its case`() throws {
    let settings = try DirectorySettings(
      parsing: Self.text([
        "attributes":
          #"{"id":"entryUUID","name":"UID","displayName":["displayName","cn"],"mail":"mail","department":"uid"}"#,
        "groups": #"{"memberOf":"memberOf","below":"ou=groups,dc=example,dc=org"}"#,
      ]))
    #expect(settings.personAttributes == ["entryUUID", "UID", "displayName", "cn", "mail", "memberOf"])
  }

  @Test func `a connection without TLS at its beginning uses StartTLS`() throws {
    #expect(try DirectorySettings(parsing: Self.text(["url": #""ldap://192.0.2.1:3890""#])).startsTLS)
  }

  @Test(arguments: [
    ("url", #""http://ldap.example.org""#, "url"), ("url", #""ldaps://""#, "url"),
    ("url", #""ldaps://a b""#, "url"), ("url", #""ldapi:///""#, "url"), ("url", #""ldaps://a/dc=b??sub""#, "url"),
    ("url", #""ldaps://:636""#, "url"), ("url", #""ldaps://a:""#, "url"), ("url", #""ldaps://a:0""#, "url"),
    ("url", #""ldaps://a:65536""#, "url"), ("url", #""ldaps://a:+1""#, "url"), ("url", #""ldaps://a:1:2""#, "url"),
    ("url", #""ldaps://[::1""#, "url"), ("url", #""ldaps://[]""#, "url"), ("url", #""ldaps://[::1]636""#, "url"),
    ("url", #""ldaps://[a-b]""#, "url"),
    ("source", #""Corp""#, "source"), ("source", #""a:b""#, "source"), ("source", #""""#, "source"),
    ("filter", #""objectClass=person""#, "filter"), ("filter", #""-Z""#, "filter"),
    ("bindDN", #""cn=a""#, "bindDN"), ("passwordFile", #""/a""#, "bindDN"), ("base", #""a\nb""#, "base"),
    ("pageSize", "0", "pageSize"), ("pageSize", "10001", "pageSize"), ("lowerCaseNames", "1", "lowerCaseNames"),
    ("attributes", #"{"name":"uid"}"#, "attributes.id"), ("attributes", #"{"id":"-x","name":"uid"}"#, "attributes.id"),
    ("attributes", #"{"id":["a","b"],"name":"uid"}"#, "attributes.id"),
    ("attributes", #"{"id":"a","name":"b","mail":"mail;lang-ko"}"#, "attributes.mail"),
    ("attributes", #"{"id":"a","name":"b","externalID":"c"}"#, "attributes"), ("attributes", "[]", "attributes"),
    ("groups", #"{"memberOf":"memberOf"}"#, "groups.below"),
    ("groups", #"{"memberOf":"m","below":"x"}"#, "groups.below"),
    ("groups", #"{"memberOf":"m","below":"dc=a","filter":"(a=b)"}"#, "groups.filter"),
    ("groups", #"{"base":"dc=a","filter":"(a=b)","name":"cn"}"#, "groups.member"),
    ("limit", #"{"percent":101}"#, "limit.percent"), ("limit", #"{"accounts":-1}"#, "limit.accounts"),
    ("password", #""secret""#, ""),
  ])
  func `refuses a member that is wrong or unknown, and names it`(name: String, value: String, member: String) throws {
    let problem = try #require(throws: DirectorySettingsProblem.self) {
      try DirectorySettings(parsing: Self.text([name: value]))
    }
    #expect(problem.member == member)
  }

  @Test(arguments: ["ldaps://ldap.example.org:636", "ldap://[2001:db8::7]:389", "ldaps://[::1]", "ldaps://a-b"])
  func `a host may be a name or an address, with a port`(url: String) throws {
    #expect(try DirectorySettings(parsing: Self.text(["url": "\"\(url)\""])).url == url)
  }

  @Test func `names a member that is unknown`() throws {
    let problem = try #require(throws: DirectorySettingsProblem.self) {
      try DirectorySettings(parsing: Self.text(["password": #""secret""#]))
    }
    #expect(problem.description.contains("password") && !problem.description.contains("secret"))
  }

  @Test(arguments: ["source", "url", "base", "filter", "attributes"])
  func `refuses settings without a member that is needed`(name: String) throws {
    let problem = try #require(throws: DirectorySettingsProblem.self) {
      try DirectorySettings(parsing: Self.text([name: nil]))
    }
    #expect(problem.member == name)
  }

  @Test func `refuses what is no JSON object`() {
    #expect(throws: DirectorySettingsProblem.self) { try DirectorySettings(parsing: Array("[]".utf8)) }
    #expect(throws: DirectorySettingsProblem.self) {
      try DirectorySettings(parsing: Array(#"{"source":"a","source":"b"}"#.utf8))
    }
  }

  @Test(arguments: [(0, 10), (200, 10), (220, 11), (1000, 50)])
  func `the limit is ten accounts, or five percent if that is more`(active: Int, most: Int) {
    #expect(DisableLimit.standard.most(of: active) == most)
  }
}
