import Foundation
import Glibc
import ProgramTesting
import Testing
import ToolTestSupport

@testable import PAMStacks

/// Profiles of random conditions about a person, as we read them and as bash runs them.
@Suite struct RandomProfilesTests {
  private static let person = ShellText.Person(name: "bob", userID: getuid(), isBash: true)

  @Test(arguments: [1, 2, 3])
  func `no profile that ends a real bash goes unnoticed`(seed: UInt64) throws {
    let folder = Folder()
    var profile = RandomProfile(seed: seed)
    let texts = (0..<200).map { _ in profile.text() }
    for (number, text) in texts.enumerated() { _ = folder.file("\(number)", Array(text.utf8), mode: 0o644) }
    // Each profile is read by a shell of its own, which says its number only if it is still there afterwards.
    let script = "cd \"$1\"; for number in *; do (. \"./$number\" >/dev/null 2>&1; echo \"$number\"); done"
    let output = Foundation.Pipe()
    let bash = try StartedProgram(
      ["/bin/bash", "-c", script, "bash", folder.path],
      environment: ["LOGNAME": "bob", "PATH": "/usr/bin:/bin", "USER": "bob"],
      input: .file(try #require(FileHandle(forReadingAtPath: "/dev/null"))), output: .pipe(output))
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    let alive = Set(String(decoding: said, as: UTF8.self).split(separator: "\n").compactMap { Int($0) })
    #expect(bash.wait() == 0)
    for number in texts.indices where !alive.contains(number) {
      #expect(SessionFiles.ending(texts[number], for: Self.person) != nil, "\(texts[number])")
    }
    // Otherwise nothing would have been compared.
    #expect((20..<180).contains(alive.count), "\(alive.count)")
    #expect(texts.contains { SessionFiles.ending($0, for: Self.person) == nil })
  }
}

/// Makes profiles whose conditions ask for the name and the uid in every form that is read.
private struct RandomProfile {
  private var numbers: SplitMix

  init(seed: UInt64) { numbers = SplitMix(state: seed) }

  private mutating func one(of words: [String]) -> String { words[numbers.below(words.count)] }

  private static let names = [
    "$USER", "${USER}", "\"$USER\"", "$LOGNAME", "\"x$USER\"", "'$USER'", "\"\\$USER\"", "$USERX", "\"${USER}:$UID\"",
  ]
  private static let uids = ["$UID", "$EUID", "$(id -u)", "\"$(id -u)\"", "`id -u`"]
  private static let texts = ["bob", "root", "xbob", "xroot", "\"bob\"", "b*", "\"$OTHER\""]
  private static let amounts = ["0", "1000", "\(getuid())", "65535"]

  private mutating func condition() -> String {
    switch numbers.below(7) {
    case 0: "[ \(one(of: Self.names)) \(one(of: ["=", "!=", "=="])) \(one(of: Self.texts)) ]"
    case 1: "test \(one(of: Self.uids)) \(one(of: ["-eq", "-ne", "-lt", "-ge", "=", "!="])) \(one(of: Self.amounts))"
    case 2: "(( \(one(of: ["UID", "EUID", "$UID", "!UID"])) ))"
    case 3: "((UID\(one(of: ["==", "!=", "<", ">="]))\(one(of: Self.amounts))))"
    case 4: "[[ \(one(of: Self.names)) \(one(of: ["==", "!=", "="])) \(one(of: Self.texts)) ]]"
    case 5: one(of: ["true", "false", ":", "[ -e /nonexistent ]"])
    default: "! " + condition()
    }
  }

  private mutating func patterns() -> String {
    (0...numbers.below(3)).map { _ in
      one(of: [
        "bob", "root", "0", "*", "b*", "\"*\"", "r?ot", "xbob", "$USER", "$OTHER", "'$USER'", "b[ao]b", "\"bob\"",
      ])
    }.joined(separator: "|")
  }

  private mutating func branch() -> String {
    "\(one(of: ["", "("]))\(patterns())) \(body()) \(one(of: [";;", ";;", ";;", ";&", ";;&"]))\n"
  }

  private mutating func body() -> String {
    numbers.below(2) == 0 ? one(of: ["exit", "exit 1", ":", "true", "echo a"]) : statement()
  }

  private mutating func statement() -> String {
    switch numbers.below(10) {
    case 0, 1: "\(condition()) \(one(of: ["&&", "||"])) \(body())"
    case 2: "if \(condition()); then \(body()); else \(body()); fi"
    case 3: "if \(condition()); then \(body())\nelif \(condition()); then \(body()); fi"
    case 4, 5: "case \(one(of: Self.names + Self.uids)) in\(one(of: [" ", "\n"]))\(branch())\(branch())esac"
    case 6: "{ \(body()); }"
    case 7: "( \(body()) )"
    case 8: "\(one(of: ["function f\n", "f()\n"])){\n \(one(of: ["exit", ":"])); }"
    default: "\(condition()) && \(condition()) && \(body())"
    }
  }

  mutating func text() -> String { (0...numbers.below(3)).map { _ in statement() }.joined(separator: "\n") + "\n" }
}
