import Foundation
import Testing

extension EndToEnd {
  /// A machine that joins a server while a disk has no room, at each step that needs room.
  @Suite struct JoinWithoutRoomTests {
    private let scene: Scene

    init() throws {
      scene = try Scene()
      let output = try Command.succeed(
        [
          Programs.server, "join-code", "create", "--machines", "1", "--authority", scene.server.authority, "--state",
          scene.server.state,
        ], logged: false)
      let line = try #require(output.lines.first { $0.hasPrefix("ey") }, "\(output.text)")
      try scene.write(line + "\n", to: "payload", mode: 0o600)
      try FileManager.default.createDirectory(atPath: scene.path("etc"), withIntermediateDirectories: false)
      try scene.write(scene.settings.text, to: "etc/pam_uaf.conf")
    }

    private func join(_ prefix: [String]) throws -> Output {
      try Command.run(
        prefix + [Programs.tool, "--conf", scene.path("etc/pam_uaf.conf"), "join", "--payload", scene.path("payload")],
        environment: scene.names)
    }

    /// Every file of the configuration and of the state, with owner, mode and content.
    ///
    /// A refused join may leave the lock file of check-ins, which is empty and decides nothing.
    private func files(_ prefix: [String]) throws -> String {
      let script =
        #"find "$@" ! -name filler ! -name machine.lock -printf '%p %m %U %l\n' -type f -exec sha256sum {} + | sort"#
      let folders = [scene.path("etc"), scene.settings.stateDirectory]
      return try Command.succeed(prefix + ["/bin/sh", "-c", script, "sh"] + folders, logged: false).text
    }

    /// The same configuration on a disk with this many free pages.
    private func disk(pages: Int) throws -> Disk {
      let script = #"""
        mkdir "$1.etc"
        mount -t tmpfs -o size=256k,mode=755 disk "$1.etc"
        cp -a "\#(scene.path("etc"))/." "$1.etc"
        ! dd if=/dev/zero of="$1.etc/filler" bs=4k 2>/dev/null
        truncate -s -\#(pages * 4)K "$1.etc/filler"
        mount --move "$1.etc" "\#(scene.path("etc"))"
        rmdir "$1.etc"
        """#
      return try Disk(scene, script)
    }

    @Test func `if the disk with the configuration fills up at any step of a join, the machine stays as it was`() throws
    {
      var pages = 0
      while pages < 40 {
        let disk = try disk(pages: pages)
        let before = try files(disk.prefix)
        let output = try join(disk.prefix)
        if output.status == 0 { break }
        let lines = output.lines.filter { !$0.hasPrefix("hint: ") }
        #expect(output.status == 2 && lines.count == 1, "\(pages): \(output.text)")
        #expect(lines.first?.hasPrefix("uafctl: cannot write ") == true, "\(output.text)")
        #expect(lines.first?.hasSuffix(": No space left on device") == true, "\(output.text)")
        #expect(try files(disk.prefix) == before, "\(pages)")
        pages += 1
      }
      // The join writes three files of the configuration, and four of the copy with which it asks the core.
      #expect((7..<40).contains(pages))
    }

    @Test func `a join that fails because the state's disk is full says so, and later succeeds with the same code`()
      throws
    {
      let disk = try Disk.full(scene)
      let before = try files(disk.prefix)
      let refused = try join(disk.prefix)
      let lines = refused.lines.filter { !$0.hasPrefix("hint: ") }
      #expect(refused.status != 0 && lines.count == 1, "\(refused.text)")
      #expect(refused.text.contains("No space left on device"), "\(refused.text)")
      #expect(try files(disk.prefix) == before)
      try disk.makeRoom(scene)
      let joined = try join(disk.prefix)
      #expect(joined.says("joined \(scene.server.url)"), "\(joined.text)")
    }
  }
}
