import Foundation
import Testing

extension EndToEnd {
  @Suite struct `What a caller plants` {
    private static let fixed = ["LC_ALL=C.UTF-8", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "SWIFT_BACKTRACE=enable=no"]

    /// Writes a program that leaves a file when it runs; returns an environment that would make others run or read what was
    /// written.
    private func plant(_ scene: Scene) throws -> [String: String] {
      try scene.write("#!/bin/sh\n>'\(scene.path("mark"))'\n", to: "planted", mode: 0o755)
      try scene.write("openssl_conf = planted\n[planted]\nproviders = none\n", to: "openssl.cnf")
      let planted = scene.path("planted")
      return [
        "SWIFT_BACKTRACE": "enable=yes,interactive=no,color=no,swift-backtrace=\(planted)",
        "OPENSSL_CONF": scene.path("openssl.cnf"), "OPENSSL_MODULES": scene.folder, "SSL_CERT_FILE": "/dev/null",
        "SSL_CERT_DIR": scene.folder, "SSLKEYLOGFILE": scene.path("keys"), "https_proxy": "http://127.0.0.1:1",
        "HTTPS_PROXY": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1", "HOME": scene.folder,
        "CURL_HOME": scene.folder, "TZ": "/dev/null", "LC_ALL": "ko_KR.UTF-8", "LANGUAGE": "ko",
        "SQLITE_TMPDIR": scene.folder, "TMPDIR": scene.folder, "MALLOC_CHECK_": "3", "GCONV_PATH": scene.folder,
      ]
    }

    @Test func `nothing that a caller plants in the environment reaches the helper or its network program`() throws {
      let scene = try Scene.registered()
      let login = try Command(scene.host(), environment: scene.names.merging(plant(scene)) { $1 })
      // The module reads only the locale from the caller's environment, for the language of its prompts.
      try login.wait(for: "prompt ")
      for name in ["uaf-helper", "uaf-fetch"] {
        let processes = login.descendants(named: name)
        try #require(processes.count == 1)
        #expect(ProcessTable.environment(processes[0]).sorted() == Self.fixed)
      }
      login.send(Scene.passcode + "\n")
      #expect(Login(try login.end()).code == .success)
      #expect(!FileManager.default.fileExists(atPath: scene.path("mark")))
      #expect(!FileManager.default.fileExists(atPath: scene.path("keys")))
    }

    @Test func `a backtracer that a caller plants in the environment is not run when the helper crashes`() throws {
      let scene = try Scene.registered()
      let login = try Command(scene.host(), environment: scene.names.merging(plant(scene)) { $1 })
      try login.wait(for: "prompt ")
      let helpers = login.descendants(named: "uaf-helper")
      try #require(helpers.count == 1)
      kill(helpers[0], SIGSEGV)
      login.send(Scene.passcode + "\n")
      #expect(Login(try login.end()).code == .systemError)
      #expect(!FileManager.default.fileExists(atPath: scene.path("mark")))
    }

    @Test func `a Swift program that inherits a planted environment and crashes runs the planted backtracer`() throws {
      let scene = try Scene()
      let program = try Command(
        [Programs.server, "serve", "--state", scene.folder, "--listen", "127.0.0.1:0", "--development"],
        environment: plant(scene))
      try program.wait(for: "listening on")
      kill(program.identifier, SIGSEGV)
      try Wait.until("the planted program's mark", within: 20) {
        FileManager.default.fileExists(atPath: scene.path("mark"))
      }
    }
  }

  @Suite struct `The helper` {
    @Test func `at the prompt the helper has one thread, and its network program has no privileges`() throws {
      let scene = try Scene.registered()
      let login = try scene.startLogin()
      let helpers = login.descendants(named: "uaf-helper")
      let fetchers = login.descendants(named: "uaf-fetch")
      try #require(helpers.count == 1 && fetchers.count == 1)
      #expect(ProcessTable.threadCount(helpers[0]) == 1)
      let unprivileged = Array(repeating: "60990", count: 4).joined(separator: " ")
      try Wait.until("uaf-fetch to give up root") { ProcessTable.status(fetchers[0], "Uid") == unprivileged }
      #expect(ProcessTable.status(fetchers[0], "Gid") == unprivileged)
      #expect(ProcessTable.status(fetchers[0], "Groups") == "")
      for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
        #expect(ProcessTable.status(fetchers[0], set) == "0000000000000000")
      }
      #expect(ProcessTable.status(fetchers[0], "NoNewPrivs") == "1")
      login.send(Scene.passcode + "\n")
      #expect(Login(try login.end()).code == .success)
    }

    @Test func `the helper starts no thread in a whole login, and no process but its network program`() throws {
      let scene = try Scene.registered()
      let trace = scene.path("trace")
      let traced = ["strace", "-f", "-qq", "-e", "trace=clone,clone3,vfork,fork,execve", "-o", trace]
      let output = try Command.run(
        traced + ["env"] + scene.names.map { "\($0)=\($1)" } + scene.host(), input: Scene.passcode + "\n")
      #expect(Login(output).code == .success)
      let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map { line in
        line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true).map(String.init)
      }
      let start = try #require(lines.first { $0[1].contains("/uaf-helper\", [\"uaf-helper\"]") })
      let creations = lines.filter { $0[0] == start[0] && $0[1].contains(/^ *(clone3?|v?fork)\(/) }
      #expect(creations.count == 1)
      #expect(creations.allSatisfy { $0[1].contains("CLONE_VFORK") && !$0[1].contains("CLONE_THREAD") })
    }
  }
}
