import Glibc
import Testing
import UAFClient
import UAFConfiguration

@testable import UAFHelper

/// Whether each part of the rehearsal runs to its end: a part that does not run is not rehearsed.
@Suite struct LoginRehearsalTests {
  @Test func `the rehearsal's server in memory accepts the rehearsed login`() throws {
    guard case .accepted(let acceptance) = try LoginRehearsal.login() else {
      Issue.record("a further request")
      return
    }
    #expect(acceptance.username == "nobody")
  }

  @Test func `the rehearsed call ends with a line of the log`() throws {
    let lines = try LoginRehearsal.conversation()
    #expect(lines.count == 1 && lines[0].hasPrefix("event=authenticate result=0 "), "\(lines)")
    #expect(lines.last?.hasSuffix(" type=passcode") == true, "\(lines)")
  }

  @Test func `the rehearsed configuration has the settings of the rehearsed service`() throws {
    #expect(try LoginRehearsal.configuration().settings(for: "sudo").prompt.tries == 3)
  }

  @Test func `the rehearsal's server in memory answers one login and no further request`() throws {
    let server = try RehearsedServer(trusting: "linux:other")
    for _ in 0..<3 { _ = try server.answer() }
    #expect(throws: TransportFailure.unavailable) { try server.answer() }
  }

  @Test func `a rehearsal leaves no descriptor open`() async {
    // In a separate process, because all tests of this process share its descriptors.
    await #expect(processExitsWith: .success) {
      LoginRehearsal.run()
      let before = LoginRehearsalTests.nextDescriptor()
      LoginRehearsal.run()
      #expect(LoginRehearsalTests.nextDescriptor() == before)
    }
  }

  /// The lowest descriptor that is free.
  private static func nextDescriptor() -> CInt {
    let descriptor = dup(0)
    close(descriptor)
    return descriptor
  }
}
