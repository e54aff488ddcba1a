import Testing
import ToolTestSupport

@testable import Doctor
@testable import UAFTool

@Suite struct FacetTests {
  @Test func `uafctl facet prints the configured FacetID, and what the server's facet list has to contain`() {
    let machine = Machine(configuration: Machine.configuration + "facet_id = \"linux:example\"\n")
    let bench = Bench(["facet"], core: FakeCore([]), installation: machine.installation)
    #expect(bench.exit == .success)
    #expect(
      bench.output == """
        linux:example
        {"trustedFacets":[{"version":{"major":1,"minor":0},"ids":["linux:example"]},\
        {"version":{"major":1,"minor":1},"ids":["linux:example"]}]}

        """)
    #expect(bench.notes == "" && bench.startedOwn.isEmpty)
  }

  @Test func `uafctl facet accepts a different configuration only from root`() {
    let machine = Machine()
    let path = machine.installation.configurationPath
    #expect(Bench(["facet", "--conf", path], as: 0).output.hasPrefix("linux:pam-module:pam_uaf\n"))
    #expect(Bench(["facet", "--conf", path]).exit == .usage)
  }

  @Test func `uafctl facet refuses without a usable configuration`() {
    let missing = Bench(["facet"])
    #expect(missing.exit == .usage)
    #expect(missing.notes.hasPrefix("uafctl: the configuration cannot be used: /nonexistent: "))
    let machine = Machine(configuration: "")
    let bench = Bench(["facet"], core: FakeCore([]), installation: machine.installation)
    #expect(bench.exit == .usage)
    #expect(bench.output == "" && bench.notes.contains("names no server"))
  }
}
