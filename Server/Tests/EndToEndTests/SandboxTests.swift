import Foundation
import Testing

#if arch(x86_64)
  private let speaksNumbers = true
#else
  // try-calls.py and old-kernel.py contain the system call numbers of one architecture.
  private let speaksNumbers = false
#endif

extension EndToEnd {
  @Suite(.enabled(if: speaksNumbers, "the tests' debugger speaks x86-64"))
  struct `The sandbox` {
    /// Makes a process try many calls that its sandbox forbids, and expects that each of them fails.
    private func attack(_ role: String, _ name: String, of login: Command, in scene: Scene) throws {
      let processes = login.descendants(named: name)
      try #require(processes.count == 1)
      let folder = try Folder.shared.folder("attack")
      let output = try Command.run(
        [
          "python3", Programs.own("try-calls.py"), role, "\(processes[0])", scene.settings.stateDirectory, folder,
        ], logged: false)
      #expect(output.status == 0 && output.lines.last == "end", "\(output.text)")
      let passed = output.lines.filter { $0.hasPrefix("passed ") || $0.hasPrefix("broken ") }
      #expect(passed == [])
      #expect(output.lines.count { $0.hasPrefix("refused ") } > 100)
      if role == "core" {
        // The core has one socket to the kernel's audit, or none if the kernel has no audit.
        let refusals = output.lines.filter { $0.contains("control of the audit") }
        #expect(refusals.count == (KernelAuditProbe.isThere ? 1 : 0), "\(refusals)")
      }
      #expect(output.lines.count { $0.hasPrefix("works ") } >= 8)
      // The folder is as it was, although the calls would have changed it.
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["mine"])
    }

    private func attackAtPrompt(_ kind: String, _ name: String) throws {
      let scene = try Scene.registered()
      let login = try scene.startLogin()
      try attack(kind, name, of: login, in: scene)
      login.send(Scene.passcode + "\n")
      #expect(Login(try login.end()).code == .success)
    }

    @Test func `the core's sandbox refuses everything that a login does not need, and the login works`()
      throws
    {
      try attackAtPrompt("core", "uaf-helper")
    }

    @Test func `the network program's sandbox refuses what a download does not need, and the login works`()
      throws
    {
      try attackAtPrompt("network", "uaf-fetch")
    }

    @Test func `both sandboxes hold while a server keeps both programs waiting, and the login then ends as refused`()
      throws
    {
      let scene = try Scene.registeredAtServerThatHangs { $0.server = "timeout = 10" }
      _ = try scene.logIn("wrong1111")
      let login = try scene.startLogin()
      login.send(Scene.passcode + "\n")
      try Wait.until("the settling") { try scene.status().remainingTries == 5 }
      try attack("core", "uaf-helper", of: login, in: scene)
      try attack("network", "uaf-fetch", of: login, in: scene)
      #expect(Login(try login.end()).code == .authenticationError)
    }

    @Test func `the sandbox gives the core no network, and leaves the machine's network to the network program`() throws
    {
      let scene = try Scene.registered()
      let login = try scene.startLogin()
      func network(_ name: String) throws -> String {
        let process = try #require(login.descendants(named: name).first)
        // The prompt may come before the network program has started.
        try Wait.until("the sandbox of \(name)") { ProcessTable.status(process, "Seccomp") == "2" }
        #expect(ProcessTable.status(process, "NoNewPrivs") == "1")
        return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/ns/net")
      }
      let machine = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
      #expect(try network("uaf-helper") != machine)
      #expect(try network("uaf-fetch") == machine)
    }

    @Test func `an operation that needs no server starts no network program`() throws {
      let scene = try Scene.registered()
      try scene.stack("password required MODULE")
      let change = try Command(try scene.host() + ["--", "password"], environment: scene.names)
      try change.wait(for: "prompt ")
      #expect(change.descendants(named: "uaf-fetch") == [])
      try attack("core", "uaf-helper", of: change, in: scene)
      change.send("\(Scene.passcode)\nmandarine8\nmandarine8\n")
      #expect(Login(try change.end()).code == .success)
    }

    @Test(
      .enabled(if: SystemLog.isPossible, "needs a mount namespace: root with CAP_SYS_ADMIN"),
      arguments: ["files", "dns"])
    func `the sandbox lets the network program look up the server's name as the machine is configured to`(_ way: String)
      throws
    {
      let name = "pam-uaf.test"
      // With a server that is not this machine, the configuration must set a higher cost for key derivations.
      let scene = try Scene(Server(name: name)) { $0.derivationCost = 14 }
      // A loopback address at which probably nobody else listens.
      let address = "127.77.53.\(Int.random(in: 1...254))"
      let names = try Command(["python3", Programs.own("name-server.py"), address, name], logged: false)
      try names.wait(for: "listening")
      // Only the source that `way` names can resolve the name.
      try scene.write("127.0.0.1 localhost \(way == "files" ? name : "")\n", to: "hosts")
      try scene.write("passwd: files\nhosts: \(way)\n", to: "nsswitch.conf")
      try scene.write("nameserver \(address)\noptions timeout:1 attempts:1\n", to: "resolv.conf")
      let disk = try Disk(
        scene,
        "cd '\(scene.folder)'; for name in hosts nsswitch.conf resolv.conf; do mount --bind \"$name\" \"/etc/$name\"; done"
      )
      scene.disk = disk
      try scene.register()
      #expect(try scene.logIn(Scene.passcode).code == .success)
      scene.disk = nil
      #expect(try scene.logIn(Scene.passcode).code == .informationUnavailable, "the name is known elsewhere too")
    }

    @Test(
      .enabled(if: SystemLog.isPossible, "needs a mount namespace: root with CAP_SYS_ADMIN"),
      arguments: [["landlock"], ["seccomp"], ["network"], ["network", "landlock", "seccomp"]])
    func `a part of the sandbox that the kernel lacks is skipped with one line in the log, and the login works`(
      _ features: [String]
    ) throws {
      let scene = try Scene.registered()
      let kernel = ["python3", Programs.own("old-kernel.py"), features.joined(separator: ",")]
      _ = try SystemLog.shared().take()
      let login = Login(
        try Command.run(try kernel + scene.host(), input: Scene.passcode + "\n", environment: scene.names))
      #expect(login.code == .success, "\(login.output.text)")
      let lines = try SystemLog.shared().take().filter { $0.contains("event=sandbox") }
      #expect(lines.count == 1, "\(lines)")
      for feature in features { #expect(lines.first?.contains("\(feature):") == true, "\(lines)") }
      for other in ["landlock", "seccomp", "network"] where !features.contains(other) {
        #expect(lines.first?.contains("\(other):") == false, "\(lines)")
      }
    }

    @Test(.enabled(if: SystemLog.isPossible, "needs a mount namespace: root with CAP_SYS_ADMIN"))
    func `the log does not mention the sandbox if no part of it is missing`() throws {
      let scene = try Scene.registered()
      _ = try SystemLog.shared().take()
      #expect(try scene.logIn(Scene.passcode).code == .success)
      let lines = try SystemLog.shared().take()
      #expect(!lines.isEmpty && !lines.contains { $0.contains("event=sandbox") }, "\(lines)")
    }
  }
}
