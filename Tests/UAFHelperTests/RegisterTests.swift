import Authenticator
import Foundation
import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

@Suite struct RegisterTests {
  private func bench() throws -> HelperBench {
    let bench = try HelperBench()
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    return bench
  }

  private func hasState(_ bench: HelperBench) throws -> Bool {
    // Only the ids of the keys that were made stay, because the server may know these keys.
    try FileManager.default.contentsOfDirectory(atPath: bench.folder + "/state/accounts").contains { $0 != "4242.made" }
  }

  @Test func `if the two entries of a new secret differ, the person is told and asked again`() throws {
    let bench = try bench()
    let transcript = try bench.run(bench.registration(), ["correct", "correkt", "correct", "correct"])
    #expect(transcript.result == 0)
    #expect(transcript.prompts.map(\.step) == [.new, .newAgain, .new, .newAgain])
    #expect(transcript.prompts[2].errorMessage == "The two entries do not match; this was not counted.")
  }

  @Test(arguments: [
    ("", "Ask the administrator for a new one"), ("{user}.corp", "This account's name there is mina.corp"),
  ])
  func `if the server refuses a code, the text gives the account's name there if it differs`(
    mapping: String, told: String
  ) throws {
    let bench = try bench()
    if !mapping.isEmpty {
      bench.configuration = bench.configuration.replacing(
        "response_url", with: "username = \"\(mapping)\"\nresponse_url")
    }
    bench.server.registrationStatus = .unauthorized
    var begin = bench.registration()
    let code = try #require(EnrolmentCode(random: [UInt8](repeating: 0x5A, count: EnrolmentCode.randomByteCount)))
    begin.payload = Array(code.text.utf8)
    let transcript = try bench.run(begin, [])
    #expect(transcript.result == 13_006, "\(bench.log.lines)")
    #expect(transcript.finished.text?.contains(told) == true, "\(transcript.finished.text ?? "")")
  }

  @Test func `two different entries of a new secret are not counted as an attempt`() throws {
    let bench = try bench()
    let entries = ["correct", "correkt", "korrect", "correct", "correct", "correct"]
    let transcript = try bench.run(bench.registration(), entries)
    #expect(transcript.result == 0 && transcript.prompts.count == 6)
    #expect(try bench.triesLeft() == 3)
  }

  @Test func `a registration lists all broken rules together`() throws {
    let bench = try bench()
    bench.configuration += """

      [passcode]
      min_length = 8
      [passcode.rules]
      ascending_descending = "No runs."
      [passcode.ignore]
      "123" = "Not 123."
      """
    let transcript = try bench.run(bench.registration(), ["123456", "correct-one", "correct-one"])
    #expect(transcript.result == 0)
    let error = try #require(transcript.prompts[1].errorMessage)
    #expect(Set(error.split(separator: "\n")) == ["Use at least 8 characters.", "No runs.", "Not 123."])
  }

  @Test func `after three rounds without an acceptable secret, a registration ends`() throws {
    let bench = try bench()
    let transcript = try bench.run(bench.registration(), ["abc", "abc", "abc"])
    #expect(transcript.result == 7111 && transcript.pamCode == 20)
    #expect(transcript.finished.text == "No passcode was set, because no entry could be used. Try again.")
    #expect(try !hasState(bench))
  }

  @Test func `if the server refuses a registration, nothing is stored`() throws {
    let bench = try bench()
    bench.server.respondStatus = .init(rawValue: 1496)
    let transcript = try bench.run(bench.registration(), ["correct", "correct"])
    #expect(transcript.result == 9999)
    #expect(try !hasState(bench))
    #expect(try bench.run(bench.begin(.authenticate, "nouserok")).pamCode == 25)
  }

  @Test func `refuses a payload for another account, server, CA, operation or time, and stores nothing`() throws {
    let bench = try bench()
    let server = bench.server
    let payloads = [
      server.payload(username: "root"), server.payload(server: "https://localhost:8443"),
      server.payload(server: "https://evil.example"), server.payload(ca: "-----BEGIN CERTIFICATE-----"),
      server.payload(operation: .authentication), server.payload(expires: 1_799_999_999),
    ]
    for payload in payloads {
      var begin = bench.registration()
      begin.payload = Array(payload.encoded.utf8)
      let transcript = try bench.run(begin)
      #expect([1001, 1100].contains(transcript.result) && transcript.pamCode != 0)
      #expect(transcript.prompts.isEmpty)
    }
    #expect(server.requests.isEmpty)
    #expect(try !hasState(bench))
  }

  @Test func `accepts a payload with a CA of the configuration, even if the CA file is written differently`() throws {
    let own = try HelperBench.authority()
    let text = String(decoding: own, as: UTF8.self)
    for (ca, isTaken) in [
      (text, true), (text.replacing("\n", with: "\r\n"), true), ("a comment\n" + text, true), (text + text, true),
      (String(decoding: try HelperBench.authority(), as: UTF8.self), false), ("no certificate", false),
      (text + String(decoding: try HelperBench.authority(), as: UTF8.self), false), (String(text.dropLast(40)), false),
    ] {
      let bench = try bench()
      try bench.trust([0x23, 0xE4, 0x0A] + (try HelperBench.authority()) + own)
      var begin = bench.registration()
      begin.payload = Array(bench.server.payload(ca: ca).encoded.utf8)
      #expect(try bench.run(begin, ["correct", "correct"]).result == (isTaken ? 0 : 1001), "\(bench.log.lines)")
    }
  }

  @Test(
    arguments: [[], Array("no certificate".utf8), [0x30, 0x00], Array("-----BEGIN CERTIFICATE-----\nMAA=\n".utf8)]
      as [[UInt8]])
  func `a CA file without a valid certificate ends the call, and the log says why`(_ file: [UInt8])
    throws
  {
    let bench = try bench()
    try bench.trust(file)
    let transcript = try bench.run(bench.registration(), [])
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty)
    let log = bench.log.lines.last ?? ""
    #expect(log.contains("server.ca_file: \(bench.folder)/ca.pem: ") && log.contains("certificate"), "\(log)")
  }

  @Test(arguments: [nil, "", "e30", "not base64!", String(repeating: "A", count: 16384)] as [String?])
  func `refuses an entry that is neither a code nor a payload`(_ text: String?) throws {
    let bench = try bench()
    var begin = bench.registration()
    begin.payload = text.map { Array($0.utf8) }
    #expect(try bench.run(begin).result == 1001)
  }

  @Test func `registering again with a code asks for no old secret, and counts no attempt`() throws {
    let bench = try HelperBench.registered()
    let again = try bench.run(bench.registration(), ["battery", "battery"])
    #expect(again.result == 0 && again.prompts.map(\.step) == [.new, .newAgain])
    #expect(try bench.triesLeft() == 3)
    #expect(try bench.run(bench.begin(), ["battery"]).result == 0)
  }

  @Test func `registering again clears the count of wrong entries only after the server has accepted it`() throws {
    let bench = try HelperBench.registered()
    try bench.run(bench.begin(), ["wrong1"])
    try bench.run(bench.begin(), ["wrong2"])
    bench.server.respondStatus = .init(rawValue: 1500)
    try bench.run(bench.registration(), ["battery", "battery"])
    try bench.run(bench.begin(), ["wrong3"])
    #expect(try bench.run(bench.begin()).result == 3013)
  }

  @Test func `a peer without root can register only under the name of its uid`() throws {
    let bench = try bench()
    var begin = Begin(.register)
    begin.service = Array("uafctl".utf8)
    begin.payload = Array(bench.server.payload().encoded.utf8)
    #expect(try bench.run(begin, [], peer: 4243).result == 1011, "uid 4243 is not in passwd")
    #expect(try bench.run(begin, ["correct", "correct"], peer: 4242).result == 0)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  private func registration(of bench: HelperBench, as name: String) -> Begin {
    var begin = Begin(.register)
    begin.service = Array("uafctl".utf8)
    begin.payload = Array(bench.server.payload(username: name).encoded.utf8)
    return begin
  }

  @Test func `a person whom only a directory knows is registered under the name that the directory returns`() throws {
    let bench = try bench()
    bench.passwd = "root:x:0:0::/:/bin/sh\n"
    bench.directory = { .found(Array("mina\($0)".utf8)) }
    let transcript = try bench.run(registration(of: bench, as: "mina70000"), ["correct", "correct"], peer: 70_000)
    #expect(transcript.result == 0, "\(bench.log.lines)")
    #expect(transcript.prompts.first?.text == "Use at least 6 characters.\nNew passcode for mina70000: ")
    #expect(bench.askedNames == [70_000] && bench.server.asked.map(\.context.username) == ["mina70000"])
  }

  @Test func `a person of a directory cannot register with a code for another name`() throws {
    let bench = try bench()
    bench.passwd = "root:x:0:0::/:/bin/sh\n"
    bench.directory = { _ in .found(Array("mina".utf8)) }
    #expect(try bench.run(registration(of: bench, as: "otto"), [], peer: 70_000).result == 1001)
    #expect(bench.server.asked.isEmpty)
  }

  @Test func `if a directory gives a uid to a new person, the uid can register under neither name`() throws {
    let bench = try bench()
    bench.passwd = "root:x:0:0::/:/bin/sh\n"
    bench.directory = { _ in .found(Array("mina".utf8)) }
    #expect(
      try bench.run(registration(of: bench, as: "mina"), ["correct", "correct"], peer: 70_000).result == 0)
    bench.directory = { _ in .found(Array("successor".utf8)) }
    let asked = bench.server.asked.count
    for name in ["mina", "successor"] {
      #expect(try bench.run(registration(of: bench, as: name), [], peer: 70_000).result != 0)
    }
    #expect(bench.server.asked.count == asked)
  }

  /// What the name services return for uid 70000, and what the person is told.
  @Test(
    arguments: [
      (.unknown, "no name"), (.ambiguous, "same name as another"), (.failed("errno 5"), "does not answer"),
      (.found(Array("root".utf8)), "same name as another"), (.found(Array("mi na".utf8)), "no name"),
      (.found(Array("mi:na".utf8)), "no name"), (.found(Array("민아".utf8)), "no name"), (.found([]), "no name"),
      (.found(Array("mina\n".utf8)), "no name"), (.found(Array("mina\nroot".utf8)), "no name"),
      (.found(Array("mina\r".utf8)), "no name"), (.found(Array("mi\u{202E}na".utf8)), "no name"),
      (.found(Array("mina\u{200B}".utf8)), "no name"),
    ] as [(DirectoryName, String)])
  func `refuses to register a person of a directory who has no unambiguous name`(
    _ answer: DirectoryName, _ words: String
  ) throws {
    let bench = try bench()
    bench.passwd = "root:x:0:0::/:/bin/sh\n"
    bench.directory = { _ in answer }
    let transcript = try bench.run(registration(of: bench, as: "mina"), [], peer: 70_000)
    #expect(transcript.result == 1011 && bench.server.asked.isEmpty)
    #expect(transcript.finished.text?.contains(words) == true, "\(transcript.finished.text ?? "")")
  }
}
