import Testing

extension EndToEnd {
  @Suite struct `A hundred guesses at once` {
    /// Half of the guesses come first, so that the right one certainly comes after the lock.
    ///
    /// At the time of their prompts none of the hundred logins was locked, so only the count refuses them.
    @Test func `of a hundred guesses at once only five are checked, and the right guess after these is refused`() throws
    {
      let scene = try Scene.registered { $0.lock = "retry_count_to_lock = 5\nlock_time = 300" }
      _ = try? SystemLog.shared().take()
      let logins = try (0..<100).map { _ in try Command(scene.host(), environment: scene.names) }
      for login in logins { try login.wait(for: "prompt Passcode") }
      for (index, login) in logins[..<50].enumerated() { login.send("wrong\(index)00\n") }
      try Wait.until("the lock") { try scene.status().state == 3008 }
      for (index, login) in logins[50...].enumerated() {
        login.send(index == 25 ? Scene.passcode + "\n" : "other\(index)00\n")
      }
      let codes = try logins.map { Login(try $0.end()).code }
      #expect(codes.filter { $0 == .authenticationError }.count == 4)
      // The fifth wrong guess gets the code of the lock that it caused.
      #expect(codes.filter { $0 == .maximumTries }.count == 96)
      #expect(codes[75] == .maximumTries)
      if SystemLog.isPossible {
        let checks = try SystemLog.shared().take().filter { $0.contains(#"detail="wrong value"#) }
        #expect(checks.count == 5)
      }
    }
  }
}
