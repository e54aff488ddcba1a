import Foundation
import Testing
import UAFCrypto
import UAFMessages
import UAFWire

@testable import UAFHelper

/// The characters in which a person sees a transaction text: they depend on the server and on the terminal.
@Suite struct TransactionCharsetTests {
  private func bench(_ charset: String? = "utf-8", signed: Bool = false) throws -> HelperBench {
    let bench = try HelperBench.registered("[service.sudo]\ntransaction = true", signed: signed)
    bench.device.hostName = "desk"
    if let charset {
      bench.configuration = bench.configuration.replacing(
        "[state]", with: "transaction_charset = \"\(charset)\"\n[state]")
    }
    return bench
  }

  private func sudo(_ bench: HelperBench, _ arguments: [String], locale: String? = "ko_KR.UTF-8") -> Begin {
    var begin = bench.begin()
    begin.service = Array("sudo".utf8)
    begin.program = Array("/usr/bin/sudo".utf8)
    begin.commandLine = (["sudo"] + arguments).flatMap { Array(($0 + "\0").utf8) }
    begin.locale = locale.map { Array($0.utf8) }
    return begin
  }

  private static let plain = "mina@desk: sudo: cat '보고서.txt'"
  private static let escaped = "mina@desk: sudo: cat '\\xEB\\xB3\\xB4\\xEA\\xB3\\xA0\\xEC\\x84\\x9C.txt'"

  @Test func `a command in Hangul is shown in Hangul, and the shown bytes are signed`() throws {
    let bench = try bench()
    let transcript = try bench.run(sudo(bench, ["cat", "보고서.txt"]), ["correct"])
    #expect(transcript.result == 0)
    #expect(transcript.prompts.map(\.confirmed) == ["패스코드를 입력하면 다음을 승인합니다: " + Self.plain])
    #expect(transcript.prompts.map(\.reason) == [Self.plain])
    #expect(bench.server.asked.last?.context.transaction == Self.plain)
    #expect(bench.server.confirmed.last == (try SHA256.hash(Array(Self.plain.utf8))))
  }

  @Test(arguments: [nil, "ascii"])
  func `a server that is not configured for letters gets an escaped text, and that is shown`(_ charset: String?) throws
  {
    let bench = try bench(charset)
    let transcript = try bench.run(sudo(bench, ["cat", "보고서.txt"]), ["correct"])
    #expect(transcript.result == 0)
    #expect(transcript.prompts.first?.confirmed?.hasSuffix(Self.escaped) == true)
    #expect(bench.server.confirmed.last == (try SHA256.hash(Array(Self.escaped.utf8))))
  }

  @Test func `a server that signs its verdicts gets letters`() throws {
    let bench = try bench(nil, signed: true)
    #expect(try bench.run(sudo(bench, ["cat", "보고서.txt"]), ["correct"]).result == 0)
    #expect(bench.server.asked.last?.context.transaction == Self.plain)
  }

  @Test(arguments: [nil, "C", "ko_KR.EUC-KR", "ko_KR", "en_US.ISO-8859-1"])
  func `on a terminal without UTF-8 the text is escaped, and the escaped text is signed`(_ locale: String?) throws {
    let bench = try bench()
    #expect(try bench.run(sudo(bench, ["cat", "보고서.txt"], locale: locale), ["correct"]).result == 0)
    #expect(bench.server.confirmed.last == (try SHA256.hash(Array(Self.escaped.utf8))))
  }

  @Test(arguments: [
    "\u{202E}txt.exe", "e\u{301}", "\u{1112}\u{1161}\u{11AB}", "\u{5D0}\u{5D1}", "\u{3164}", "a\u{200B}b", "\u{430}pt",
    "–rf",
  ])
  func `characters that reverse, hide or imitate others are escaped in a transaction text`(_ argument: String) throws {
    let bench = try bench()
    let transcript = try bench.run(sudo(bench, [argument]), ["correct"])
    let shown = try #require(bench.server.asked.last?.context.transaction)
    #expect(transcript.result == 0 && shown.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(shown)")
    #expect(transcript.prompts.first?.confirmed?.hasSuffix(shown) == true)
  }

  @Test func `a transaction text of wide letters takes no more rows of the screen than one of narrow letters`() throws {
    let bench = try bench()
    let command = sudo(bench, ["echo", String(repeating: "한", count: 650)])
    let transcript = try bench.run(command, ["correct"])
    #expect(transcript.result == 0)
    let lines = try #require(transcript.prompts.first?.confirmed).split(separator: "\n")
    let columns = lines.map { $0.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 2) } }
    // Rows have 80 cells, of which the last stays empty if a wide letter does not fit.
    #expect(columns.reduce(0) { $0 + ($1 + 78) / 79 } <= 10, "\(columns)")
    #expect(lines.last?.contains("433") == true, "the characters that are left out: \(lines)")
  }

  @Test func `refuses options of sudo that wide letters would push off the screen`() throws {
    let bench = try bench()
    let wide = "A=" + String(repeating: "한", count: 160)
    let transcript = try bench.run(sudo(bench, [wide, "-s", "echo", String(repeating: "x", count: 300)]), ["correct"])
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty)
  }

  @Test func `the text of an approval may contain letters, because it came from the server`() throws {
    let bench = try HelperBench.registered()
    bench.server.slippedText = "계산대에서 ₩50,000 결제"
    var begin = Begin(.authenticate)
    begin.service = Array("uafctl".utf8)
    begin.payload = Array(bench.server.payload(operation: .authentication).encoded.utf8)
    let transcript = try bench.run(begin, ["correct"], peer: 4242)
    #expect(transcript.result == 0)
    #expect(transcript.prompts.first?.text.contains("계산대에서 ₩50,000 결제") == true)
  }

  @Test func `refuses a transaction if the server sends back letters instead of the escaped bytes`() throws {
    let bench = try bench("ascii")
    bench.server.slippedText = Self.plain
    let answered = bench.server.answered
    #expect(try bench.run(sudo(bench, ["cat", "보고서.txt"]), ["correct"]).result == 1001)
    #expect(bench.server.answered == answered)
  }
}
