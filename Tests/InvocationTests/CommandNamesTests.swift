import ArgumentParser
import Testing

@testable import Invocation

@Suite struct CommandNamesTests {
  private struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "program", subcommands: [Status.self, Unlock.self, Pam.self, Authenticate.self])
    @Option var conf: String?
  }

  private struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "status")
    @Argument var user: String?
  }

  private struct Unlock: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "unlock")
  }

  private struct Authenticate: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "authenticate")
  }

  private struct Pam: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "pam", subcommands: [Enable.self])
  }

  private struct Enable: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "enable")
  }

  private let names = CommandNames(Program.self, valued: ["--conf"])

  /// What the parser's error about these arguments becomes.
  private func unknown(_ arguments: [String]) -> UnknownCommand? {
    do {
      _ = try Program.parseAsRoot(arguments)
      return nil
    } catch {
      let message = ParserMessage(error, by: Program.self)
      return names.unknownCommand(by: message.mistake, after: message.path)
    }
  }

  @Test(arguments: [
    ("statsu", "program status"), ("staus", "program status"), ("lock", "program unlock"),
    ("enable", "program pam enable"),
    ("auth", "program authenticate"), ("Status", "program status"),
  ])
  func `suggests a command whose name is similar`(word: String, suggestion: String) {
    #expect(unknown([word])?.suggestion == suggestion)
    #expect(unknown([word, "alice", "sudo"])?.word == word)
    #expect(unknown(["--conf", "x", word])?.suggestion == suggestion)
  }

  @Test func `suggests a subcommand whose name is similar`() {
    #expect(unknown(["pam", "enabel"])?.suggestion == "program pam enable")
    #expect(unknown(["pam", "enabel"])?.description == "no such command: pam enabel")
  }

  @Test(arguments: ["x", "nosuch", "", "-", "xyzzy"])
  func `suggests no command if none has a similar name`(word: String) {
    #expect(unknown([word])?.suggestion == nil)
    #expect(unknown([word])?.hint == "'program help' lists the commands")
  }

  @Test func `does not mistake a command's arguments for unknown commands`() {
    #expect(unknown(["status", "unlock"]) == nil)
    #expect(unknown(["status", "a", "b"]) == nil)
    #expect(unknown(["status", "--nosuch"]) == nil)
  }

  @Test(arguments: [
    (["help", "nosuch"], "nosuch"), (["help", "pam", "nosuch"], "nosuch"), (["help", "status", "x"], "x"),
    (["--conf", "f", "help", "nosuch"], "nosuch"), (["--conf=f", "help", "nosuch"], "nosuch"),
  ])
  func `refuses help for an unknown command`(arguments: [String], word: String) {
    #expect(names.unknownTopic(in: arguments)?.word == word)
  }

  @Test(arguments: [
    ["help"], ["help", "pam", "enable"], ["help", "help"], ["status", "help"], ["help", "--help"], [],
  ])
  func `gives help for a known command`(arguments: [String]) {
    #expect(names.unknownTopic(in: arguments) == nil)
  }
}
