import Synchronization

/// The joined machines that have left or were revoked, by their numbers at this server.
///
/// A request must not wait for the store to be let in, so the numbers are kept in memory and renewed once a second. For each
/// such machine there are as many numbers as secrets of the server count, and each is the machine's under one of them.
package final class DepartedMachines: Sendable {
  /// How many changes are read at once.
  private static let together = 1000

  private struct State {
    /// The secrets that the numbers were made of.
    var secrets: [String] = []
    /// The last change that was taken.
    var last: Int64 = 0
    var numbers: Set<[UInt8]> = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether a machine that proves itself by this number is an unknown one all the same.
  package func contains(_ machineID: [UInt8]) -> Bool { state.withLock { $0.numbers.contains(machineID) } }

  /// Takes what has changed in the store since the last time; everything, if the server's secrets are others.
  ///
  /// Several may renew at once.
  ///
  /// - Throws: ``StoreFailure``; ``CryptoError``.
  package func renew(from store: any ServerStore, keys: ServerKeys) async throws {
    while true {
      let secrets = keys.secretIDs
      let last = begin(secrets)
      let changes = try await store.read { try $0.joinedMachines.changes(after: last, limit: Self.together) }
      let proofs = MachineProofs(keys: keys)
      let found = try changes.map { change in
        (
          numbers: try proofs.numbers(ofMachine: change.machine.id, joinedWith: change.machine.codeNumber),
          isGone: change.machine.departedAt != nil
        )
      }
      let isTaken = state.withLock { state in
        // Somebody else was faster, and may know what is newer.
        guard state.secrets == secrets, state.last == last else { return false }
        for (numbers, isGone) in found {
          if isGone { state.numbers.formUnion(numbers) } else { state.numbers.subtract(numbers) }
        }
        state.last = changes.last?.number ?? last
        return true
      }
      if isTaken, changes.count < Self.together { return }
    }
  }

  /// The last change that was taken with these secrets.
  ///
  /// Numbers of secrets that count no more stay until the server ends: they are no machine's.
  private func begin(_ secrets: [String]) -> Int64 {
    state.withLock { state in
      if state.secrets != secrets { (state.secrets, state.last) = (secrets, 0) }
      return state.last
    }
  }
}
