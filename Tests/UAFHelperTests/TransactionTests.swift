import FidoResults
import Testing
import UAFClient
import UAFCrypto
import UAFMessages
import UAFWire

@testable import UAFHelper

/// Logins in which the person confirms a transaction text.
@Suite struct TransactionTests {
  private func bench() throws -> HelperBench {
    let bench = try HelperBench.registered("[service.sudo]\ntransaction = true\n[service.sshd]\ntransaction = true")
    bench.device.hostName = "desk"
    return bench
  }

  private func sudo(_ bench: HelperBench, _ arguments: String...) -> Begin {
    var begin = bench.begin()
    begin.service = Array("sudo".utf8)
    begin.program = Array("/usr/bin/sudo".utf8)
    begin.commandLine = (["sudo"] + (arguments.isEmpty ? ["id"] : arguments)).flatMap { Array(($0 + "\0").utf8) }
    return begin
  }

  /// The hash of the text that is signed.
  private func hash(_ text: String) throws -> [UInt8] {
    let text = try #require(TransactionText(bytes: Array(text.utf8)))
    return try SHA256.hash(Array(text.signed(hash: SHA256.hash).utf8))
  }

  @Test func `sudo's command is shown with the account and the machine, and signed`() throws {
    let bench = try bench()
    let transcript = try bench.run(sudo(bench), ["correct"])
    #expect(transcript.result == 0)
    // The text is in a separate message, because the caller of sudo can replace its prompt.
    #expect(transcript.prompts.map(\.confirmed) == ["Your passcode confirms: mina@desk: sudo: id"])
    #expect(transcript.prompts.map(\.text) == ["Passcode for mina (sudo): "])
    #expect(transcript.prompts.map(\.reason) == ["mina@desk: sudo: id"])
    #expect(bench.server.asked.last?.context.transaction == "mina@desk: sudo: id")
    #expect(bench.server.confirmed.last == (try hash("mina@desk: sudo: id")))
  }

  @Test func `for a remote login the text names the service and where the login comes from`() throws {
    let bench = try bench()
    var begin = bench.begin()
    begin.service = Array("sshd".utf8)
    begin.isRemote = true
    begin.remoteHost = Array("192.0.2.1".utf8)
    #expect(try bench.run(begin, ["correct"]).result == 0)
    #expect(bench.server.confirmed.last == (try hash("mina@desk: sshd from 192.0.2.1")))
  }

  @Test func `hosts other than sudo show the transaction text in the prompt itself`() throws {
    let bench = try bench()
    var begin = bench.begin()
    begin.service = Array("sshd".utf8)
    let transcript = try bench.run(begin, ["correct"])
    #expect(transcript.prompts.map(\.text) == ["Your passcode confirms: mina@desk: sshd\nPasscode for mina (sshd): "])
    #expect(transcript.prompts.map(\.confirmed) == [nil])
  }

  @Test func `of a long command head, tail and hash are signed, and as much is shown as the screen has room for`()
    throws
  {
    let bench = try bench()
    for count in [30, 200] {
      let command = "sudo: tar " + Array(repeating: "file", count: count).joined(separator: " ")
      let arguments = Array(repeating: "file", count: count).flatMap { Array(($0 + "\0").utf8) }
      var begin = sudo(bench, "tar")
      begin.commandLine = (begin.commandLine ?? []) + arguments
      let transcript = try bench.run(begin, ["correct"])
      #expect(transcript.result == 0)
      let shown = try #require(transcript.prompts.first?.confirmed)
      #expect(shown.contains("mina@desk: " + command) == (count == 30))
      #expect(shown.contains("Not shown: ") == (count == 200))
      #expect(shown.contains("mina@desk: sudo: tar file"))
      #expect(shown.utf8.count < 8 * 80 + 40)
      #expect(bench.server.confirmed.last == (try hash("mina@desk: " + command)))
    }
  }

  @Test func `characters that could control a terminal are escaped in a transaction text`() throws {
    let bench = try bench()
    let transcript = try bench.run(sudo(bench, "\u{1b}[2J\u{202e}\n"), ["correct"])
    #expect(transcript.result == 0)
    #expect(transcript.prompts.first?.reason == #"mina@desk: sudo: '\x1B[2J\xE2\x80\xAE\x0A'"#)
    #expect(transcript.prompts.first?.confirmed?.contains("\u{1b}") == false)
  }

  @Test func `the transaction text is shown at every prompt of a call`() throws {
    let bench = try bench()
    bench.configuration += "\n[prompt]\ninteractive = true\ntries = 3"
    let transcript = try bench.run(sudo(bench), ["wrong", "correct"])
    #expect(transcript.result == 0)
    let shown = "Your passcode confirms: mina@desk: sudo: id"
    #expect(transcript.prompts.map(\.confirmed) == [shown, shown])
  }

  @Test func `the transaction text names sudo's executable, and says in words what its options do`() throws {
    let bench = try bench()
    var begin = sudo(bench)
    begin.commandLine = Array("ls\0-s\0".utf8)
    #expect(try bench.run(begin, ["correct"]).prompts.first?.reason == "mina@desk: sudo, called as ls, shell")
    begin.service = Array("sudo-i".utf8)
    begin.commandLine = Array("sudo\0-iu\0bob\0".utf8)
    bench.configuration += "\n[service.sudo-i]\ntransaction = true"
    #expect(try bench.run(begin, ["correct"]).prompts.first?.reason == "mina@desk: sudo, login shell, as user bob")
  }

  @Test func `refuses a command that is too long to read, before anybody is asked`() throws {
    let bench = try bench()
    let transcript = try bench.run(sudo(bench, String(repeating: "x", count: 2048)), ["correct"])
    // The person has caused this, so it is not root's mistake.
    #expect(transcript.result == 1001 && transcript.pamCode == 7)
    #expect(transcript.prompts.isEmpty)
    #expect(bench.server.asked.last?.op == .registration)
  }

  @Test func `the text about a command that is too long is in the person's language`() throws {
    let bench = try bench()
    var begin = sudo(bench, String(repeating: "x", count: 2048))
    for (locale, language) in [("ko_KR.UTF-8", Language.korean), ("C", .english)] {
      begin.locale = Array(locale.utf8)
      let text = PromptText.textTooLong(TransactionText.maximumShown).text(in: language)
      #expect(try bench.run(begin, []).finished.text == text)
    }
  }

  @Test func `refuses options of sudo that do not fit on the screen, and shortens only the command`() throws {
    let bench = try bench()
    var begin = sudo(bench, "id")
    func line(_ arguments: [String]) -> [UInt8] { (["sudo"] + arguments).flatMap { Array(($0 + "\0").utf8) } }
    let (long, longer) = (String(repeating: "x", count: 200), String(repeating: "y", count: 400))
    for arguments in [["A=" + long, "-s", "B=" + longer, "id"], ["-Z", "A=" + longer, longer]] {
      begin.commandLine = line(arguments)
      let refused = try bench.run(begin, ["correct"])
      #expect(refused.result == 1001 && refused.pamCode == 7 && refused.prompts.isEmpty)
    }
    begin.commandLine = line(["A=" + long, "-s", "echo", longer])
    #expect(try bench.run(begin, ["correct"]).result == 0)
  }

  @Test func `refuses sudo if its command line cannot be read`() throws {
    let bench = try bench()
    for isFile in [true, false] {
      var begin = sudo(bench)
      if isFile { begin.program = nil } else { begin.commandLine = nil }
      let transcript = try bench.run(begin, ["correct"])
      #expect(transcript.result == 1007)
      #expect(transcript.prompts.isEmpty)
    }
  }

  @Test func `refuses a name of sudo that does not say whether sudo edits a file`() throws {
    let bench = try bench()
    var begin = sudo(bench)
    begin.commandLine = Array("xedit\0id\0".utf8)
    let transcript = try bench.run(begin, ["correct"])
    #expect(transcript.result == 1001)
    #expect(transcript.prompts.isEmpty)
  }

  @Test(arguments: ["mina@desk: sudo: su", "mina@desk: sudo: id ", " "])
  func `signs nothing if the server sends a different transaction text`(_ text: String) throws {
    let bench = try bench()
    bench.server.slippedText = text
    let answered = bench.server.answered
    let transcript = try bench.run(sudo(bench), ["correct"])
    #expect(transcript.result == 1001)
    // The server has answered, so no stack may continue with the password.
    #expect(transcript.pamCode == 7)
    #expect(bench.server.answered == answered)
  }

  @Test func `signs nothing if the server sends a transaction text that nobody has requested`() throws {
    let bench = try HelperBench.registered()
    bench.server.slippedText = "pay"
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 1001)
    #expect(transcript.pamCode == 7)
  }

  @Test func `sends no transaction text unless root has configured it`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(sudo(bench), ["correct"])
    #expect(transcript.prompts.map(\.text) == ["Passcode for mina (sudo): "])
    #expect(bench.server.asked.last?.context.transaction == nil)
    #expect(bench.server.confirmed.last == .some(nil))
  }

  private func own(_ bench: HelperBench, _ text: String) -> Begin {
    var begin = Begin(.authenticate)
    begin.service = Array("uafctl".utf8)
    begin.transaction = Array(text.utf8)
    return begin
  }

  @Test func `a text of the person's own is shown and signed as a text of uafctl`() throws {
    let bench = try bench()
    let transcript = try bench.run(own(bench, "pay 5 to the baker"), ["correct"], peer: 4242)
    #expect(transcript.result == 0)
    let text = "mina@desk: uafctl: pay 5 to the baker"
    #expect(transcript.prompts.map(\.text) == ["Your passcode confirms: \(text)\nPasscode for mina: "])
    #expect(transcript.prompts.map(\.reason) == [text])
    #expect(bench.server.asked.last?.context.transaction == text)
    #expect(bench.server.confirmed.last == (try hash(text)))
  }

  @Test func `a text that root sends for a person is marked as root's`() throws {
    let bench = try bench()
    var begin = bench.begin()
    begin.service = Array("uafctl".utf8)
    begin.transaction = Array("pay 5".utf8)
    #expect(try bench.run(begin, ["correct"]).result == 0)
    #expect(bench.server.confirmed.last == (try hash("mina@desk: uafctl, by root: pay 5")))
  }

  @Test func `spaces in the machine's name are replaced in the transaction text, as the server demands`() throws {
    let bench = try bench()
    bench.device.hostName = "my desk: sudo: id"
    #expect(try bench.run(own(bench, "pay 5"), ["correct"], peer: 4242).result == 0)
    #expect(bench.server.asked.last?.context.transaction == "mina@my_desk:_sudo:_id: uafctl: pay 5")
  }

  @Test
  func `spaces in a person's own text cannot push its end to the next line, where it would look like another text`()
    throws
  {
    let bench = try bench()
    let spaces = String(repeating: " ", count: 40)
    #expect(try bench.run(own(bench, "pay 5\(spaces)mina@desk: sudo: id"), ["correct"], peer: 4242).result == 0)
    let sent = try #require(bench.server.asked.last?.context.transaction)
    #expect(!sent.contains("  ") && sent.hasPrefix(#"mina@desk: uafctl: pay 5 \x20\x20"#))
  }

  @Test func `a person's own text cannot look like sudo's command, whatever the name of the calling program`() throws {
    let bench = try bench()
    var begin = own(bench, "id\u{1b}[2J")
    begin.service = Array("sudo".utf8)
    let transcript = try bench.run(begin, ["correct"], peer: 4242)
    #expect(transcript.prompts.first?.reason == #"mina@desk: uafctl: id\x1B[2J"#)
  }

  @Test func `of a person's own long text as much is shown as the screen has room for`() throws {
    let bench = try bench()
    let transcript = try bench.run(own(bench, String(repeating: "word ", count: 300)), ["correct"], peer: 4242)
    #expect(transcript.result == 0)
    #expect(transcript.prompts.first?.text.contains("Not shown: ") == true)
  }

  @Test func `before anybody is asked, refuses a text of the person that is empty, too long or for no login`() throws {
    let bench = try bench()
    let before = bench.server.asked.count
    var begins = [own(bench, ""), own(bench, String(repeating: "x", count: 2048))]
    for operation in [UAFWire.Operation.change, .register, .deregister, .status] {
      begins.append(own(bench, "pay 5"))
      begins[begins.count - 1].operation = operation
    }
    begins.append(own(bench, "pay 5"))
    begins[begins.count - 1].payload = Array(bench.server.payload(operation: .authentication).encoded.utf8)
    for begin in begins {
      let transcript = try bench.run(begin, ["correct"], peer: 4242)
      // The person has caused this, so it is not root's mistake.
      #expect(transcript.result == 1001 && transcript.pamCode == 7 && transcript.prompts.isEmpty)
    }
    #expect(bench.server.asked.count == before)
    let long = try bench.run(begins[1], [], peer: 4242)
    #expect(long.finished.text == PromptText.ownTextTooLong(TransactionText.maximumShown).text(in: .english))
  }

  @Test func `a person's own text is never confirmed without the server`() throws {
    let bench = try HelperBench.registered("[general]\noffline = \"allow\"\noffline_max_age = 86400")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    var begin = bench.begin()
    begin.transaction = Array("pay 5".utf8)
    #expect(try bench.run(begin, ["correct"]).result == 4001)
  }

  @Test func `cancelling does not confirm the transaction text, and counts no attempt`() throws {
    let bench = try bench()
    let transcript = try bench.run(sudo(bench), [nil])
    #expect(transcript.result == 999)
    #expect(bench.server.confirmed.isEmpty)
    #expect(try bench.triesLeft() == 3)
  }
}
