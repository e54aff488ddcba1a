import Testing

/// Runs each test of a suite once with each store engine.
struct OnEachStore: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true
  /// How many tests may use PostgreSQL at the same time.
  ///
  /// All tests begin together, and each has several connections, so without this limit the cluster would run out of
  /// connections.
  private static let postgresql = Turns(64)

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    for engine in StoreEngine.allCases {
      let named = IssueHandlingTrait.compactMapIssues { issue in
        var issue = issue
        issue.comments.append("with the store in \(engine)")
        return issue
      }
      if engine == .postgresql { await Self.postgresql.take() }
      let ended: Result<Void, any Error>
      do {
        try await StoreEngine.$current.withValue(engine) {
          try await named.provideScope(for: test, testCase: testCase, performing: function)
        }
        ended = .success(())
      } catch { ended = .failure(error) }
      if engine == .postgresql { await Self.postgresql.handBack() }
      try ended.get()
    }
  }
}

extension Trait where Self == OnEachStore {
  static var onEachStore: OnEachStore { OnEachStore() }
}
