import ArgumentParser
import Foundation
import Glibc
import HostSystem
import Invocation
import UAFService

/// Where commands write: results to standard output, everything else to standard error.
enum Terminal {
  private static let results = ResultWriter(STDOUT_FILENO)

  /// The system's error number if a result could not be written; nil if all were written.
  static var failure: CInt? { results.failure }

  static func result(_ line: String) { results.write(line: line) }

  /// Writes a line to standard error; a failure is ignored, since it could not be reported anywhere.
  static func note(_ line: String) {
    _ = DescriptorWriter.write(Array("uaf-server: \(line)\n".utf8), to: STDERR_FILENO)
  }

  /// Refuses a name before anything is stored under it.
  static func check(username: String) throws {
    guard Username.isValid(username) else {
      throw ValidationError("USER must be 1 to 128 printable ASCII characters without white space.")
    }
  }

  /// Seconds since 1970 as people read them.
  static func time(_ seconds: Int64) -> String {
    Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
  }

  /// Seconds since 1970.
  static var now: Int64 { Int64(Date.now.timeIntervalSince1970) }
}
