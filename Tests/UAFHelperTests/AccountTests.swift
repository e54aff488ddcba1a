import Authenticator
import Foundation
import Testing
import UAFWire

@testable import UAFHelper

@Suite struct AccountTests {
  private func initialised() throws -> HelperBench {
    let bench = try HelperBench()
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    return bench
  }

  @Test func `nouserok ignores an account that never registered, without a prompt`() throws {
    let bench = try initialised()
    let transcript = try bench.run(bench.begin(.authenticate, "nouserok"))
    #expect(transcript.pamCode == 25 && transcript.result == 1009)
    #expect(transcript.prompts.isEmpty && transcript.errors.isEmpty)
  }

  @Test func `in a screen locker nouserok ignores only the account that runs it, and only if it never registered`()
    throws
  {
    let bench = try initialised()
    var begin = Begin(.authenticate)
    begin.service = Array("swaylock".utf8)
    #expect(try bench.run(begin, peer: 4242).pamCode == 10)
    begin.arguments = [Array("nouserok".utf8)]
    let transcript = try bench.run(begin, peer: 4242)
    #expect(transcript.pamCode == 25 && transcript.result == 1009 && transcript.prompts.isEmpty)
    let registered = try HelperBench.registered()
    #expect(try registered.run(begin, ["wrong"], peer: 4242).pamCode == 7)
  }

  @Test func `without nouserok an account that never registered gives PAM_USER_UNKNOWN`() throws {
    let bench = try initialised()
    #expect(try bench.run(bench.begin()).pamCode == 10)
  }

  @Test func `nouserok ignores a deregistered account only after root made the machine forget it`() throws {
    let bench = try HelperBench.registered()
    #expect(try bench.run(bench.begin(.deregister), ["correct"]).result == 0)
    #expect(try bench.run(bench.begin(.authenticate, "nouserok")).pamCode == 10)
    #expect(try bench.run(bench.begin(.forget)).result == 0)
    #expect(try bench.run(bench.begin(.authenticate, "nouserok")).pamCode == 25)
  }

  @Test func `nouserok ignores no account that could not be looked up`() throws {
    let bench = try initialised()
    var begin = bench.begin(.authenticate, "nouserok")
    begin.uid = nil
    begin.account = nil
    #expect(try bench.run(begin).pamCode == 10)
  }

  @Test func `nouserok ignores no account while the state folder is unusable`() throws {
    let bench = try HelperBench.registered()
    try FileManager.default.removeItem(atPath: bench.folder + "/state/device.key")
    let transcript = try bench.run(bench.begin(.authenticate, "nouserok"))
    #expect(transcript.pamCode == 4 && transcript.result == 1007)
  }

  @Test(arguments: [UAFWire.Operation.authenticate, .change, .deregister, .status])
  func `refuses a peer whose uid now belongs to another name, without a prompt`(
    _ operation: UAFWire.Operation
  ) throws {
    let bench = try HelperBench.registered()
    var begin = Begin(operation)
    begin.service = Array("screensaver".utf8)
    bench.passwd = "successor:x:4242:4242::/:/bin/sh\n"
    let transcript = try bench.run(begin, [], peer: 4242)
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty)
    // If nobody knows the uid's name, as for an account of a directory, the passcode decides.
    bench.passwd = ""
    #expect(try bench.run(begin, operation == .status ? [] : [nil], peer: 4242).result != 1001)
  }

  /// The begin message of the person's own uafctl, which describes no account.
  private func persons(_ operation: UAFWire.Operation) -> Begin {
    var begin = Begin(operation)
    begin.service = Array("uafctl".utf8)
    return begin
  }

  @Test func `texts and log lines name a person without root, although the peer sent no name`() throws {
    let bench = try HelperBench.registeredTwice()
    let before = bench.log.lines.count
    let login = try bench.run(persons(.authenticate), ["1", "correct"], peer: 4242)
    #expect(login.result == 0 && login.prompts[0].text.hasPrefix("Authenticators of mina:"))
    #expect(login.prompts[1].text.contains("Passcode for mina"))
    var change = persons(.change)
    change.authenticator = Array("passcode".utf8)
    let changed = try bench.run(change, ["correct", "battery", "battery"], peer: 4242)
    #expect(changed.prompts[1].text == "Use at least 6 characters.\nNew passcode for mina: ")
    #expect(changed.finished.text == "The passcode of mina is changed.")
    #expect(try bench.run(persons(.authenticate), ["1", "wrong1", nil], peer: 4242).result == 999)
    #expect(bench.log.lines.count > before + 2)
    for line in bench.log.lines.dropFirst(before) { #expect(ParsedLine(line)?["account"] == "mina", "\(line)") }
  }

  @Test func `a person without root is also named at a first registration, and if the call cannot begin`() throws {
    let bench = try initialised()
    var begin = bench.registration()
    (begin.uid, begin.account, begin.typedName, begin.arguments) = (nil, nil, nil, [])
    let transcript = try bench.run(begin, ["correct", "correct"], peer: 4242)
    #expect(transcript.result == 0)
    #expect(transcript.infos == ["Registering mina: choose a passcode and enter it twice."])
    #expect(
      transcript.prompts.map(\.text) == ["Use at least 6 characters.\nNew passcode for mina: ", "New passcode again: "])
    bench.configuration += "\nnonsense = true"
    #expect(try bench.run(begin, peer: 4242).result == 1001)
    #expect(bench.log.lines.allSatisfy { ParsedLine($0)?["account"] == "mina" }, "\(bench.log.lines)")
  }

  @Test func `an account outside /etc/passwd is named as it was registered, or else by its uid`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.passwd = "root:x:0:0::/:/bin/sh\n"
    let transcript = try bench.run(persons(.authenticate), ["1", "correct"], peer: 4242)
    #expect(transcript.prompts[0].text.hasPrefix("Authenticators of mina:"))
    #expect(try ParsedLine(#require(bench.log.lines.last))?["account"] == "mina")
    #expect(try bench.run(persons(.authenticate), peer: 4711).result == 1009)
    #expect(try ParsedLine(#require(bench.log.lines.last))?["account"] == "4711")
    let document = try #require(try bench.run(persons(.status), peer: 4711).finished.document)
    #expect(document.contains(#""name":"4711""#))
  }

  @Test func `ignores the name that a peer without root claims to have`() throws {
    let bench = try initialised()
    var begin = persons(.status)
    begin.account = Array("root".utf8)
    #expect(try bench.run(begin, peer: 4242).result == 1001)
    #expect(bench.log.lines.allSatisfy { ParsedLine($0)?["account"] == "mina" }, "\(bench.log.lines)")
    #expect(try bench.run(begin, peer: 4711).result == 1001)
    #expect(try ParsedLine(#require(bench.log.lines.last))?["account"] == "4711")
  }

  @Test(arguments: [("", 19019), ("mi na", 1011), ("min\u{1b}a", 1011), ("민아", 1011)] as [(String, UInt32)])
  func `refuses user names that no account can have`(_ name: String, _ result: UInt32) throws {
    let bench = try initialised()
    var begin = bench.begin()
    begin.account = Array(name.utf8)
    begin.typedName = begin.account
    let transcript = try bench.run(begin)
    #expect(transcript.result == result && transcript.pamCode == 10)
    #expect(!bench.log.lines.joined().contains("\u{1b}"))
  }

  @Test func `refuses an account whose uid was reused, and logs why`() throws {
    let bench = try HelperBench.registered()
    var begin = bench.begin()
    begin.account = Array("other".utf8)
    let transcript = try bench.run(begin)
    #expect(transcript.result == 1001 && transcript.pamCode == 7 && transcript.prompts.isEmpty)
    #expect(bench.log.lines.contains { $0.contains("registered as 'mina'") && $0.contains("'other' now") })
  }

  @Test(arguments: [UAFWire.Operation.unlock, .status, .authenticate, .change, .deregister])
  func `a changed server user name is reported, to root with both names, and nobody is told to delete anything`(
    _ operation: UAFWire.Operation
  ) throws {
    let bench = try HelperBench.registered()
    bench.configuration = bench.configuration.replacing("[state]", with: "username = \"{user}@example.com\"\n[state]")
    var begin = bench.begin(operation)
    begin.service = Array("uafctl".utf8)
    let root = try bench.run(begin)
    #expect(root.result == 1001 && root.pamCode == 7 && root.prompts.isEmpty)
    let text = try #require(root.finished.text)
    #expect(text.contains("'mina'") && text.contains("'mina@example.com'") && text.contains("server.username"))
    #expect(!text.contains("forget") && !text.contains("ocked"))
    let line = try #require(bench.log.lines.first { $0.hasPrefix("event=configuration") })
    #expect(line.contains("'mina@example.com'"))
    #expect(!bench.log.lines.contains { $0.hasPrefix("event=damaged") })
    // Once the change is undone, the login works again.
    bench.configuration = bench.configuration.replacing("{user}@example.com", with: "{user}")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `after a changed server user name no PAM stack continues with the password`() throws {
    let bench = try HelperBench.registered()
    bench.configuration = bench.configuration.replacing("[state]", with: "username = \"x-{user}\"\n[state]")
    let login = try bench.run(bench.begin())
    #expect(login.result == 1001 && login.pamCode == 7 && login.prompts.isEmpty)
    #expect(
      login.errors == [
        "The configuration's server name for this account is not the name under which it is registered: tell the "
          + "administrator."
      ])
    var remote = bench.begin()
    (remote.isRemote, remote.remoteHost) = (true, Array("192.0.2.1".utf8))
    #expect(
      try bench.run(remote, ["correct"]).errors == ["Wrong passcode or pattern."],
      "from afar it looks like any other account")
  }

  @Test func `an account whose file is damaged counts as locked, not as unregistered`() throws {
    let bench = try HelperBench.registered()
    let file = bench.folder + "/state/accounts/4242.db"
    try Data().write(to: URL(fileURLWithPath: file))
    _ = unsafe chmod(file, 0o600)
    #expect(try bench.run(bench.begin(.authenticate, "nouserok")).result == 3014)
  }

  @Test(arguments: [Data(), Data(repeating: 0x41, count: 5000)])
  func `if an account's file is damaged, uafctl says so and what root can do, and logins report a lock`(
    _ damaged: Data
  ) throws {
    let bench = try HelperBench.registered()
    let file = bench.folder + "/state/accounts/4242.db"
    try damaged.write(to: URL(fileURLWithPath: file))
    _ = unsafe chmod(file, 0o600)
    let locked = "Locked permanently after too many wrong entries: ask the administrator to unlock."
    for operation in [UAFWire.Operation.unlock, .status, .reset, .register] {
      var begin = operation == .register ? bench.registration() : bench.begin(operation)
      begin.service = Array("uafctl".utf8)
      let root = try bench.run(begin)
      #expect(root.result == 3014 && root.finished.text?.contains("uafctl forget USER") == true, "\(operation)")
      #expect(root.finished.text?.contains("too many") == false)
    }
    var begin = Begin(.status)
    begin.service = Array("uafctl".utf8)
    let person = try bench.run(begin, peer: 4242)
    #expect(person.result == 3014 && person.finished.text?.contains("damaged or was changed") == true)
    #expect(person.finished.text?.contains("'uafctl forget USER'") == true)
    #expect(try bench.run(bench.begin()).errors == [locked])
  }

  @Test func `deregistering needs the secret and the server's consent, and then leaves no key`() throws {
    let bench = try HelperBench.registered()
    #expect(try bench.run(bench.begin(.deregister), ["wrong1"]).result == 3012)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try bench.run(bench.begin(.deregister), ["correct"]).result == 0)
    #expect(try bench.run(bench.begin()).result == 1009)
  }
}
