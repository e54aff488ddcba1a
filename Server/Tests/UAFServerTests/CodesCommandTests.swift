import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// The list of enrolment codes that were issued.
struct CodesCommandTests {
  private func line(used: Int64? = nil, isOpen: Bool = false, by issuer: String = "administrator hana") -> String {
    CodesCommand.line(
      APIShapes.code(
        IssuedCode(
          number: 7, username: "mina", issuedBy: issuer, issuedAt: 1_800_000_000, expiresAt: 1_800_000_900,
          usedAt: used, isOpen: isOpen)))
  }

  @Test func `'codes' shows who issued a code, its state, and when it was used`() {
    let begin = "7\tmina\tadministrator hana\t2027-01-15T08:00:00Z\t2027-01-15T08:15:00Z\t"
    #expect(line(isOpen: true) == begin + "open\t-")
    #expect(line() == begin + "closed\t-")
    #expect(line(used: 1_800_000_060) == begin + "used\t2027-01-15T08:01:00Z")
  }

  @Test func `an issuer's name with tabs and escape sequences adds no field to the list of codes`() {
    #expect(line(by: "token a\tb\u{1B}[2J").split(separator: "\t").count == 7)
  }

  @Test func `'codes' refuses a command line with an unknown argument`() {
    #expect(throws: (any Error).self) { try CodesCommand.parse(["mina", "--open"]) }
    #expect(throws: (any Error).self) { try CodesCommand.parse(["mina", "--state", "d"]) }
  }
}
