import Testing
import UAFAdministration
import UAFMessages

@testable import UAFConsole

/// Printed sheets, each with one code.
struct EnrolmentSheetTests {
  private func payload(_ name: String, server: String = "https://uaf.test", ca: String? = nil) -> EnrolmentPayload {
    EnrolmentPayload(
      op: .registration, server: server, username: name, authCode: "c0de", expires: 1_900_000_000, ca: ca)
  }

  private func document(_ language: PageLanguage = .english) -> SheetDocument {
    SheetDocument(language: language) { "time \($0)" }
  }

  private func page(_ names: [String], _ language: PageLanguage = .english) throws -> String {
    let document = document(language)
    return try document.beginning() + names.map { try document.sheet(ListedCode(payload: payload($0))) }.joined()
      + document.ending
  }

  @Test func `enrolment sheets give each person a page with name, server, expiry, code, QR picture and command`()
    throws
  {
    let text = try page(["mina", "jun"])
    for name in ["mina", "jun"] {
      #expect(text.contains("<bdi>\(name)</bdi>") && text.contains("<pre>\(payload(name).encoded)</pre>"))
      #expect(text.contains(">uafctl register --code \(name).code</pre>"))
      let path = try #require(QRCode(payload(name).encoded)?.path)
      #expect(text.contains("<path class=\"dark\" d=\"\(path)\"/>"))
    }
    #expect(text.contains("<bdi>https://uaf.test</bdi>") && text.contains("<bdi>time 1900000000</bdi>"))
    #expect(text.components(separatedBy: "<article class=\"sheet\"").count == 3)
    #expect(text.contains("break-after: page") && text.contains("size: A4") && text.hasSuffix("</html>\n"))
  }

  @Test(arguments: [PageLanguage.english, .korean])
  func `an enrolment sheet begins with the characters to be typed, and the QR picture and the line are of the payload`(
    _ language: PageLanguage
  ) throws {
    let code = try #require(EnrolmentCode(random: [UInt8](repeating: 0x5A, count: 10)))
    let payload = EnrolmentPayload(code: code, server: "https://uaf.test", username: "mina", expires: 1_900_000_000)
    let text = try document(language).sheet(ListedCode(payload: payload))
    let order = [
      "<p class=\"typed\">B9D5-MPJT-B9D5-MPJQ</p>", "<path class=", ">uafctl register --code -</pre>",
      ">uafctl register --code mina.code</pre>", "<pre>\(payload.encoded)</pre>",
    ]
    let places = try order.map { try #require(text.firstRange(of: $0)?.lowerBound, "\($0)") }
    #expect(places == places.sorted())
    #expect(text.contains(try #require(QRCode(payload.encoded)?.path)))
    // A code of a different server is only in its payload.
    #expect(try !page(["mina"], language).contains("class=\"typed\""))
  }

  @Test func `an enrolment sheet shows the person's name beside the account, without hidden characters`() throws {
    let text = try document(.korean).sheet(ListedCode(payload: payload("mina"), displayName: "김미나\u{202E}<b>"))
    #expect(text.contains("김미나[U+202E]&lt;b&gt; 등록") && text.contains("<bdi>mina</bdi>"))
    #expect(text.contains("<bdi>김미나[U+202E]&lt;b&gt;</bdi>"))
    #expect(try !page(["mina"]).contains("Display name"))
  }

  @Test func `an enrolment sheet is in Korean if that was asked for`() throws {
    let text = try page(["mina"], .korean)
    #expect(text.contains("<html lang=\"ko\">") && text.contains("mina 등록") && !text.contains("Registering"))
  }

  @Test func `an enrolment sheet loads nothing from anywhere, and forbids scripts`() throws {
    let text = try page(["mina"])
    for word in ["<script", "src=", "href=", "url(", "@import", "<img", "<link", "<form"] {
      #expect(!text.contains(word), "\(word)")
    }
    #expect(
      text.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\""))
  }

  @Test func `an enrolment sheet shows text that looks like a part of the template as text`() throws {
    #expect(try page(["{{sheetLine}}{{{path}}}"]).contains("<bdi>{{sheetLine}}{{{path}}}</bdi>"))
  }

  @Test(arguments: ["<script>alert(1)</script>", "\"onload='x'", "</article></main>", "a&amp;b"])
  func `an enrolment sheet shows markup in a name as text`(name: String) throws {
    let text = try page([name])
    #expect(!text.contains("<script") && !text.contains(name) && !text.contains("<bdi>\(name)"))
    #expect(text.components(separatedBy: "</article>").count == 2 && text.components(separatedBy: "</main>").count == 2)
  }

  @Test(arguments: ["202E", "2066", "200F", "0000", "000A", "FEFF", "E000"])
  func `an enrolment sheet shows invisible characters, and those that reverse a text, as numbers`(number: String) throws
  {
    let scalar = try #require(UInt32(number, radix: 16).flatMap(Unicode.Scalar.init))
    #expect(try page(["a\(Character(scalar))b"]).contains("<bdi>a[U+\(number)]b</bdi>"))
  }

  @Test func `an enrolment sheet shortens a name of 2,000 characters, and never the code`() throws {
    let payload = payload(String(repeating: "가", count: 2000), server: "https://" + String(repeating: "s", count: 2000))
    let text = try document().sheet(ListedCode(payload: payload))
    #expect(text.contains("<bdi>" + String(repeating: "가", count: 300) + "…</bdi>"))
    #expect(text.contains("<pre>\(payload.encoded)</pre>") && text.contains("too long for a QR code"))
  }

  @Test func `an enrolment sheet says that a code is too long for a picture, and still shows the code`() throws {
    let long = payload("mina", ca: String(repeating: "c", count: 3000))
    let text = try document().sheet(ListedCode(payload: long))
    #expect(text.contains("too long for a QR code") && text.contains(long.encoded) && !text.contains("<svg"))
  }
}
