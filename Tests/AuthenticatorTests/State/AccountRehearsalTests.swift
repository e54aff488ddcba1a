import Testing

@testable import Authenticator

@Suite struct AccountRehearsalTests {
  @Test func `the rehearsed login counts its first signature, each time anew`() throws {
    #expect(try AccountRehearsal.run() == 1)
    #expect(try AccountRehearsal.run() == 1)
  }
}
