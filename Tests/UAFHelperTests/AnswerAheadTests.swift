import Authenticator
import Glibc
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import UAFHelper

/// The server's answer is received while the person is still typing.
@Suite struct AnswerAheadTests {
  private static let get = "https://localhost/uaf/get"
  private static let list = "https://localhost/uaf/facets"
  private static let respond = "https://localhost/uaf/respond"

  /// A bench whose server has an AppID with a facet list, and answers before the person has entered anything.
  private func bench(_ more: String = "") throws -> HelperBench {
    let bench = try HelperBench()
    bench.configuration += "\n" + more
    bench.server.appID = Self.list
    bench.server.facets = ["linux:pam-module:pam_uaf"]
    bench.server.registrationHeader = OperationHeader(upv: .uaf10, op: .registration, appID: Self.list)
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
    bench.answersWhileTyping = true
    return bench
  }

  /// The addresses that a call contacts, and its result.
  private func asked(_ bench: HelperBench, _ begin: Begin, _ entries: [String]) throws -> ([String], Transcript) {
    let before = bench.server.requests.count
    let answers = entries.map(HelperBench.Entry.answer)
    let transcript = try bench.run(begin, entries: begin.isDivided ? [.resume] + answers : answers)
    return (bench.server.requests.dropFirst(before).map(\.url), transcript)
  }

  private func remote(_ bench: HelperBench, isKnown: Bool, divided: Bool = false) -> Begin {
    var begin = bench.begin()
    begin.service = Array("sshd".utf8)
    (begin.isRemote, begin.remoteHost, begin.isDivided) = (true, Array("192.0.2.1".utf8), divided)
    if !isKnown { (begin.uid, begin.account) = (nil, nil) }
    return begin
  }

  @Test func `the facet list is requested before the person's entry is checked`() throws {
    let bench = try bench()
    #expect(try asked(bench, bench.begin(), ["wrong1"]).0 == [Self.get, Self.list])
    bench.answersWhileTyping = false
    #expect(try asked(bench, bench.begin(), ["wrong1"]).0 == [Self.get], "a person who types faster")
  }

  @Test(arguments: [true, false]) func `a login sends the same requests, whether the person or the server is faster`(
    _ isAhead: Bool
  ) throws {
    let bench = try bench()
    bench.answersWhileTyping = isAhead
    let (urls, login) = try asked(bench, bench.begin(), ["correct"])
    #expect(login.pamCode == 0 && urls == [Self.get, Self.list, Self.respond])
  }

  @Test func `after a wrong entry the server's answer serves the next entry, and no request is sent twice`() throws {
    let bench = try bench("[service.login]\ntries = 2\n")
    let (urls, login) = try asked(bench, bench.begin(), ["wrong1", "correct"])
    #expect(login.pamCode == 0 && urls == [Self.get, Self.list, Self.respond])
  }

  @Test(arguments: [true, false]) func `a fault in the server's request is reported only after a right entry`(
    _ isAhead: Bool
  ) throws {
    let bench = try bench()
    bench.answersWhileTyping = isAhead
    bench.server.facets = ["linux:other"]
    let wrong = try bench.run(bench.begin(), ["wrong1"])
    #expect(wrong.pamCode == 7 && !wrong.errors.joined().contains("server"))
    let right = try bench.run(bench.begin(), ["correct"])
    #expect(right.pamCode != 0 && bench.server.answered == 1, "nothing was signed but the registration")
    #expect(bench.log.lines.contains { $0.contains("does not name this client's FacetID") })
  }

  @Test
  func `a server's request that is too old is dropped with its facet list, and both are requested again`() throws {
    let bench = try bench()
    bench.server.onEachGet = { [unowned bench] in
      // The person takes more than a minute for the first prompt.
      guard bench.server.requests.count == 4 else { return }
      bench.now.nanoseconds += 61_000_000_000
    }
    let (urls, login) = try asked(bench, bench.begin(), ["correct"])
    #expect(login.pamCode == 0, "\(bench.log.lines)")
    #expect(urls == [Self.get, Self.list, Self.get, Self.list, Self.respond])
  }

  @Test
  func `a server's answer that arrives while the secret is checked is read before the attempt is cleared`() throws {
    let bench = try bench()
    (bench.answersWhileTyping, bench.answersWhileChecking) = (false, true)
    #expect(try asked(bench, bench.begin(), ["wrong1"]).0 == [Self.get], "a wrong value takes nothing")
    let (urls, login) = try asked(bench, bench.begin(), ["correct"])
    #expect(login.pamCode == 0 && urls == [Self.get, Self.list, Self.respond])
  }

  // MARK: Hidden accounts

  @Test(arguments: [true, false], [true, false])
  func `in a remote login, a name without a key causes the same requests as a name with a key`(
    _ isAhead: Bool, _ isDivided: Bool
  ) throws {
    let bench = try bench()
    bench.answersWhileTyping = isAhead
    let known = try asked(bench, remote(bench, isKnown: true, divided: isDivided), ["wrong1"])
    let unknown = try asked(bench, remote(bench, isKnown: false, divided: isDivided), ["wrong1"])
    #expect(known.0 == (isAhead || isDivided ? [Self.get, Self.list] : [Self.get]))
    #expect(unknown.0 == known.0)
    #expect(known.1.pamCode == 7 && unknown.1.pamCode == 7 && known.1.errors == unknown.1.errors)
    #expect(known.1.prompts == unknown.1.prompts)
  }

  @Test func `in a remote login, a locked account causes the same requests as any other`() throws {
    let bench = try bench()
    for index in 0..<5 { try bench.run(remote(bench, isKnown: true), ["wrong-\(index)"]) }
    let (urls, locked) = try asked(bench, remote(bench, isKnown: true), ["correct"])
    #expect(locked.pamCode == 7 && urls == [Self.get, Self.list])
  }
}
