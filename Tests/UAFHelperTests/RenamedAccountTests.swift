import FidoResults
import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

/// An account whose name has changed since it was registered.
@Suite struct RenamedAccountTests {
  private static let told = "This account's name has changed on this machine."

  /// The begin message that a host, or root's uafctl, sends for uid 4242 under this name.
  private func begin(
    _ bench: HelperBench, _ operation: UAFWire.Operation = .authenticate, as name: String, service: String = "login"
  ) -> Begin {
    var begin = bench.begin(operation)
    begin.service = Array(service.utf8)
    (begin.account, begin.typedName) = (Array(name.utf8), Array(name.utf8))
    return begin
  }

  private func persons(_ operation: UAFWire.Operation) -> Begin {
    var begin = Begin(operation)
    begin.service = Array("uafctl".utf8)
    return begin
  }

  private func rename(_ bench: HelperBench, to name: String, from old: String) throws -> Transcript {
    var begin = begin(bench, .rename, as: name, service: "uafctl")
    begin.payload = Array(old.utf8)
    return try bench.run(begin)
  }

  @Test(arguments: ["mina2", "mina@example.com", "MINA"])
  func `a login to a renamed account says that the name has changed, and asks for nothing`(_ name: String) throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(begin(bench, as: name))
    #expect(transcript.result == 1001 && transcript.pamCode == 7 && transcript.prompts.isEmpty)
    #expect(transcript.errors.first?.hasPrefix(Self.told + " Ask the administrator") == true, "\(transcript.errors)")
    let log = try #require(bench.log.lines.last { $0.contains("registered as 'mina'") })
    #expect(log.contains("root's 'uafctl status \(name)' says what helps"))
  }

  @Test(arguments: [UAFWire.Operation.status, .authenticate, .change, .deregister])
  func `the person's own uafctl says the same about a changed name as a login, whoever knows the name`(
    _ operation: UAFWire.Operation
  ) throws {
    let bench = try HelperBench.registered()
    bench.passwd = "mina2:x:4242:4242::/:/bin/sh\n"
    let transcript = try bench.run(persons(operation), peer: 4242)
    #expect(transcript.result == 1001 && transcript.finished.text?.hasPrefix(Self.told) == true)
    guard [.status, .authenticate].contains(operation) else { return }
    bench.passwd = "root:x:0:0::/:/bin/sh\n"
    bench.directory = { _ in .found(Array("mina@example.com".utf8)) }
    #expect(try bench.run(persons(operation), peer: 4242).finished.text?.hasPrefix(Self.told) == true)
    // If the name services do not answer, nobody is refused.
    bench.directory = { _ in .failed("errno 110") }
    #expect(try bench.run(persons(operation), operation == .status ? [] : ["correct"], peer: 4242).result == 0)
  }

  @Test func `root is told both names of a renamed account, and that no unlock helps`() throws {
    let bench = try HelperBench.registered()
    for operation in [UAFWire.Operation.unlock, .status, .reset] {
      let text = try bench.run(begin(bench, operation, as: "mina2", service: "uafctl")).finished.text
      #expect(text?.contains("'uafctl rename mina2 --from mina'") == true, "\(operation)")
    }
  }

  @Test func `with hidden registrations a changed name looks like a wrong secret`() throws {
    let bench = try HelperBench.registered("[general]\nhide_state = true")
    let transcript = try bench.run(begin(bench, as: "mina2"), ["correct"])
    #expect(transcript.result == 3012 && transcript.prompts.count == 1)
    for operation in [UAFWire.Operation.change, .authenticate] {
      let transcript = try bench.run(begin(bench, operation, as: "mina2", service: "passwd"), ["correct", nil])
      #expect(!transcript.errors.contains { $0.contains("name has changed") }, "\(operation)")
    }
  }

  @Test
  func `taking over a former name keeps secret, key and locks, and the account keeps its name at the server`() throws {
    let bench = try HelperBench.registered()
    try bench.run(bench.begin(), ["wrong1"])
    let transcript = try rename(bench, to: "mina2", from: "mina")
    #expect(
      transcript.finished.text
        == "mina2 now has what was registered as mina. At the server the account stays mina.",
      "\(bench.log.lines)")
    #expect(bench.audit.records.contains { $0.event == .renamed })
    #expect(try bench.run(begin(bench, as: "mina2"), ["wrong2"]).errors.contains { $0.contains("1 try left") })
    #expect(try bench.run(begin(bench, as: "mina2"), ["correct"]).result == 0)
    #expect(bench.server.asked.last?.context.username == "mina")
    // If both names have the uid, the person may use either.
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try bench.run(begin(bench, as: "mina3")).result == 1001)
    #expect(try rename(bench, to: "mina3", from: "mina2").result == 0)
    #expect(try bench.run(begin(bench, as: "mina3"), ["correct"]).result == 0)
  }

  @Test func `takes nothing over from a wrong former name, or if nothing is registered`()
    throws
  {
    let bench = try HelperBench.registered()
    #expect(try rename(bench, to: "mina2", from: "nora").result == 1001)
    #expect(try bench.run(begin(bench, as: "mina2")).result == 1001)
    let empty = try HelperBench()
    _ = try empty.run(empty.begin(.initialise))
    #expect(try rename(empty, to: "mina2", from: "mina").result == 1009)
  }

  @Test func `only root can take over the registration of a former name`() throws {
    let bench = try HelperBench.registered()
    bench.passwd = "mina2:x:4242:4242::/:/bin/sh\n"
    var begin = persons(.rename)
    begin.payload = Array("mina".utf8)
    #expect(try bench.run(begin, peer: 4242).finished.text == "Only root may do that.")
    #expect(try bench.run(self.begin(bench, as: "mina2")).result == 1001)
  }

  @Test func `after a takeover, secrets can be changed and registered under the new name`() throws {
    let bench = try HelperBench.registered(signed: true)
    #expect(try rename(bench, to: "mina2", from: "mina").result == 0)
    var change = begin(bench, .change, as: "mina2", service: "uafctl")
    #expect(try bench.run(change, ["correct", "battery", "battery"]).result == 7110)
    change = begin(bench, .register, as: "mina2", service: "uafctl")
    change.payload = Array(bench.server.payload().encoded.utf8)
    #expect(try bench.run(change, ["horses", "horses"]).result == 0)
    #expect(try bench.run(begin(bench, as: "mina2"), ["horses"]).result == 0)
  }

  @Test func `if the last key was removed and the uid goes to a different account, it inherits neither former name`()
    throws
  {
    let bench = try HelperBench.registered()
    #expect(try rename(bench, to: "mina2", from: "mina").result == 0)
    #expect(try bench.run(begin(bench, .reset, as: "mina2", service: "uafctl")).result == 7100)
    var register = begin(bench, .register, as: "nora", service: "uafctl")
    register.payload = Array(bench.server.payload(username: "nora").encoded.utf8)
    #expect(try bench.run(register, ["battery", "battery"]).result == 0, "\(bench.log.lines)")
    #expect(try bench.run(begin(bench, as: "mina2")).result == 1001)
  }

  // MARK: A former name that somebody else has now

  /// The begin message that root's uafctl sends for a uid under this name.
  private func roots(_ bench: HelperBench, _ operation: UAFWire.Operation, _ uid: UInt32, as name: String) -> Begin {
    var begin = begin(bench, operation, as: name, service: "uafctl")
    begin.uid = uid
    return begin
  }

  private func register(_ bench: HelperBench, _ uid: UInt32, as name: String) throws -> Transcript {
    var begin = roots(bench, .register, uid, as: name)
    begin.payload = Array(bench.server.payload(username: name).encoded.utf8)
    return try bench.run(begin, ["battery", "battery"])
  }

  @Test func `nobody can register under the name that a renamed account keeps at the server`() throws {
    let bench = try HelperBench.registered()
    bench.passwd = "mina2:x:4242:4242::/:/bin/sh\nmina:x:4243:4243::/:/bin/sh\n"
    #expect(try rename(bench, to: "mina2", from: "mina").result == 0)
    let refused = try register(bench, 4243, as: "mina")
    #expect(refused.result == 1011 && refused.prompts.isEmpty)
    #expect(
      refused.finished.text
        == "number 4242, now 'mina2', is registered at the server as 'mina': 'uafctl forget mina2' removes that registration, "
        + "and 'mina2' then registers under its own name")
    var own = persons(.register)
    own.payload = Array(bench.server.payload().encoded.utf8)
    let persons = try bench.run(own, ["battery", "battery"], peer: 4243)
    #expect(persons.prompts.isEmpty)
    #expect(
      persons.finished.text
        == "Another account on this machine is registered under this account's name at the server.\n"
        + "Ask the administrator; the log says which account.")
    #expect(bench.log.lines.contains { $0.contains("'uafctl forget mina2'") })
    // Follows the hints of the text.
    #expect(try bench.run(roots(bench, .forget, 4242, as: "mina2")).result == 0)
    #expect(try register(bench, 4242, as: "mina2").result == 0, "\(bench.log.lines)")
    #expect(try register(bench, 4243, as: "mina").result == 0, "\(bench.log.lines)")
  }

  @Test func `if this machine finds no name for the uid of the other account, root is told how to find one`() throws {
    let bench = try HelperBench.registered()
    bench.passwd = "mina:x:4243:4243::/:/bin/sh\n"
    let text = try #require(try register(bench, 4243, as: "mina").finished.text)
    #expect(text.contains("'getent passwd 4242'") && text.contains("/accounts/4242.db and its -journal"))
  }

  @Test func `a deregistered account does not prevent others from registering under its former name`() throws {
    let bench = try HelperBench.registered()
    #expect(try rename(bench, to: "mina2", from: "mina").result == 0)
    #expect(try bench.run(roots(bench, .reset, 4242, as: "mina2")).result == 7100)
    #expect(try register(bench, 4243, as: "mina").result == 0, "\(bench.log.lines)")
  }

  @Test func `if two accounts have swapped names, root's hints work to the end`() throws {
    let bench = try HelperBench.registered()
    #expect(try register(bench, 4243, as: "nora").result == 0, "\(bench.log.lines)")
    bench.passwd = "nora:x:4242:4242::/:/bin/sh\nmina:x:4243:4243::/:/bin/sh\n"
    #expect(try bench.run(begin(bench, as: "nora")).result == 1001)
    #expect(bench.log.lines.contains { $0.contains("root's 'uafctl status nora' says what helps") })
    let told = try #require(try bench.run(roots(bench, .status, 4242, as: "nora")).finished.text)
    #expect(
      told
        == "registered as 'mina', and number 4242 is 'nora' now: 'mina' is the name of number 4243 now, so nothing can be "
        + "moved: 'uafctl forget nora' removes the registration, and 'nora' can register again"
    )
    #expect(try bench.run(roots(bench, .forget, 4242, as: "nora")).result == 0)
    let next = try #require(try register(bench, 4242, as: "nora").finished.text)
    #expect(next.contains("number 4243, now 'mina', is registered") && next.contains("'uafctl forget mina'"))
    #expect(try bench.run(roots(bench, .forget, 4243, as: "mina")).result == 0)
    for (uid, name) in [(UInt32(4242), "nora"), (4243, "mina")] {
      #expect(try register(bench, uid, as: name).result == 0, "\(bench.log.lines)")
      var login = begin(bench, as: name)
      login.uid = uid
      #expect(try bench.run(login, ["battery"]).result == 0, "\(bench.log.lines)")
    }
  }
}
