import Testing

@testable import UAFAdministration

/// Names of entries.
struct DistinguishedNameTests {
  @Test(arguments: [
    ("cn=연구소,dc=example", "CN=연구소, DC=Example"), ("cn=a\\2Cb,dc=c", "cn=a\\,b,dc=c"),
    ("cn=\\ec\\97\\b0,dc=c", "cn=연,dc=c"),
    ("cn=a+uid=b,dc=c", "uid=b+cn=a,dc=c"), ("cn=a;dc=c", "cn=a,dc=c"), ("cn=a  ,dc=c", "cn=a,dc=c"),
  ])
  func `two spellings of one name are equal`(one: String, other: String) throws {
    #expect(try #require(DistinguishedName(one)) == #require(DistinguishedName(other)))
  }

  @Test(arguments: [
    ("cn=a,dc=c", "cn=b,dc=c"), ("cn=a\\ ,dc=c", "cn=a,dc=c"), ("cn=a,dc=c", "uid=a,dc=c"),
    ("cn=a,dc=c", "cn=a,dc=c,dc=d"),
  ])
  func `different names are different`(one: String, other: String) throws {
    #expect(try #require(DistinguishedName(one)) != #require(DistinguishedName(other)))
  }

  @Test func `the entry's own value is as it is written, without escapes`() {
    #expect(DistinguishedName("CN=R\\26D \\+ Labs,ou=groups")?.ownValue == "R&D + Labs")
    #expect(DistinguishedName("cn=a+uid=b,ou=groups")?.ownValue == nil)
  }

  @Test func `an entry is below another one by whole parts, and not below itself`() throws {
    let groups = try #require(DistinguishedName("ou=groups,dc=a"))
    #expect(try #require(DistinguishedName("cn=x,OU=Groups,dc=a")).isBelow(groups))
    #expect(try #require(DistinguishedName("cn=x,ou=y,ou=groups,dc=a")).isBelow(groups))
    #expect(try !#require(DistinguishedName("cn=x,ou=mygroups,dc=a")).isBelow(groups))
    #expect(!groups.isBelow(groups))
  }

  @Test(arguments: [
    "", "a", "=a", "cn=a,", "cn=a,,dc=b", "cn=a\\", "cn=a\\4", "cn=a\\zb", "cn=\"a\"", "c n=a", "cn=\\ff", "연=a",
  ])
  func `refuses what is no name`(text: String) {
    #expect(DistinguishedName(text) == nil)
  }

  @Test func `refuses a name of more than 8192 bytes`() {
    #expect(DistinguishedName("cn=" + String(repeating: "a", count: 8189)) != nil)
    #expect(DistinguishedName("cn=" + String(repeating: "a", count: 8190)) == nil)
  }
}
