import ArgumentParser
import UAFService

/// Shell completion with values from the store.
enum AccountCompletion {
  /// The accounts of the store that `--state` names among the words typed so far.
  static let accounts = CompletionKind.custom { (words: [String], _: Int, begun: String) async in
    guard let index = words.firstIndex(of: "--state").map({ $0 + 1 }), words.indices.contains(index) else { return [] }
    return (try? await names(in: words[index], prefix: begun)) ?? []
  }

  /// More would be of no use on a screen.
  private static let most = 200

  private static func names(in folder: String, prefix: String) async throws -> [String] {
    let query = AccountQuery(prefix: prefix, limit: most)
    let store = try ServerDirectory(path: folder, create: false).openStore()
    return try await store.read { try $0.accounts.page(query, now: Terminal.now) }.map(\.username)
  }
}
