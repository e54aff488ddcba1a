import ArgumentParser
import Foundation
import Glibc
import HostSystem
import Invocation
import Synchronization
import UAFConsole
import UAFService

/// The output of commands: results go to standard output, everything else to standard error.
enum Terminal {
  private static let results = ResultWriter(STDOUT_FILENO)

  /// The error number of the first result that could not be written; nil if all were written.
  static var failure: CInt? { results.failure }

  static func result(_ line: String) { results.write(line: line) }

  /// Writes a line to standard error.
  ///
  /// A failure is ignored, since there is nowhere to report it.
  static func note(_ line: String) {
    _ = DescriptorWriter.write(Array("uaf-server: \(line)\n".utf8), to: STDERR_FILENO)
  }

  /// Refuses an invalid account name before anything is stored under it.
  static func check(username: String) throws {
    guard Username.isValid(username) else {
      throw ValidationError("USER must be 1 to 128 printable ASCII characters without white space.")
    }
  }

  /// A time, given in seconds since 1970, as text for people.
  static func time(_ seconds: Int64) -> String {
    Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
  }

  /// A length of time as text for people, such as `15 minutes`: in the largest unit of which it is a whole number.
  static func length(_ seconds: Int64) -> String { PageLanguage.english.exactLength(seconds) }

  /// Whether standard error is a terminal, and not a file or another program's log.
  static var showsNotes: Bool { isatty(STDERR_FILENO) == 1 }

  /// Seconds since 1970.
  static var now: Int64 { Int64(Date.now.timeIntervalSince1970) }
}

/// JSON for a terminal.
enum JSONText {
  /// Escapes DEL and all characters that are not ASCII, because strangers choose some of the texts.
  static func ascii(_ json: String) -> String {
    var text = ""
    for scalar in json.unicodeScalars {
      if scalar.value < 0x7F {
        text.unicodeScalars.append(scalar)
      } else {
        for unit in UTF16.encode(scalar) ?? .init() {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return text
  }
}

/// Formats times, once for each second: formatting takes longer than writing the rest of the line.
final class SecondText: Sendable {
  private let format: String
  private let last = Mutex<(second: Int64, text: String)>((.min, ""))

  /// Makes a formatter for a strftime(3) format; the texts are in UTC and English.
  init(_ format: String) {
    self.format = format
  }

  /// The text of a time in seconds since 1970.
  func text(at second: Int64) -> String {
    last.withLock { last in
      if last.second != second { last = (second, made(second)) }
      return last.text
    }
  }

  private func made(_ second: Int64) -> String {
    var time = time_t(second)
    // SAFETY: both values live for their calls; the buffer is as long as stated, and strftime says how much it wrote.
    var parts = unsafe tm()
    unsafe gmtime_r(&time, &parts)
    return unsafe String(unsafeUninitializedCapacity: 64) { buffer in
      unsafe buffer.withMemoryRebound(to: CChar.self) {
        guard let start = $0.baseAddress else { return 0 }
        return unsafe strftime(start, $0.count, format, &parts)
      }
    }
  }

  /// The format of HTTP (RFC 9110, section 5.6.7).
  static let http = SecondText("%a, %d %b %Y %H:%M:%S GMT")
  /// ISO 8601.
  static let iso8601 = SecondText("%Y-%m-%dT%H:%M:%SZ")
}

/// A time on the command line: 2026-11-23T12:00:00Z, 2026-11-23 for the first second of that day in UTC, or seconds since 1970.
struct TypedTime: ExpressibleByArgument {
  /// Seconds since 1970.
  let seconds: Int64

  init?(argument: String) {
    if let seconds = Int64(argument) {
      self.seconds = seconds
      return
    }
    let text = argument.contains("T") ? argument : "\(argument)T00:00:00Z"
    // The parser would accept hour 25 as the first hour of the next day, so the result is formatted again and compared.
    guard let date = try? Date(text, strategy: .iso8601), date.formatted(.iso8601) == text else { return nil }
    seconds = Int64(date.timeIntervalSince1970)
  }
}
