import Testing

@testable import UAFMessages

@Suite struct TrustedFacetListTests {
  private let list = TrustedFacetList(trustedFacets: [
    .init(version: .uaf10, ids: ["linux:pam-module:old"]),
    .init(version: .uaf11, ids: ["https://a.example", "linux:pam-module:pam_uaf"]),
  ])

  @Test func `a facet list is read back as it was written`() throws {
    #expect(try TrustedFacetList(parsing: list.jsonText) == list)
  }

  @Test func `a facet list trusts exactly the FacetIDs that it has for the message's version`() {
    #expect(list.trusts("linux:pam-module:pam_uaf", version: .uaf11))
    #expect(list.trusts("linux:pam-module:old", version: .uaf10))
  }

  @Test(arguments: [
    ("linux:pam-module:pam_uaf", UPV.uaf10), ("linux:pam-module:old", .uaf11), ("linux:pam-module:pam_ua", .uaf11),
    ("linux:pam-module:PAM_UAF", .uaf11), ("", .uaf11), ("linux:pam-module:pam_uaf ", .uaf11),
  ]) func `a facet list trusts no similar FacetID, and none of a different version`(_ facetID: String, _ version: UPV) {
    #expect(!list.trusts(facetID, version: version))
  }

  @Test(arguments: [
    "{}", #"{"trustedFacets":[]}"#, #"{"trustedFacets":[{"ids":["a"]}]}"#,
    #"{"trustedFacets":[{"version":{"major":1,"minor":0},"ids":[]}]}"#,
    #"{"trustedFacets":[{"version":{"major":1,"minor":0},"ids":[null]}]}"#,
  ]) func `refuses a malformed facet list`(_ text: String) {
    #expect(throws: MessageError.self) { try TrustedFacetList(parsing: text) }
  }
}
