import Testing
import UAFWire

@testable import UAFHelper

@Suite struct KeypadLoginTests {
  private static let first: [UInt8] = [7, 3, 9, 0, 1, 2, 8, 5, 4, 6]
  private static let second: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]

  /// A bench whose account has the passcode 135790 and whose keypad is shuffled.
  private func bench(_ more: String = "") throws -> HelperBench {
    let bench = try HelperBench()
    _ = try bench.run(bench.begin(.initialise))
    #expect(try bench.run(bench.registration(), ["135790", "135790"]).result == 0, "\(bench.log.lines)")
    bench.configuration += "\n[passcode]\nui_type = \"pin6\"\nkeypad = \"shuffled\"\n" + more
    return bench
  }

  @Test func `one PIN is typed differently at each login, and the prompt shows the layout`() throws {
    let bench = try bench()
    bench.layouts = [Self.first, Self.second]
    let one = try bench.run(bench.begin(), ["302567"])
    #expect(one.result == 0)
    #expect(
      one.prompts.map(\.text) == [
        """
        The keys are shuffled: for each digit, press the key below it.
        Digit  0 1 2 3 4 5 6 7 8 9
        Press  7 3 9 0 1 2 8 5 4 6
        Passcode for mina (login, 6 digits):\u{20}
        """
      ])
    #expect(try bench.run(bench.begin(), ["246801"]).result == 0)
  }

  @Test func `the key presses of an earlier layout are wrong, and so are the digits of the PIN itself`() throws {
    let bench = try bench()
    bench.layouts = [Self.second, Self.second]
    #expect(try bench.run(bench.begin(), ["302567"]).result == 3012)
    #expect(try bench.run(bench.begin(), ["135790"]).result == 3012)
    #expect(try bench.triesLeft() == 1)
  }

  @Test func `each try of a PIN has a new layout`() throws {
    let bench = try bench()
    bench.layouts = [Self.first, Self.second]
    let transcript = try bench.run(bench.begin(.authenticate, "tries=2"), ["111111", "246801"])
    #expect(transcript.result == 0 && transcript.prompts[0].text != transcript.prompts[1].text)
  }

  @Test func `each entry of a new PIN has its own layout`() throws {
    let bench = try HelperBench()
    bench.configuration += "\n[passcode]\nui_type = \"pin4\"\nkeypad = \"shuffled\"\n"
    _ = try bench.run(bench.begin(.initialise))
    bench.layouts = [Self.first, Self.second, Self.first]
    #expect(try bench.run(bench.registration(), ["3025", "2468"]).result == 0)
    #expect(try bench.run(bench.begin(), ["3025"]).result == 0, "1357")
  }

  @Test func `a screen reader gets the layout of the keypad in words`() throws {
    let bench = try bench("[prompt]\naccessible = true")
    bench.layouts = [Self.first]
    let text = try bench.run(bench.begin(), ["302567"]).prompts[0].text
    #expect(text.hasPrefix("Keys: for zero press seven, for one press three, "))
  }

  @Test func `neither a service with one prompt nor a pattern gets a shuffled keypad`() throws {
    let bench = try bench()
    var begin = bench.begin()
    begin.service = Array("gdm-password".utf8)
    #expect(try bench.run(begin, ["135790"]).result == 0)
    let other = try HelperBench.registeredTwice("[passcode]\ndigits_only = false")
    other.configuration = other.configuration.replacing(
      "digits_only = false", with: "digits_only = true\nkeypad = \"shuffled\"")
    other.server.accepted = [["5541#0002"]]
    #expect(try other.run(other.begin(.authenticate, "authenticator=pattern"), ["12369"]).result == 0)
  }

  @Test
  func `keys that the pad lacks are checked as typed: for a PIN the length is named, an older passcode logs in`()
    throws
  {
    let bench = try bench()
    bench.layouts = [Self.first, Self.second]
    let transcript = try bench.run(bench.begin(.authenticate, "tries=2"), ["30256x", "246801"])
    #expect(transcript.result == 0)
    #expect(transcript.prompts[1].errorMessage == "Enter exactly 6 digits; this was not counted.")
    let text = try HelperBench.registered()
    text.configuration += "\n[passcode]\ndigits_only = true\nkeypad = \"shuffled\"\n"
    text.layouts = [Self.first]
    #expect(try text.run(text.begin(), ["correct"]).result == 0)
  }

  @Test func `without random numbers for a layout, nobody is asked and the login is refused`() throws {
    let bench = try bench()
    let transcript = try bench.run(bench.begin(), ["135790"])
    #expect(transcript.result == 1007 && transcript.prompts.isEmpty)
  }
}
