import Foundation

/// The parts of docs/servers-of-others.md that people copy.
enum ServersPage {
  /// The placeholders for a server and its CA.
  static let host = "fido.example.com"
  static let authority = "/etc/pam-uaf/ca.pem"

  private static let fence = "```"

  /// The blocks of configuration, from the top of the page down.
  static func configurations() throws -> [String] {
    let page = try String(contentsOfFile: Programs.page("servers-of-others.md"), encoding: .utf8)
    var blocks: [String] = []
    var block: [Substring]?
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == fence + "toml" {
        block = []
      } else if line == fence, let lines = block {
        blocks.append(lines.joined(separator: "\n"))
        block = nil
      } else {
        block?.append(line)
      }
    }
    return blocks
  }
}
