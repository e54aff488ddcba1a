import ArgumentParser
import Foundation

/// Where commands write: results to standard output, everything else to standard error.
enum Terminal {
  static func result(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
  }

  static func note(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data("uaf-server: \(line)\n".utf8))
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
