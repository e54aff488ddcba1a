import CProcess
import Foundation
import Testing
import UAFWire

@testable import UAFHelper

/// A software TPM (swtpm) for one test, with its state in a folder that is removed with this object.
final class SoftwareTPM {
  let folder: String
  let place: String
  private var process: pid_t = 0

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/uaf-tpm.\(UUID().uuidString.prefix(8))"
    place = folder + "/socket"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try start()
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Starts the TPM, and returns once its socket exists.
  func start() throws {
    let arguments = [
      "/usr/bin/swtpm", "socket", "--tpm2", "--tpmstate", "dir=\(folder)", "--server", "type=unixio,path=\(place)",
      "--flags", "not-need-init,startup-clear", "--daemon", "--pid", "file=\(folder)/pid",
    ]
    try #require(try Self.status(of: arguments) == 0, "swtpm: scripts/deps.sh installs it")
    let text = try String(contentsOfFile: folder + "/pid", encoding: .utf8)
    process = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  /// Runs a command to its end.
  ///
  /// It inherits no descriptors of other tests, because a process that it leaves behind would keep them open.
  private static func status(of command: [String]) throws -> CInt {
    // SAFETY: all texts and lists outlive the calls, and the list ends with nil.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for descriptor in 0...2 {
      unsafe posix_spawn_file_actions_addopen(&actions, CInt(descriptor), "/dev/null", O_RDWR, 0)
    }
    unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    let list = unsafe command.map { unsafe strdup($0) } + [nil]
    defer { unsafe list.forEach { unsafe free($0) } }
    var identifier: pid_t = 0
    try #require(unsafe posix_spawn(&identifier, command[0], &actions, nil, list, nil) == 0)
    var status: CInt = -1
    while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return status
  }

  /// Stops the TPM, as if the chip were removed.
  func stop() {
    guard process > 0 else { return }
    kill(process, SIGKILL)
    process = 0
    try? FileManager.default.removeItem(atPath: place)
  }

  /// Sends one command in the TPM's own format; returns the response code.
  func send(_ command: [UInt8]) throws -> UInt32 {
    try exchange(command)[6..<10].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The numbers of the indices in a range of 65,536 (TPM2_GetCapability, TPM_CAP_HANDLES).
  func indices(from first: UInt32 = 0x01a6_0000) throws -> [UInt32] {
    let number = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: first >> $0) }
    let command: [UInt8] = [0x80, 0x01, 0, 0, 0, 22, 0, 0, 1, 0x7a, 0, 0, 0, 1] + number + [0, 0, 0, 64]
    let list = try exchange(command).dropFirst(19)
    return stride(from: list.startIndex, to: list.endIndex, by: 4).map { start in
      list[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }.filter { $0 >> 16 == first >> 16 }
  }

  /// Sends one command in the TPM's own format; returns the response.
  private func exchange(_ command: [UInt8]) throws -> [UInt8] {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // SAFETY: the path is shorter than sun_path, and the structure lives for the call.
    let connected = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe withUnsafeMutableBytes(of: &pointer.pointee.sun_path) { unsafe $0.copyBytes(from: place.utf8) }
      return unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(connected == 0)
    var response = [UInt8](repeating: 0, count: 4096)
    // SAFETY: both buffers are lent with their lengths.
    try #require(unsafe write(descriptor, command, command.count) == command.count)
    let count = unsafe read(descriptor, &response, response.count)
    try #require(count >= 10)
    return Array(response.prefix(count))
  }

  /// Makes indices of other owners until the TPM is full (TPM2_NV_DefineSpace with the owner's empty authorisation value).
  func fill() throws {
    var number: UInt32 = 0x0150_0000
    for size: UInt16 in [2048, 512, 64, 8] {
      var code: UInt32 = 0
      while code == 0 {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        let head: [UInt8] = [0x80, 0x02, 0, 0, 0, 0x2d, 0, 0, 1, 0x2a, 0x40, 0, 0, 1, 0, 0, 0, 9, 0x40, 0, 0, 9]
        // SHA-256 as the hash, and attributes that let the owner read and write.
        let area: [UInt8] = [0, 14] + bytes + [0, 0x0b, 0, 2, 0, 2, 0, 0, UInt8(size >> 8), UInt8(size & 0xff)]
        code = try send(head + [0, 0, 0, 0, 0] + [0, 0] + area)
        number += 1
      }
      try #require(code == 0x14b, "\(String(code, radix: 16))")
    }
  }

  /// Sets the count of an index: this many wrong secrets of those that it allows.
  ///
  /// Uses TPM2_NV_Write with the owner's empty authorisation value.
  func count(_ count: UInt32, of limit: UInt32, in index: UInt32) throws {
    let bytes = [index, count, limit].map { number in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
    let head: [UInt8] = [0x80, 0x02, 0, 0, 0, 0x2b, 0, 0, 1, 0x37, 0x40, 0, 0, 1] + bytes[0]
    let session: [UInt8] = [0, 0, 0, 9, 0x40, 0, 0, 9, 0, 0, 0, 0, 0]
    try #require(try send(head + session + [0, 8] + bytes[1] + bytes[2] + [0, 0]) == 0)
  }

  /// TPM2_Clear with the lockout hierarchy's empty authorisation value (TPM 2.0 Part 3, 24.6).
  func clear() throws {
    let command: [UInt8] =
      [0x80, 0x02, 0, 0, 0, 0x1b, 0, 0, 1, 0x26, 0x40, 0, 0, 0x0a] + [0, 0, 0, 9, 0x40, 0, 0, 9, 0, 0, 0, 0, 0]
    try #require(try send(command) == 0)
  }

  /// Starts the uaf-chip of this build.
  static func program() throws(Ending) -> ChipProcess { try ChipProcess(path) }

  /// The same, for a test that does not wait for replies.
  static func hastyProgram() throws(Ending) -> ChipProcess { try ChipProcess(path, patience: 0) }

  private static let path: String = {
    var path = [CChar](repeating: 0, count: 4096)
    // SAFETY: the array has the room that is announced.
    let length = unsafe readlink("/proc/self/exe", &path, path.count)
    let name = String(decoding: path.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.prefix(upTo: name.lastIndex(of: "/") ?? name.startIndex) + "/uaf-chip"
  }()
}
