import AuthenticatorTypes
import FidoResults
import Foundation
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import Authenticator
@testable import UAFHelper

/// The password of a person's keyring: when it is asked for, kept, handed to a host, and removed.
@Suite struct KeyringTests {
  private static let on = "[keyring]\nunlock = true"
  private static let password = "열쇠 Ring 1!"

  /// A login at a greeter that root runs, from the module of this version.
  private func greeter(_ bench: HelperBench, _ service: String = "gdm-password") -> Begin {
    var begin = bench.begin()
    begin.service = Array(service.utf8)
    begin.callerUID = 0
    begin.isRemote = false
    begin.takesKeyring = true
    return begin
  }

  private func tool(_ bench: HelperBench, _ operation: UAFWire.Operation, _ type: String? = nil) -> Begin {
    var begin = bench.begin(operation)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = type.map { Array($0.utf8) }
    return begin
  }

  /// A bench whose account has the passcode "correct", under which the password is kept.
  private func kept(_ more: String = on) throws -> HelperBench {
    let bench = try HelperBench.registered(more)
    let set = try bench.run(tool(bench, .keyringSet), ["correct", Self.password])
    #expect(set.result == 0 && set.prompts.map(\.check) == [.passcode, .keyring], "\(bench.log.lines)")
    return bench
  }

  private func status(_ bench: HelperBench) throws -> String {
    try bench.run(tool(bench, .status)).finished.document ?? ""
  }

  // MARK: Handing over

  @Test(arguments: ["gdm-password", "lightdm", "sddm", "greetd", "login"])
  func `a login through a greeter hands the kept password over, after the server's success`(_ service: String) throws {
    let bench = try kept()
    let login = try bench.run(greeter(bench, service), ["correct"])
    #expect(login.result == 0 && login.keyring == [Self.password])
    #expect(login.types.suffix(2) == [.keyring, .finished])
    #expect(bench.log.lines.contains { $0.hasPrefix("event=keyring ") && $0.contains("was handed to the host") })
  }

  @Test(arguments: ["sudo", "su", "sshd", "polkit-1", "uaf-own"])
  func `never hands the password to a service that is not in the list`(_ service: String) throws {
    let bench = try kept()
    let login = try bench.run(greeter(bench, service), ["correct"])
    #expect(login.result == 0 && login.keyring.isEmpty)
  }

  @Test func `hands the password to a service that root has listed, and then to no other`() throws {
    let bench = try kept(Self.on + "\nservices = ['uaf-own']")
    #expect(try bench.run(greeter(bench, "uaf-own"), ["correct"]).keyring == [Self.password])
    #expect(try bench.run(greeter(bench), ["correct"]).keyring.isEmpty)
  }

  @Test func `never hands the password to a remote login, or to a host that a person has called`() throws {
    let bench = try kept()
    var remote = greeter(bench)
    remote.isRemote = true
    remote.remoteHost = Array("203.0.113.7".utf8)
    #expect(try bench.run(remote, ["correct"]).keyring.isEmpty)
    var named = greeter(bench)
    named.remoteHost = Array("203.0.113.7".utf8)
    #expect(try bench.run(named, ["correct"]).keyring.isEmpty)
    for caller in [4242, 1000, nil] as [UInt32?] {
      var called = greeter(bench)
      called.callerUID = caller
      let login = try bench.run(called, ["correct"])
      #expect(login.result == 0 && login.keyring.isEmpty)
    }
  }

  @Test func `never hands the password to a module that does not take it, such as one of an older version`() throws {
    let bench = try kept()
    var older = greeter(bench)
    older.takesKeyring = false
    #expect(try bench.run(older, ["correct"]).keyring.isEmpty)
    for version in [3, 4] as [UInt16] {
      older.version = version
      let login = try bench.run(older, ["correct"])
      #expect(login.result == 0 && login.keyring.isEmpty)
    }
  }

  @Test func `refuses a peer without root that says it takes the password`() throws {
    let bench = try kept()
    var begin = Begin(.authenticate)
    begin.service = Array("gdm-password".utf8)
    begin.takesKeyring = true
    let login = try bench.run(begin, ["correct"], peer: 4242)
    #expect(login.result == 1001 && login.prompts.isEmpty && login.keyring.isEmpty)
  }

  @Test func `a wrong value, a lock and a refusal of the server hand nothing over`() throws {
    let bench = try kept()
    #expect(try bench.run(greeter(bench), ["wrong1"]).keyring.isEmpty)
    bench.server.respondStatus = UAFStatusCode(rawValue: 1498)
    let refused = try bench.run(greeter(bench), ["correct"])
    #expect(refused.pamCode != 0 && refused.keyring.isEmpty)
    bench.server.respondStatus = UAFStatusCode(rawValue: 1200)
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(greeter(bench), [wrong]) }
    let locked = try bench.run(greeter(bench), ["correct"])
    #expect(locked.result == 3013 && locked.keyring.isEmpty)
  }

  @Test func `a login without the server hands nothing over`() throws {
    let bench = try kept(Self.on + "\n[general]\noffline = \"allow\"\noffline_max_age = 3600")
    #expect(try bench.run(greeter(bench), ["correct"]).keyring == [Self.password])
    bench.server.lateFailure = .noHandshake(.refused)
    let login = try bench.run(greeter(bench), ["correct"])
    #expect(login.result == 0 && login.keyring.isEmpty)
  }

  @Test func `hands nothing over once root has switched it off, and again once it is on`() throws {
    let bench = try kept()
    bench.configuration = bench.configuration.replacing("unlock = true", with: "unlock = false")
    #expect(try bench.run(greeter(bench), ["correct"]).keyring.isEmpty)
    #expect(try bench.run(tool(bench, .keyringSet), ["correct", "other"]).result == 1001)
    bench.configuration = bench.configuration.replacing("unlock = false", with: "unlock = true")
    #expect(try bench.run(greeter(bench), ["correct"]).keyring == [Self.password])
  }

  @Test func `a seal that somebody has changed opens nothing, and the login succeeds`() throws {
    let bench = try kept()
    let directory = try StateDirectory(bench.folder + "/state", owner: getuid())
    let account = try #require(
      try AccountFile.open(in: directory, uid: 4242, name: nil, serverUserName: { _ in nil }))
    guard case .sealed(let nonce, var sealed)? = try account.keyring(.passcode) else { throw StateError.absent }
    sealed[7] ^= 1
    try account.contents.write { () throws(StateError) in
      try account.contents.put(.sealed(nonce: nonce, password: sealed), .passcode)
    }
    let login = try bench.run(greeter(bench), ["correct"])
    #expect(login.result == 0 && login.keyring.isEmpty)
    #expect(bench.log.lines.contains { $0.contains("cannot be opened") })
  }

  // MARK: Asking once

  @Test func `the first login that can show two prompts asks for the password, and later ones open with it`() throws {
    let bench = try HelperBench.registered(Self.on)
    let first = try bench.run(greeter(bench, "login"), ["correct", Self.password])
    #expect(first.result == 0 && first.prompts.map(\.check) == [.passcode, .keyring])
    #expect(first.prompts.last?.echo == false && first.keyring == [Self.password])
    let second = try bench.run(greeter(bench, "login"), ["correct"])
    #expect(second.result == 0 && second.prompts.count == 1 && second.keyring == [Self.password])
  }

  @Test func `an empty line declines once, and no later login asks`() throws {
    let bench = try HelperBench.registered(Self.on)
    let first = try bench.run(greeter(bench, "login"), ["correct", ""])
    #expect(first.result == 0 && first.keyring.isEmpty)
    #expect(first.infos == ["The password is not kept. 'uafctl keyring set' keeps it later."])
    #expect(try bench.run(greeter(bench, "login"), ["correct"]).prompts.count == 1)
    #expect(try status(bench).contains("\"keyring\":\"declined\""))
    #expect(try bench.run(tool(bench, .keyringSet), ["correct", Self.password]).result == 0)
    #expect(try bench.run(greeter(bench, "login"), ["correct"]).keyring == [Self.password])
  }

  @Test func `a login whose question is cancelled succeeds, and the next one asks again`() throws {
    let bench = try HelperBench.registered(Self.on)
    for entry in [HelperBench.Entry.cancelled, .noConversation, .denied] {
      let login = try bench.run(greeter(bench, "login"), entries: [.answer("correct"), entry])
      #expect(login.result == 0 && login.prompts.count == 2 && login.keyring.isEmpty)
    }
  }

  @Test func `a host that can show only one prompt is not asked, and neither is a host outside the list`() throws {
    let bench = try HelperBench.registered(Self.on)
    for service in ["lightdm", "sudo"] {
      let login = try bench.run(greeter(bench, service), ["correct"])
      #expect(login.result == 0 && login.prompts.count == 1)
    }
  }

  @Test func `refuses to keep a password that is too long, and the login succeeds`() throws {
    let bench = try HelperBench.registered(Self.on)
    let long = String(repeating: "k", count: 513)
    let login = try bench.run(greeter(bench, "login"), ["correct", long])
    #expect(login.result == 0 && login.keyring.isEmpty && login.infos.count == 1)
    #expect(try !status(bench).contains("\"keyring\":"))
    for bad in [long, ""] { #expect(try bench.run(tool(bench, .keyringSet), ["correct", bad]).result == 1001) }
    let longest = String(repeating: "k", count: 512)
    #expect(try bench.run(tool(bench, .keyringSet), ["correct", longest]).result == 0)
    #expect(try bench.run(greeter(bench, "login"), ["correct"]).keyring == [longest])
  }

  /// A login that asks for the password, and during which the account's file begins to refuse records of the keyring.
  private func loginWithoutRoom(_ entry: String) throws -> (bench: HelperBench, login: Transcript) {
    let bench = try HelperBench.registered(Self.on)
    let file = bench.folder + "/state/accounts/4242.db"
    bench.server.signed = { _ in
      try Database(path: file).execute(
        """
        CREATE TRIGGER full BEFORE INSERT ON record WHEN NEW.kind = CAST('keyring' AS BLOB)
        BEGIN SELECT RAISE(ABORT, 'no room'); END
        """)
      return "token"
    }
    return (bench, try bench.run(greeter(bench, "login"), ["correct", entry]))
  }

  @Test func `a password that cannot be stored opens the keyring this time, and nothing says that it is kept`() throws {
    let (bench, login) = try loginWithoutRoom(Self.password)
    #expect(login.result == 0 && login.keyring == [Self.password], "\(bench.log.lines)")
    #expect(bench.log.lines.contains { $0.contains("the password of the keyring could not be kept") })
    #expect(!bench.log.lines.contains { $0.contains("is kept") })
  }

  @Test func `a person whose answer cannot be stored is not told that nobody will ask again`() throws {
    let (bench, login) = try loginWithoutRoom("")
    #expect(login.result == 0 && login.keyring.isEmpty && login.infos.isEmpty, "\(bench.log.lines)")
    #expect(bench.log.lines.contains { $0.contains("could not be noted") })
  }

  // MARK: What keeps and what removes it

  @Test func `keeping a password needs the right value, and a wrong one is counted`() throws {
    let bench = try HelperBench.registered(Self.on)
    var once = tool(bench, .keyringSet)
    once.arguments.append(Array("tries=1".utf8))
    #expect(try bench.run(once, ["wrong1"]).result == 3012)
    #expect(try bench.triesLeft() == 2)
    #expect(try !status(bench).contains("\"keyring\":"))
  }

  @Test func `the password survives a change of the value, and only the new value opens it`() throws {
    let bench = try kept()
    #expect(try bench.run(tool(bench, .change), ["correct", "battery", "battery"]).result == 7110)
    #expect(try bench.run(greeter(bench), ["correct"]).keyring.isEmpty)
    #expect(try bench.run(greeter(bench), ["battery"]).keyring == [Self.password])
  }

  @Test func `a reset removes the password and says so, and a new registration does not bring it back`() throws {
    let bench = try kept()
    let reset = try bench.run(tool(bench, .reset))
    #expect(reset.result == 7100)
    #expect(
      reset.infos == [
        "The password of the keyring that was kept under the passcode is removed. 'uafctl keyring set' keeps it again."
      ])
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0)
    let login = try bench.run(greeter(bench), ["correct"])
    #expect(login.result == 0 && login.keyring.isEmpty)
  }

  @Test func `a deregistration removes the password and says so`() throws {
    let bench = try kept()
    let ended = try bench.run(tool(bench, .deregister), ["correct"])
    #expect(ended.result == 0 && ended.infos.contains { $0.contains("password of the keyring") }, "\(bench.log.lines)")
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0)
    #expect(try bench.run(greeter(bench), ["correct"]).keyring.isEmpty)
  }

  @Test func `forgetting needs no value, removes the password, and no login asks for it again`() throws {
    let bench = try kept()
    let forgotten = try bench.run(tool(bench, .keyringForget))
    #expect(forgotten.result == 0 && forgotten.prompts.isEmpty)
    #expect(forgotten.finished.text?.contains("is no longer kept") == true)
    let login = try bench.run(greeter(bench, "login"), ["correct"])
    #expect(login.prompts.count == 1 && login.keyring.isEmpty)
    #expect(try bench.run(tool(bench, .keyringForget)).finished.text?.contains("was kept") == true)
  }

  @Test func `each authenticator keeps the password by itself`() throws {
    let bench = try HelperBench.registeredTwice(Self.on)
    #expect(try bench.run(tool(bench, .keyringSet, "pattern"), ["12369", Self.password]).result == 0)
    var greeter = greeter(bench)
    greeter.authenticator = Array("passcode".utf8)
    #expect(try bench.run(greeter, ["correct"]).keyring.isEmpty)
    greeter.authenticator = Array("pattern".utf8)
    #expect(try bench.run(greeter, ["12369"]).keyring == [Self.password])
    #expect(try bench.run(tool(bench, .reset, "passcode")).infos.isEmpty)
    bench.server.accepted = [["5541#0002"]]
    #expect(try bench.run(greeter, ["12369"]).keyring == [Self.password])
  }

  @Test func `another account of the machine neither gets nor removes the password`() throws {
    let bench = try kept()
    bench.passwd += "juno:x:4243:4243::/:/bin/sh\n"
    var begin = Begin(.keyringForget)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, peer: 4243).result == 1009)
    begin = Begin(.keyringSet)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["correct", "own"], peer: 4243).result == 1009)
    #expect(try bench.run(greeter(bench), ["correct"]).keyring == [Self.password])
  }

  @Test func `no line of the log and no text has the password`() throws {
    let bench = try kept()
    let login = try bench.run(greeter(bench), ["correct"])
    #expect(login.keyring == [Self.password])
    #expect(!bench.log.lines.contains { $0.contains("Ring") } && !login.infos.contains { $0.contains("Ring") })
  }
}
