import Testing
import UAFClient
import UAFConfiguration

@testable import UAFHelper

/// Each part has to reach its end: what is not gone through is not rehearsed.
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
    #expect(try LoginRehearsal.configuration().prompt.tries == 3)
  }

  @Test func `a part that is refused stops none of the others`() throws {
    let server = try RehearsedServer()
    for _ in 0..<3 { _ = try server.answer() }
    #expect(throws: TransportFailure.unavailable) { try server.answer() }
    LoginRehearsal.run()
    LoginRehearsal.run()
  }
}
