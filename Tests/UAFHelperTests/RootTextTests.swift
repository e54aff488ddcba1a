import Authenticator
import FidoResults
import Foundation
import Testing
import UAFConfiguration
import UAFMessages
import UAFWire

@testable import UAFHelper

/// Texts that only root's uafctl shows, in the language of root's session.
@Suite struct RootTextTests {
  private static let faults: [UnsafeFile] = [
    .badPath, .notFolder, .owner(1, wanted: 0), .open(mode: "755"), .symbolicLink, .notRegular, .names(2),
    .size(limit: 9),
    .keySize(32),
  ]

  private static let errors: [StateError] =
    faults.map { .unsafe(path: "/x", why: $0) } + [
      .notInitialised(path: "/x"), .keyMissing(path: "/x"), .keySealed(path: "/x"), .keyElsewhere(path: "/x"),
      .cannotOpen(path: "/x", errno: 13), .cannotOpen(path: "/x", errno: 30), .cannotOpen(path: "/x", errno: 71),
      .damaged,
      .identityMismatch, .serverNameChanged(registered: "a", configured: "b"), .superseded, .database(code: 8),
      .database(code: 11), .database(code: 13), .unknownSchema(9), .absent, .cryptography, .share,
    ]

  /// The English words in a text that connect sentences, apart from commands and names in quotes.
  private func english(in text: String) -> [Substring] {
    let parts = text.split(separator: "'", omittingEmptySubsequences: false)
    let spoken = parts.indices.filter { $0 % 2 == 0 }.map { parts[$0] }.joined(separator: " ")
    let joints: Set<Substring> = [
      "the", "is", "are", "was", "of", "and", "to", "not", "with", "for", "by", "which", "that", "it", "an", "this",
      "cannot",
      "there", "has", "have", "no", "none", "at", "as", "from",
    ]
    return spoken.split { !$0.isLetter }.filter(joints.contains)
  }

  private func isKorean(_ text: String) -> Bool {
    text.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) }
  }

  @Test(arguments: errors) func `each failure of the state folder has a text in each language`(error: StateError) {
    let text = RootText(error)
    #expect(text.text(in: .english) == "\(error)")
    #expect(isKorean(text.text(in: .korean)) && english(in: text.text(in: .korean)) == [], "\(text.text(in: .korean))")
    #expect(!text.text(in: .korean).contains("(가)") && !text.text(in: .korean).contains("(를)"))
  }

  private func root(_ bench: HelperBench, _ operation: UAFWire.Operation, as name: String = "mina") -> Begin {
    var begin = bench.begin(operation)
    begin.service = Array("uafctl".utf8)
    begin.locale = Array("ko_KR.UTF-8".utf8)
    begin.account = Array(name.utf8)
    return begin
  }

  private func expectKorean(_ bench: HelperBench, _ begin: Begin, _ what: String) throws {
    let text = try #require(try bench.run(begin).finished.text)
    #expect(isKorean(text) && english(in: text) == [], "\(what): \(text)")
  }

  @Test func `every operation on a renamed account reports the change in Korean`() throws {
    let bench = try HelperBench.registered()
    for operation in [UAFWire.Operation.status, .deregister, .reset, .unlock, .change, .authenticate, .rename] {
      var begin = root(bench, operation, as: "nora")
      if operation == .rename { begin.payload = Array("else".utf8) }
      try expectKorean(bench, begin, "\(operation)")
    }
    var begin = root(bench, .register, as: "nora")
    begin.payload = Array(bench.server.payload().encoded.utf8)
    try expectKorean(bench, begin, "register")
    begin = root(bench, .rename)
    begin.payload = Array("else".utf8)
    try expectKorean(bench, begin, "rename of what has its name")
  }

  @Test func `an unusable configuration is reported in Korean, with line and key`() throws {
    let bench = try HelperBench.registered()
    bench.configuration += "\n[nosuch]\n"
    let text = try #require(try bench.run(root(bench, .status)).finished.text)
    #expect(text.hasPrefix("설정을 사용할 수 없습니다: ") && text.contains(": nosuch") && english(in: text) == [], "\(text)")
  }

  @Test func `results of root's operations are reported in Korean, too`() throws {
    let bench = try HelperBench()
    try expectKorean(bench, root(bench, .initialise), "init")
    let registered = try HelperBench.registered()
    try expectKorean(registered, root(registered, .unlock), "unlock")
    try expectKorean(registered, root(registered, .checkIn), "check-in")
    var trust = root(registered, .trust)
    trust.payload = Array(registered.server.payload().encoded.utf8)
    try expectKorean(registered, trust, "trust")
  }
}
