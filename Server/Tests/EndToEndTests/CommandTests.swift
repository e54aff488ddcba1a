import Testing

extension EndToEnd {
  @Suite struct `A program that a test has started` {
    /// A host that refuses without a prompt may have ended when the answers are sent.
    @Test func `sending input to a program that has already ended is no error in these tests`() throws {
      let command = try Command(["true"], logged: false)
      try Wait.until("its end") { !command.isRunning }
      command.send("too late\n")
      #expect(try command.end().status == 0)
    }
  }
}
