import ArgumentParser
import GRDB

/// What a shell completes where something of the store is asked for.
enum Completion {
  /// The accounts of the store that `--state` names in the words so far.
  static let accounts = CompletionKind.custom { words, _, _ in
    guard let index = words.firstIndex(of: "--state").map({ $0 + 1 }), words.indices.contains(index) else { return [] }
    return (try? names(in: words[index])) ?? []
  }

  private static func names(in folder: String) throws -> [String] {
    let database = try ServerDatabase.open(state: StateDirectory(path: folder, create: false))
    return try database.read { db in try AccountStore(db: db).summaries(now: Terminal.now) }.map(\.username)
  }
}
