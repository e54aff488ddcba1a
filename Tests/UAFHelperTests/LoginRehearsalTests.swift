import Glibc
import Testing
import UAFClient
import UAFConfiguration

@testable import UAFHelper

/// Each part has to reach its end: what is not executed is not rehearsed.
@Suite struct LoginRehearsalTests {
  @Test func `the server in memory accepts the rehearsed login`() throws {
    guard case .accepted(let acceptance) = try LoginRehearsal.login() else {
      Issue.record("a further request")
      return
    }
    #expect(acceptance.username == "nobody")
  }

  @Test func `the rehearsed conversation ends with a line of the log`() throws {
    let lines = try LoginRehearsal.conversation()
    #expect(lines.count == 1 && lines[0].hasPrefix("event=authenticate result=0 "), "\(lines)")
    #expect(lines.last?.hasSuffix(" type=passcode") == true, "\(lines)")
  }

  @Test func `the rehearsed configuration has the settings of its service`() throws {
    #expect(try LoginRehearsal.configuration().settings(for: "sudo").prompt.tries == 3)
  }

  @Test func `the server in memory refuses whatever follows one login`() throws {
    let server = try RehearsedServer(trusting: "linux:other")
    for _ in 0..<3 { _ = try server.answer() }
    #expect(throws: TransportFailure.unavailable) { try server.answer() }
  }

  @Test func `a rehearsal leaves no descriptor open`() async {
    // In a separate process: all tests share the descriptors.
    await #expect(processExitsWith: .success) {
      LoginRehearsal.run()
      let before = LoginRehearsalTests.nextDescriptor()
      LoginRehearsal.run()
      #expect(LoginRehearsalTests.nextDescriptor() == before)
    }
  }

  /// The lowest free descriptor.
  private static func nextDescriptor() -> CInt {
    let descriptor = dup(0)
    close(descriptor)
    return descriptor
  }
}
