import Foundation
import Testing
import UAFWire

extension EndToEnd {
  /// An upgrade in the middle of a login leaves programs from two packages running together.
  ///
  /// Attack A41 covers the module and the core.
  @Suite struct `A login whose programs are of two packages` {
    private static let text =
      "The login helper is missing or unusable, or it has died. Reinstall the libpam-uaf package."

    /// A registered account on a machine whose network program accepts what a core sends, and replies with these packets.
    private func scene(_ packets: [[UInt8]]) throws -> Scene {
      let scene = try Scene.registered()
      let module = try Module.startingTheCore()
      let sent = packets.map { "network.send(bytes.fromhex('\($0.map { String(format: "%02x", $0) }.joined())'))" }
      let lines = ["import socket", "network = socket.socket(fileno=3)", "network.recv(65536)", "network.recv(65536)"]
      let program = (["#!/usr/bin/python3"] + lines + sent + ["network.recv(65536)", ""]).joined(separator: "\n")
      try scene.write(program, to: "uaf-fetch", mode: 0o755)
      try module.install(["uaf-helper": Programs.helper, "uaf-fetch": scene.path("uaf-fetch")])
      try scene.stack("auth required MODULE", module: module.path)
      return scene
    }

    private func check(_ packets: [[UInt8]], _ log: String = "the network program is missing or has died") throws {
      let scene = try scene(packets)
      try Refusal(code: .systemError, text: Self.text, log: log, asks: true).check { try scene.logIn(Scene.passcode) }
      #expect(try scene.status().remainingTries == 5)
    }

    /// A reply of the server that the core would read, followed by these fields.
    private func answer(_ more: [UInt8] = []) throws -> [UInt8] {
      try FetchResponse(.answered, handshakeCompleted: true, status: 200, bodyLength: 2).packet() + more
    }

    @Test func `a login is a system error if an older network program does not know a field, and ends`() throws {
      try check([])
    }

    @Test func `a login is a system error if a newer network program sends an additional field`() throws {
      try check([answer([UInt8(99), 0, 1, 1])])
    }

    @Test func `a login is a system error if a newer network program reports an outcome that this core does not know`()
      throws
    {
      var response = try FetchResponse(.other, handshakeCompleted: false).packet()
      let place = try #require(response.firstIndex(of: FetchOutcome.other.rawValue))
      response[place] = 200
      try check([response])
    }

    @Test
    func `a login is a system error if the network program sends the wrong message first, or less than it announced`()
      throws
    {
      try check([[0xEE, 1, 0, 1, 1], answer()])
      try check([answer()])
    }

    @Test func `a login is refused if an older network program does not accept the version of the core's request`()
      throws
    {
      let scene = try scene([FetchResponse(.unacceptableRequest, handshakeCompleted: false).packet()])
      let login = try scene.logIn(Scene.passcode)
      // The core cannot tell an older program from a mistake in root's configuration, so no stack may continue with a password.
      #expect(login.code == .authenticationError && login.errors.count == 1, "\(login.output.text)")
      #expect(try scene.status().remainingTries == 5)
    }
  }
}
