import Foundation
import Glibc
import NIOPosix
import Testing

@testable import UAFServer

/// What the server tells systemd, on a socket of the test's own.
struct ServiceManagerTests {
  /// A datagram socket such as systemd's, with a path or an abstract name.
  private final class Manager {
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)

    /// - Parameter name: the socket's name, as in NOTIFY_SOCKET.
    init(_ name: String) throws {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      var bytes = Array(name.utf8)
      if name.hasPrefix("@") { bytes[0] = 0 }
      // SAFETY: the name is shorter than `sun_path`; a sockaddr_un is passed with its length.
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
      let result = unsafe withUnsafePointer(to: &address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe bind(descriptor, $0, socklen_t(2 + bytes.count))
        }
      }
      try #require(result == 0)
    }

    deinit { close(descriptor) }

    /// The next message that arrived at the socket; nil if there is none.
    func message() -> String? {
      var buffer = [UInt8](repeating: 0, count: 256)
      // SAFETY: the buffer has the room that its count states.
      let count = unsafe recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }
  }

  private func service(_ environment: [String: String]) -> ServiceManager {
    ServiceManager(environment: environment, process: 4711, loops: MultiThreadedEventLoopGroup.singleton)
  }

  @Test(arguments: [false, true])
  func `the server notifies systemd at a socket with a path or an abstract name`(isAbstract: Bool) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    let name = isAbstract ? "@" + path : path
    let manager = try Manager(name)
    defer { try? FileManager.default.removeItem(atPath: path) }
    service(["NOTIFY_SOCKET": name]).ready()
    #expect(manager.message() == "READY=1")
    service(["NOTIFY_SOCKET": name]).reloading()
    #expect(manager.message()?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
    #expect(manager.message() == nil)
  }

  @Test(arguments: ["", "@", "relative", "vsock:2:1", "/\(String(repeating: "a", count: 107))", "/a\0b"])
  func `the server refuses a NOTIFY_SOCKET that cannot name a Unix socket`(name: String) {
    #expect(NotifySocket(name) == nil)
  }

  @Test func `the server notifies nobody if nobody listens at systemd's socket, or no socket is named`() {
    service(["NOTIFY_SOCKET": "/nonexistent/notify"]).ready()
    service([:]).ready()
  }

  @Test
  func `the server signals systemd twice in each watchdog interval, and only if the watchdog is for this process`() {
    #expect(service(["WATCHDOG_USEC": "3000000"]).interval == .milliseconds(1500))
    #expect(service(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "4711"]).interval == .milliseconds(1500))
    #expect(service(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "4712"]).interval == nil)
    for limit in ["0", "1", "-5", "x", ""] { #expect(service(["WATCHDOG_USEC": limit]).interval == nil) }
    #expect(service([:]).interval == nil)
  }
}
