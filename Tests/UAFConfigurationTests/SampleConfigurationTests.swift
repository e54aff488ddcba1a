import Foundation
import Testing

@testable import UAFConfiguration

/// The configurations that people are given to copy.
struct SampleConfigurationTests {
  private static func text(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// What the README shows: the indented block from `[server]` on.
  private static func readme() throws -> String {
    let lines = try text("README.md").split(separator: "\n", omittingEmptySubsequences: false)
    let block = lines.drop { $0 != "    [server]" }.prefix { $0.isEmpty || $0.hasPrefix("    ") }
    return block.map { $0.dropFirst(4) }.joined(separator: "\n")
  }

  @Test func `the installed example is accepted, and shows the defaults`() throws {
    let example = try Configuration(parsing: Array(Self.text("examples/pam_uaf.conf").utf8), path: "example")
    #expect(example.authenticators == [.passcode])
    #expect(example.server?.timeout == .seconds(30))
    #expect(example.state == StateSettings())
    #expect(example.general == GeneralSettings())
    for remote in [false, true] {
      #expect(
        example.lockPolicy(for: .passcode, remote: remote) == Configuration().lockPolicy(for: .passcode, remote: remote)
      )
    }
  }

  @Test func `what the README shows is accepted as it stands`() throws {
    let readme = try Configuration(parsing: Array(Self.readme().utf8), path: "README.md")
    #expect(readme.server != nil)
    let defaults = Configuration().lockPolicy(for: .passcode, remote: false)
    #expect(readme.lockPolicy(for: .passcode, remote: false) == defaults)
  }

  @Test func `what the README shows is refused with any of its keys misspelt`() throws {
    let lines = try Self.readme().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let keys = lines.indices.filter { lines[$0].first?.isLetter == true }
    try #require(keys.count >= 15)
    for index in keys {
      var changed = lines
      changed[index] = "x" + changed[index]
      #expect(throws: (any Error).self, "\(changed[index])") {
        try Configuration(parsing: Array(changed.joined(separator: "\n").utf8), path: "README.md")
      }
    }
  }
}
