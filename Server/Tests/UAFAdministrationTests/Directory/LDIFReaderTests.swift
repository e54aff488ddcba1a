import Testing

@testable import UAFAdministration

/// Reading entries in LDIF.
struct LDIFReaderTests {
  private func entries(_ text: String) throws -> [DirectoryEntry] {
    var reader = LDIFReader()
    let entries = try reader.received(Array(text.utf8))
    let last = try reader.end()
    return entries + (last.map { [$0] } ?? [])
  }

  private static let two = """
    # a comment
     that goes on
    dn: uid=mina,ou=people,dc=example,dc=org
    uid: mina
    cn:: 6rmA66+464KY
    mail: mina@example.org
    mail: second@exam
     ple.org

    dn:: dWlkPeydtCxkYz1hCg==
    uid:yi

    # pagedresults: cookie=

    """

  @Test func `entries have their values in order, whether plain, in Base64 or on two lines`() throws {
    let entries = try entries(Self.two)
    #expect(entries.map(\.dn) == ["uid=mina,ou=people,dc=example,dc=org", "uid=이,dc=a\n"])
    #expect(entries[0].values["cn"] == [Array("김미나".utf8)])
    #expect(entries[0].values["mail"] == [Array("mina@example.org".utf8), Array("second@example.org".utf8)])
    #expect(entries[1].values["uid"] == [Array("yi".utf8)])
  }

  @Test func `it does not matter where the text is cut`() throws {
    let whole = try entries(Self.two)
    let bytes = Array(Self.two.utf8)
    for cut in bytes.indices {
      var reader = LDIFReader()
      var found = try reader.received(bytes[..<cut])
      found += try reader.received(bytes[cut...])
      #expect(try found + (reader.end().map { [$0] } ?? []) == whole)
    }
  }

  @Test func `the last entry needs no empty line, and lines may end as on other systems`() throws {
    #expect(try entries("dn: cn=a\r\nUID: a\r\n") == [DirectoryEntry(dn: "cn=a", values: ["uid": [[0x61]]])])
  }

  @Test func `a value with an option is another attribute, and a range is marked`() throws {
    let entry = try #require(try entries("dn: cn=a\ncn;lang-ko: b\nMember;range=0-1: c\n").first)
    #expect(entry == DirectoryEntry(dn: "cn=a", incomplete: ["member"]))
  }

  @Test(arguments: [
    ("uid: a\n", 1), ("uid: a\nmail: b\n\n", 1), ("dn: cn=a\nuid\n", 2), ("dn: cn=a\nuid:< file:///etc/passwd\n", 2),
    ("dn: cn=a\nuid:: !\n", 2),
    ("dn: cn=a\nuid:: YQ\n", 2), ("dn: cn=a\nuid: b\ndn: cn=b\n", 3), ("dn: cn=a\nchangetype: delete\n", 2),
    ("dn:\n", 1), ("dn:: /w==\n", 1), (" a\n", 1), ("dn: cn=a\nu d: b\n", 2), ("dn: cn=a\nuid: b", 2),
    ("version: 1\n", 1),
    ("dn: cn=a\n: b\n", 2),
  ])
  func `refuses what is no entry, and names the line`(text: String, line: Int) {
    #expect(throws: DirectoryProblem.notLDIF(line: line)) { try entries(text) }
  }

  @Test func `refuses a line that is too long, on one line or on several`() {
    let long = String(repeating: "a", count: LDIFReader.maximumLine)
    #expect(throws: DirectoryProblem.notLDIF(line: 2)) { try entries("dn: cn=a\nuid: \(long)\n") }
    let half = String(repeating: "a", count: LDIFReader.maximumLine / 2)
    #expect(throws: DirectoryProblem.notLDIF(line: 3)) { try entries("dn: cn=a\nuid: \(half)\n \(half)\n") }
  }

  @Test func `refuses an entry with too many values`() {
    let lines = String(repeating: "m: a\n", count: LDIFReader.maximumValues)
    #expect(throws: Never.self) { try entries("dn: cn=a\n\(lines)") }
    #expect(
      throws: DirectoryProblem.largeEntry(
        dn: "cn=a", values: LDIFReader.maximumValues, bytes: LDIFReader.maximumEntry)
    ) { try entries("dn: cn=a\n\(lines)m: a\n") }
  }

  @Test func `refuses an entry with too many bytes, and names it, but not several that are shorter`() throws {
    let entry = "dn: cn=a\nm: 12345\nm:\n 67890\n"
    var reader = LDIFReader(maximumEntry: 23)
    #expect(try reader.received(Array("\(entry)\n\(entry)\n".utf8)).count == 2)
    var small = LDIFReader(maximumEntry: 22)
    #expect(throws: DirectoryProblem.largeEntry(dn: "cn=a", values: LDIFReader.maximumValues, bytes: 22)) {
      try small.received(Array("\(entry)\n".utf8))
    }
    #expect(LDIFReader.maximumEntry == 32 * 1024 * 1024)
  }
}
