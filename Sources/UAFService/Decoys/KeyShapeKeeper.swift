import Foundation
import Synchronization

/// Knows which key shapes the accounts of the store have: decoys are given the same ones.
///
/// The result is kept in the store, so that a name's decoys stay the same after a restart. The accounts are looked at
/// when the server starts and every hour; a new result replaces the old one only if ``KeyShapes/replace(_:)`` says so.
package final class KeyShapeKeeper: Sendable {
  /// The most accounts that are looked at.
  ///
  /// These are the accounts whose number is a multiple of a power of two. So the sample changes little when the store grows, and
  /// a million accounts cost no more than this many.
  static let maximumSample: Int64 = 2048
  /// Seconds from one look to the next.
  static let interval: Int64 = 3600
  /// Accounts of one transaction; requests are served between two of them.
  private static let chunk = 64

  private let current = Mutex<KeyShapes?>(nil)

  /// The shapes in use; nil if none were found yet.
  var shapes: KeyShapes? { current.withLock { $0 } }

  /// Makes one that has found no shapes yet.
  package init() {}

  /// Makes one with the shapes that an earlier run of the server has stored.
  package init(from store: any ServerStore) async throws {
    let stored = try await store.read { try $0.settings.value(of: .keyShapes) }
    // A text that cannot be read counts as none: the next look replaces it.
    let found = stored.flatMap { try? JSONDecoder().decode(KeyShapes.self, from: Data($0.utf8)) }
    current.withLock { $0 = found }
  }

  /// Looks at the store now and every hour, for as long as the process lives.
  ///
  /// - Parameter failed: gets why a look failed; the next one is an hour later.
  package func keep(upWith store: any ServerStore, appID: String, failed: @escaping @Sendable (any Error) -> Void) {
    Task {
      while !Task.isCancelled {
        do { try await refresh(store, appID: appID) } catch { failed(error) }
        try await Task.sleep(for: .seconds(Self.interval))
      }
    }
  }

  /// Looks at the store once, and replaces the shapes in use where that is needed.
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
