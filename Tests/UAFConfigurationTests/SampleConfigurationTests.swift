import Foundation
import Testing

@testable import UAFConfiguration

/// The file that is installed as an example.
struct SampleConfigurationTests {
  @Test func `the installed example is accepted, and shows the defaults`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "examples/pam_uaf.conf")
    let example = try Configuration(parsing: Array(Data(contentsOf: file)), path: file.path)
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
}
