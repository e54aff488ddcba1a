import ArgumentParser
import Foundation

/// A time as somebody types it: 2026-11-23T12:00:00Z, 2026-11-23 for its first second in UTC, or seconds since 1970.
struct TypedTime: ExpressibleByArgument {
  /// Seconds since 1970.
  let seconds: Int64

  init?(argument: String) {
    if let seconds = Int64(argument) {
      self.seconds = seconds
      return
    }
    let text = argument.contains("T") ? argument : "\(argument)T00:00:00Z"
    // The reader takes an hour 25 for the first of the next day.
    guard let date = try? Date(text, strategy: .iso8601), date.formatted(.iso8601) == text else { return nil }
    seconds = Int64(date.timeIntervalSince1970)
  }
}
