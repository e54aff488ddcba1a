import Foundation
import Synchronization

/// Knows which shapes the accounts of the store have, for those that are made up.
///
/// What was found stays in the store, so that a name's made-up keys are the same after a restart; it is looked at anew when
/// the server starts and every hour, and taken over only where that is needed.
package final class KeyShapeKeeper: Sendable {
  /// Accounts that are looked at, at the most: those whose number is a multiple of a power of two.
  ///
  /// So the sample of a growing store changes little, and a million accounts cost no more than these.
  static let maximumSample: Int64 = 2048
  /// Seconds from one look to the next.
  static let interval: Int64 = 3600
  /// Accounts that are looked at in one go, between which requests are served.
  private static let chunk = 64

  private let current = Mutex<KeyShapes?>(nil)

  /// What was found, if anything was.
  var shapes: KeyShapes? { current.withLock { $0 } }

  /// Knows nothing yet.
  package init() {}

  /// Takes what an earlier run has found.
  package init(from store: any ServerStore) async throws {
    let stored = try await store.read { try $0.settings.value(of: .keyShapes) }
    // Text that cannot be read is replaced by the next look.
    let found = stored.flatMap { try? JSONDecoder().decode(KeyShapes.self, from: Data($0.utf8)) }
    current.withLock { $0 = found }
  }

  /// Looks at the store now and every hour, for as long as the process lives.
  ///
  /// - Parameter failed: is told why a look failed; the next one is an hour later.
  package func keep(upWith store: any ServerStore, appID: String, failed: @escaping @Sendable (any Error) -> Void) {
    Task {
      while !Task.isCancelled {
        do { try await refresh(store, appID: appID) } catch { failed(error) }
        try await Task.sleep(for: .seconds(Self.interval))
      }
    }
  }

  /// Looks at the store, and takes over what has to be taken over.
  func refresh(_ store: any ServerStore, appID: String) async throws {
    let found = try await KeyShapes(sample(store, appID: appID))
    guard !found.entries.isEmpty, shapes.map(found.replace) ?? true else { return }
    let text = String(decoding: try JSONEncoder().encode(found), as: UTF8.self)
    try await store.write { try $0.settings.set(.keyShapes, to: text) }
    current.withLock { $0 = found }
  }

  private func sample(_ store: any ServerStore, appID: String) async throws -> [KeyShape] {
    let last = try await store.read { try $0.accounts.lastNumber() }
    var stride: Int64 = 1
    while last / stride > Self.maximumSample { stride *= 2 }
    var shapes: [KeyShape] = []
    var next = stride
    while next <= last {
      let numbers = (0..<Int64(Self.chunk)).map { [next] in next + $0 * stride }
      shapes += try await store.read { try $0.credentials.shapes(ofAccounts: numbers, appID: appID) }
      next += Int64(Self.chunk) * stride
    }
    return shapes
  }
}
