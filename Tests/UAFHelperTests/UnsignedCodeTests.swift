import FidoResults
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import UAFHelper

/// What an enrolment code allows a person without root, depending on whether the server signs its successes.
@Suite struct UnsignedCodeTests {
  /// A registration by the person, who is not root.
  private func persons(_ bench: HelperBench, _ type: String = "pattern") -> Begin {
    var begin = Begin(.register)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = Array(type.utf8)
    begin.payload = Array(bench.server.payload().encoded.utf8)
    return begin
  }

  private func bench(signed: Bool = false) throws -> HelperBench {
    let bench = try HelperBench.registered(signed: signed)
    bench.server.accepted = [["5541#0001"], ["5541#0002"]]
    return bench
  }

  @Test func `a person's code adds a second secret to an account in use only if the server signs its success`() throws {
    let unsigned = try bench()
    let refused = try unsigned.run(persons(unsigned), ["12369", "12369"], peer: 4242)
    #expect(refused.result == 1001 && refused.pamCode != 0 && refused.prompts.isEmpty)
    #expect(refused.finished.text?.contains("'uafctl register USER --code FILE'") == true)
    #expect(unsigned.server.keys.count == 1)
    #expect(try unsigned.run(unsigned.begin(.authenticate, "authenticator=pattern"), ["12369"]).result == 1009)
    let signed = try bench(signed: true)
    #expect(try signed.run(persons(signed), ["12369", "12369"], peer: 4242).result == 0)
    #expect(try signed.run(signed.begin(.authenticate, "authenticator=pattern"), ["12369"]).result == 0)
  }

  @Test func `a success signed with a wrong key, or for another operation, adds no secret`() throws {
    let bench = try bench(signed: true)
    let other = try VerdictSigner()
    for signed in [{ try other.token(for: $0, at: 1_800_000_000) }, { _ in "x.y.z" }]
      as [(FakeServer.Yes) throws -> String]
    {
      bench.server.signed = signed
      #expect(try bench.run(persons(bench), ["12369", "12369"], peer: 4242).result == 1002)
    }
    let honest = try self.bench(signed: true)
    let signed = honest.server.signed
    honest.server.signed = { yes in
      var yes = yes
      yes.operation = .authentication
      return try signed?(yes) ?? ""
    }
    #expect(try honest.run(persons(honest), ["12369", "12369"], peer: 4242).result == 1002)
  }

  @Test func `root's code, and a login with the first authenticator, work without signed successes`() throws {
    let bench = try bench()
    var begin = bench.registration("pattern")
    #expect(try bench.run(begin, ["12369", "12369"]).result == 0)
    let other = try self.bench()
    begin = persons(other)
    begin.payload = nil
    #expect(try other.run(begin, ["correct", "12369", "12369"], peer: 4242).result == 0)
  }

  @Test
  func `without a signed success, a code lets a person repair a key of a known secret, but set no other secret`()
    throws
  {
    let bench = try bench()
    var repair = persons(bench, "passcode")
    repair.operation = .repair
    #expect(try bench.run(repair, ["correct"], peer: 4242).result == 0)
    #expect(try bench.run(repair, ["wrong1", "wrong2", "wrong3"], peer: 4242).result == 3013)
    let refused = try bench.run(persons(bench, "passcode"), peer: 4242)
    #expect(refused.result == 1001 && refused.prompts.isEmpty)
  }

  @Test func `an account that root has reset accepts a person's code as before its first registration`() throws {
    let bench = try bench()
    var reset = bench.begin(.reset)
    reset.service = Array("uafctl".utf8)
    #expect(try bench.run(reset).result == 7100)
    #expect(try bench.run(persons(bench), ["12369", "12369"], peer: 4242).result == 0)
  }

  @Test func `a secret whose type is disabled still counts as in use`() throws {
    let bench = try bench()
    bench.configuration = "authenticators = [\"pattern\"]\n" + bench.configuration
    #expect(try bench.run(persons(bench), ["12369", "12369"], peer: 4242).result == 1001)
    #expect(bench.server.keys.count == 1)
  }

  @Test(arguments: ["[prompt]\noffer_reset = true", "[service.login]\noffer_reset = true"])
  func `registering again at the prompt without signed verdicts is root's mistake, and nobody is asked`(_ more: String)
    throws
  {
    let bench = try HelperBench.registered()
    bench.configuration += "\n" + more
    let transcript = try bench.run(bench.begin(), ["2", "any", "battery", "battery"])
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty && transcript.pamCode == 3)
    #expect(bench.log.lines.contains { $0.contains("offer_reset: true needs server.require_signed_verdict = true") })
  }
}
