import ArgumentParser
import Testing

@testable import Invocation

/// Mistakes are read from errors of the argument parser, whose form may change with a new version of the parser.
@Suite struct CommandLineMistakeTests {
  private enum Shape: String, ExpressibleByArgument {
    case round
  }

  private enum Side: String, EnumerableFlag {
    case left, right
  }

  private struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "program", subcommands: [Draw.self, Pam.self])
  }

  private struct Draw: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "draw")
    @Option(name: [.short, .long]) var shape: Shape?
    @Option var lineWidth: Int
    @Flag var side: Side?
    @Flag(name: .shortAndLong) var quiet = false
    @Argument var target: Int

    func validate() throws { if target == 7 { throw ValidationError("not seven") } }
  }

  private struct Pam: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "pam", subcommands: [Enable.self])
  }

  private struct Enable: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "enable")
  }

  private func message(_ arguments: [String]) -> ParserMessage? {
    do {
      _ = try Program.parseAsRoot(arguments)
      return nil
    } catch { return ParserMessage(error, by: Program.self) }
  }

  @Test(arguments: [
    (["draw", "1", "--line-width", "2", "--nosuch"], CommandLineMistake.unknownOption("--nosuch")),
    (["draw", "1", "--line-width", "2", "-z"], .unknownOption("-z")),
    (["draw", "1", "--line-width"], .missingValue(option: "--line-width")),
    (["draw", "1", "--line-width", "2", "-s"], .missingValue(option: "-s")),
    (["draw", "1", "--line-width", "2", "--quiet=yes"], .unexpectedValue("yes", option: "--quiet")),
    (["draw", "1", "--line-width", "2", "3", "4"], .unexpectedArguments(["3", "4"])),
    (["nosuch"], .unexpectedArguments(["nosuch"])),
    (["draw", "1"], .missingArgument("--line-width")), (["draw", "--line-width", "2"], .missingArgument("target")),
    (["draw", "one", "--line-width", "2"], .badValue("one", option: nil)),
    (["draw", "1", "--line-width", "wide"], .badValue("wide", option: "--line-width")),
    (["draw", "1", "--line-width", "2", "-s", "square"], .badValue("square", option: "-s")),
    (["draw", "1", "--line-width", "2", "--left", "--right"], .conflictingOptions),
    (["draw", "7", "--line-width", "2"], .refused("not seven")),
  ]) func `recognises each mistake in a command line by the parts of the parser's error`(
    arguments: [String], mistake: CommandLineMistake
  ) {
    #expect(message(arguments)?.mistake == mistake)
  }

  @Test func `a message about a mistake names the commands before it, and the usage of the last of them`() {
    let message = message(["draw", "--nosuch"])
    #expect(message?.path == ["program", "draw"] && message?.usage.hasPrefix("program draw ") == true)
    #expect(self.message(["pam", "enable", "--x"])?.path == ["program", "pam", "enable"])
    #expect(self.message(["--x"])?.path == ["program"])
  }

  @Test func `an error that does not come from the parser is reported as an unknown mistake`() {
    struct Foreign: Error {}
    let message = ParserMessage(Foreign(), by: Program.self)
    #expect(message.mistake == .other && message.path == ["program"])
  }
}
