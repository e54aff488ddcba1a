import Foundation
import Testing

extension EndToEnd {
  /// The other suites of this target check codes and texts, but no line of the log.
  @Suite(.enabled(if: SystemLog.isPossible, "the log is not seen without a mount namespace: root with CAP_SYS_ADMIN"))
  struct `The log` {
    @Test func `the log has a line for each login, with account, service, result and PAM code`() throws {
      let scene = try Scene.registered()
      _ = try SystemLog.shared().take()
      _ = try scene.logIn("wrong1111")
      _ = try scene.logIn(Scene.passcode)
      let lines = try SystemLog.shared().take().filter { $0.contains("event=authenticate ") }
      let who = "account=\(scene.user) uid=\(Scene.uid) service=demo origin=local via=root"
      try #require(lines.count == 2)
      #expect(lines[0].contains("event=authenticate result=3012 name=LOCAL_FAIL_VERIFY pam=7 \(who)"))
      #expect(lines[1].contains("event=authenticate result=0 name=RESULT_SUCCESS pam=0 \(who)"))
    }

    @Test func `the log has separate lines for a lock, for logins that the lock refuses, and for root's unlock`() throws
    {
      let scene = try Scene.registered { $0.lock = "retry_count_to_lock = 2\nlock_time = 300" }
      _ = try SystemLog.shared().take()
      for guess in ["wrong1111", "wrong2222", Scene.passcode] { _ = try scene.logIn(guess) }
      #expect(try scene.tool("unlock", scene.user).status == 0)
      let lines = try SystemLog.shared().take()
      let who = "account=\(scene.user) uid=\(Scene.uid) service=demo origin=local via=root type=passcode"
      #expect(lines.count { $0.contains("event=lock \(who) lock=temporary seconds=300") } == 1)
      #expect(lines.count { $0.contains("event=locked \(who) lock=temporary seconds=") } == 1)
      #expect(lines.count { $0.contains("event=authenticate result=3013 ") } == 2)
      #expect(lines.count { $0.contains("event=unlock result=0 ") } == 1)
      // A kernel without audit gives at most a line at debug level, which names an errno.
      #expect(!lines.contains { $0.contains("event=audit") && !$0.contains("errno") })
    }

    @Test func `the log distinguishes a host without a conversation function from a person who cancels`() throws {
      let scene = try Scene.registered()
      _ = try SystemLog.shared().take()
      #expect(try scene.run([.alone], []).code == .conversationError)
      #expect(
        try SystemLog.shared().take().contains {
          $0.contains("event=authenticate result=7014 name=Biometry_Not_Interactive pam=19 ")
        })
      #expect(try scene.run([.auth], []).code == .conversationError)
      #expect(try SystemLog.shared().take().contains { $0.contains("event=authenticate result=999 ") })
      #expect(try scene.status().remainingTries == 5)
    }

    @Test func `if the host ends at the prompt, the log has a line about it, and no attempt is counted`() throws {
      let scene = try Scene.registered()
      let login = try scene.startLogin()
      _ = try SystemLog.shared().take()
      try #require(kill(login.identifier, SIGKILL) == 0)
      var lines: [String] = []
      try Wait.until("the helper's line") {
        lines += try SystemLog.shared().take()
        return lines.contains { $0.contains("event=authenticate result=7010 name=Biometry_App_Cancel pam=19 ") }
      }
      #expect(try scene.status().remainingTries == 5)
    }
  }
}
