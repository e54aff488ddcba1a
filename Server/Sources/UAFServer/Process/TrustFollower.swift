import ServiceLifecycle
import Synchronization
import UAFAdministration
import UAFService

/// How many machines lack a key or an authority that is going to be used, as this instance last read it.
final class TrustFigures: Sendable {
  private struct Counts {
    var keys = 0
    var authorities = 0
  }

  private let counts = Mutex(Counts())

  /// Takes what is coming; if there are several of a kind, the one that most machines lack counts.
  func set(_ coming: [ComingTrust]) {
    var new = Counts()
    for coming in coming {
      switch coming.anchor {
      case .verdictKey: new.keys = max(new.keys, coming.lacking)
      case .authority: new.authorities = max(new.authorities, coming.lacking)
      }
    }
    counts.withLock { $0 = new }
  }

  func write(to page: inout MetricsPage) {
    let counts = counts.withLock { $0 }
    let name = "uaf_machines_lacking"
    page.begin(name, .gauge, "Joined machines that lack a verdict key or an authority that is going to be used.")
    page.add(name, [("kind", "verdict-key")], counts.keys)
    page.add(name, [("kind", "authority")], counts.authorities)
  }
}

/// Counts, once a minute, the machines that lack what is going to be used, and notes in the store which announced authorities
/// have issued the certificate of this instance.
struct TrustFollower: Service {
  let figures: TrustFigures
  let store: any ServerStore
  let keys: ServerKeys
  let served: ServedChain
  let now: @Sendable () -> Int64

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        // While the store cannot be read, the last figures stay.
        if let coming = try? await self.coming() { self.figures.set(coming) }
        try? await self.noteServed()
        try? await Task.sleep(for: .seconds(60))
      }
    }
  }

  private func coming() async throws -> [ComingTrust] {
    let (keys, now) = (keys.comingVerdictKeys, now())
    return try await store.read { try ComingTrust.all(keys, names: 0, in: $0, now: now) }
  }

  /// Notes the authorities of the certificate in use; writes nothing in a store where none was ever announced.
  ///
  /// - Throws: ``StoreFailure``.
  func noteServed() async throws {
    let announced = try await store.read { try $0.machineTrusts.authorities() }
    guard !announced.isEmpty else { return }
    let own = announced.filter { served.comes(from: $0) }.map(\.fingerprint)
    let now = now()
    try await store.write { try ServedAuthorities.note(own, in: $0, now: now) }
  }
}
