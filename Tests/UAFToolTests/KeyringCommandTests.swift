import Foundation
import Glibc
import SecretMemory
import Testing
import UAFWire

@testable import UAFTool

/// `uafctl keyring`, and the daemon of GNOME's keyring that it asks.
@Suite final class KeyringCommandTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/uafctl-ring.\(UUID().uuidString.prefix(8))"

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false) }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private static let ring = CoreMessage.prompt(Prompt(echo: false, check: .keyring, step: .current, text: "Ring: "))

  private func begin(_ operation: UAFWire.Operation, _ type: String? = nil) -> [UInt8] {
    var begin = Begin(operation)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = type.map { Array($0.utf8) }
    return Bench.packet(begin)
  }

  /// A run in which the session's keyring opens with "right" alone.
  private func set(_ input: String, _ arguments: [String] = []) -> Bench {
    Bench(
      ["keyring", "set"] + arguments, core: FakeCore([Bench.question, Self.ring, Bench.success]),
      input: Array(input.utf8)
    ) { password in
      password.withBytes { bytes in bytes.count == 5 && bytes[0] == UInt8(ascii: "r") } ? .opens : .wrong
    }
  }

  // MARK: The command

  @Test func `keeping sends the value and the password, and says what the core says`() {
    let bench = set("Abcdef1!\nright\n")
    #expect(bench.exit == .success)
    #expect(bench.sent == [begin(.keyringSet), Bench.answer("Abcdef1!"), Bench.answer("right")])
    #expect(set("Abcdef1!\nright\n", ["pattern"]).sent.first == begin(.keyringSet, "pattern"))
  }

  @Test func `a password that the session's keyring refuses is asked for again, and is not sent`() {
    let bench = set("Abcdef1!\nwrong\nright\n")
    #expect(bench.sent.last == Bench.answer("right") && bench.sent.count == 3)
    #expect(bench.notes.contains("that password does not open the keyring of this session"))
  }

  @Test func `after three refused passwords nothing is kept`() {
    let bench = set("Abcdef1!\na\nb\nc\nright\n")
    #expect(bench.sent.last == FrontEndSignal.cancelled.packet)
  }

  @Test func `a password that cannot be tried is sent, and uafctl says so`() {
    let core = FakeCore([Bench.question, Self.ring, Bench.success])
    let bench = Bench(["keyring", "set"], core: core, input: Array("Abcdef1!\nown\n".utf8))
    #expect(bench.sent.last == Bench.answer("own"))
    #expect(bench.notes.contains("whether the password is right could not be tried here"))
  }

  @Test func `the status names what is kept, and its exit status says whether anything is`() {
    func status(_ more: String, isOn: Bool = true) -> Bench {
      var finished = Finished(pamCode: 0, result: 0)
      finished.document =
        #"{"unlocksKeyring":\#(isOn),"authenticators":[{"type":"passcode","aaid":"5541#0001","state":3006,"#
        + #""permanent":false,"remainingTries":5,"remainingLockSeconds":0\#(more)}]}"#
      return Bench(["keyring", "status"], core: [.finished(finished)])
    }
    let kept = status(#","keyring":"kept""#)
    #expect(kept.exit == .success && kept.output == "keyring: opens after a login with the passcode\n")
    let declined = status(#","keyring":"declined""#)
    #expect(declined.exit == .refused && declined.output == "keyring: none is to be kept under the passcode\n")
    let off = status("", isOn: false)
    #expect(off.exit == .refused && off.output == "keyring: no password is kept\n")
    #expect(off.notes.contains("no login opens a keyring on this machine"))
  }

  @Test func `forgetting asks nothing`() {
    let bench = Bench(["keyring", "forget"], core: [Bench.success])
    #expect(bench.exit == .success && bench.sent == [begin(.keyringForget)])
  }

  // MARK: The daemon

  /// Answers one request at the daemon's socket, and records it.
  private func daemon(_ result: UInt32?, _ test: (SessionKeyring) -> Void) throws -> [UInt8] {
    let path = folder + "/control"
    let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // SAFETY: the path is shorter than the room, which begins as zeros.
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe withUnsafeMutableBytes(of: &pointer.pointee.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
      return unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound && listen(listener, 1) == 0)
    try Data().write(to: URL(filePath: folder + "/login.keyring"))
    let heard = Box<[UInt8]>([])
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let peer = accept(listener, nil, nil)
      var bytes = [UInt8](repeating: 0, count: 64)
      // One byte, then the length of the rest.
      var count = 0
      while peer >= 0, count < 13 || count < 1 + Int(bytes[4]) {
        // SAFETY: the room behind what was read is as long as announced.
        let more = unsafe bytes.withUnsafeMutableBytes { room in
          unsafe recv(peer, room.baseAddress.map { unsafe $0 + count }, room.count - count, 0)
        }
        guard more > 0 else { break }
        count += more
      }
      heard.value = Array(bytes.prefix(count))
      if let result { _ = unsafe send(peer, [0, 0, 0, 8, 0, 0, 0, UInt8(result)] as [UInt8], 8, CInt(MSG_NOSIGNAL)) }
      close(peer)
      isDone.signal()
    }
    test(SessionKeyring(folder: folder, file: folder + "/login.keyring", userID: geteuid()))
    isDone.wait()
    return heard.value
  }

  private func secret(_ text: String) throws -> Secret { try Secret(copying: Array(text.utf8).span) }

  @Test(
    arguments: [
      (0, SessionKeyring.Trial.opens), (1, .wrong), (2, .unknown), (3, .unknown), (nil, .unknown),
    ] as [(UInt32?, SessionKeyring.Trial)])
  func `the daemon's result says whether the password opens the keyring`(
    _ result: UInt32?, _ expected: SessionKeyring.Trial
  ) throws {
    let password = try secret("ring 1")
    let heard = try daemon(result) { keyring in
      let trial = keyring.opens(with: password)
      #expect(trial == expected)
    }
    #expect(heard == [0, 0, 0, 0, 18, 0, 0, 0, 1, 0, 0, 0, 6] + Array("ring 1".utf8))
  }

  @Test func `nothing is tried without a keyring, without a daemon, or with one of another user`() throws {
    let password = try secret("ring")
    var trials: [SessionKeyring.Trial] = []
    var keyring = SessionKeyring(folder: folder, file: folder + "/login.keyring", userID: geteuid())
    trials.append(keyring.opens(with: password))
    try Data().write(to: URL(filePath: keyring.file))
    trials.append(keyring.opens(with: password))
    try Data().write(to: URL(filePath: folder + "/control"))
    trials.append(keyring.opens(with: password))
    keyring.userID += 1
    trials.append(keyring.opens(with: password))
    keyring.folder = nil
    trials.append(keyring.opens(with: password))
    #expect(trials == [.unknown, .unknown, .unknown, .unknown, .unknown])
  }
}
