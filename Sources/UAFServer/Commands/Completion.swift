import ArgumentParser
import UAFService

/// What a shell completes where something of the store is asked for.
enum Completion {
  /// The accounts of the store that `--state` names in the words so far.
  static let accounts = CompletionKind.custom { (words: [String], _: Int, _: String) async in
    guard let index = words.firstIndex(of: "--state").map({ $0 + 1 }), words.indices.contains(index) else { return [] }
    return (try? await names(in: words[index])) ?? []
  }

  private static func names(in folder: String) async throws -> [String] {
    let store = try StateDirectory(path: folder, create: false).openStore()
    return try await store.read { try $0.accounts.summaries(now: Terminal.now) }.map(\.username)
  }
}
