import Foundation

/// Waits for a different process, for at most a minute.
enum Wait {
  static func until(_ what: String, within seconds: Double = 60, _ condition: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try !condition() {
      guard ContinuousClock.now < end else { throw Failure("waited \(seconds) s in vain for \(what)") }
      usleep(3000)
    }
  }
}
