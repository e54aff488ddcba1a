import Synchronization

/// Lets one preview of a policy be under way at a time: it looks at each account.
package final class PreviewGate: Sendable {
  private let isBusy = Mutex(false)

  package init() {}

  /// Runs a preview.
  ///
  /// - Throws: what `preview` throws; ``AdministrationRefusal/conflict(_:)`` while another one is under way.
  func run<Value>(_ preview: () async throws -> Value) async throws -> Value {
    let isFree = isBusy.withLock { isBusy in
      defer { isBusy = true }
      return !isBusy
    }
    guard isFree else {
      throw AdministrationRefusal.conflict("another preview of a policy is under way: try again when it has ended")
    }
    defer { isBusy.withLock { $0 = false } }
    return try await preview()
  }
}
