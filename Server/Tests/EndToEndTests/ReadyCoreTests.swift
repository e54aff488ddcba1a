import Foundation
import Testing
import UAFWire

extension EndToEnd {
  @Suite(.enabled(if: SystemLog.isPossible, "needs a mount namespace: root with CAP_SYS_ADMIN"))
  struct `A core that is kept ready` {
    private func machine() throws -> SocketMachine {
      let scene = try Scene.registered()
      try scene.stack("auth required MODULE", module: Module.atSocket().path)
      return try SocketMachine(scene, listens: true)
    }

    private func logIn(_ machine: SocketMachine, _ answer: String = Scene.passcode) throws -> Login {
      Login(try machine.asRoot(machine.scene.host(), input: answer + "\n"))
    }

    /// Logs in once: systemd starts the listener with the first connection, so before it no core is kept ready.
    private func awake() throws -> SocketMachine {
      let machine = try machine()
      #expect(machine.readyCore() == nil)
      #expect(try logIn(machine).code == .success)
      return machine
    }

    @Test func `a core that is kept ready serves one login, and the next login has a new core`() throws {
      let machine = try awake()
      let first = try machine.awaitReadyCore()
      #expect(try logIn(machine).code == .success)
      let second = try machine.awaitReadyCore()
      #expect(second.core != first.core && second.network != first.network)
      #expect(ProcessTable.arguments(first.core) == [] && ProcessTable.arguments(first.network) == [])
    }

    @Test func `a core that is kept ready refuses a wrong passcode, and counts it`() throws {
      let machine = try awake()
      _ = try machine.awaitReadyCore()
      #expect(try logIn(machine, "wrong1111").errors == ["Wrong passcode: 4 tries left."])
      #expect(try machine.scene.status().remainingTries == 4)
    }

    @Test func `a core that was kept ready is fully sandboxed when it shows its prompt`() throws {
      let machine = try awake()
      let ready = try machine.awaitReadyCore()
      let login = try machine.startAsRoot(machine.scene.host())
      try login.wait(for: "prompt Passcode")
      try Wait.until("the filter of the network program") { ProcessTable.status(ready.network, "Seccomp") == "2" }
      #expect(ProcessTable.status(ready.core, "Seccomp") == "2")
      let folder = try Folder.shared.folder("attack")
      for (role, process) in [("core", ready.core), ("network", ready.network)] {
        let attack = ["python3", Programs.own("try-calls.py"), role, "\(process)"]
        let output = try Command.run(attack + [machine.scene.settings.stateDirectory, folder], logged: false)
        #expect(output.status == 0 && output.lines.last == "end", "\(output.text)")
        #expect(output.lines.filter { $0.hasPrefix("passed ") || $0.hasPrefix("broken ") } == [])
        #expect(output.lines.count { $0.hasPrefix("refused ") } > 100)
      }
      login.send(Scene.passcode + "\n")
      #expect(Login(try login.end()).code == .success)
    }

    @Test
    func `a core that is kept ready has no network, no way to gain rights and no caller's environment while it waits`()
      throws
    {
      let machine = try awake()
      let ready = try machine.awaitReadyCore()
      func network(_ process: String) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/ns/net")
      }
      try Wait.until("its network") { try network("\(ready.core)") != network("self") }
      #expect(try network("\(ready.network)") == network("self"))
      // The network program was started a moment ago, and may not have given up its rights yet.
      try Wait.until("its user") { ProcessTable.status(ready.network, "Uid") == "60990 60990 60990 60990" }
      try Wait.until("its rights") { ProcessTable.status(ready.network, "CapEff") == "0000000000000000" }
      #expect(ProcessTable.environment(ready.core).allSatisfy { !$0.hasPrefix("LISTEN_") })
    }

    @Test(arguments: [true, false])
    func `a login succeeds even if the core that was kept ready, or its network program, was killed`(_ isCore: Bool)
      throws
    {
      let machine = try awake()
      let ready = try machine.awaitReadyCore()
      kill(isCore ? ready.core : ready.network, SIGKILL)
      // Without its network program the core is useless and ends. The login gets a core that is started for it.
      try Wait.until("its end") { ["", "Z (zombie)"].contains(ProcessTable.status(ready.core, "State") ?? "") }
      #expect(try logIn(machine).code == .success)
    }

    @Test func `a core that is kept ready ends with the listener, and so does its network program`() throws {
      let machine = try awake()
      let ready = try machine.awaitReadyCore()
      try machine.endListener()
      for process in [ready.core, ready.network] {
        try Wait.until("the end of \(process)") { ProcessTable.arguments(process) == [] }
      }
    }

    @Test func `a login is completed if the core's listener ends during it, as in an upgrade`() throws {
      let machine = try awake()
      _ = try machine.awaitReadyCore()
      let login = try machine.startAsRoot(machine.scene.host())
      try login.wait(for: "prompt Passcode")
      // Programs get into this machine's namespaces through the listener's process, so the next login has to run there before
      // it ends.
      let waiting = ["sh", "-c", "echo waiting; read -r line; exec \"$@\"", "sh"] + (try machine.scene.host())
      let next = try machine.startAsRoot(waiting)
      try next.wait(for: "waiting")
      try machine.endListener()
      login.send(Scene.passcode + "\n")
      #expect(Login(try login.end()).code == .success)
      next.send("go on\n")
      let refused = Login(try next.end())
      #expect(refused.code == .systemError && refused.errors.count == 1, "\(refused.output.text)")
    }

    @Test func `the core's listener serves one user id no more than four callers at the same time`() throws {
      let machine = try awake()
      _ = try machine.awaitReadyCore()
      let crowd = try machine.crowd(20, Begin(.authenticate).packet())
      #expect(crowd.text.split(separator: "\n").first == "asked 4, turned away 16")
      _ = try crowd.end()
    }
  }
}
