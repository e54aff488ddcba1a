import Testing

/// Runs each test of a suite once with each engine.
struct OnEachStore: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    for engine in StoreEngine.allCases {
      let named = IssueHandlingTrait.compactMapIssues { issue in
        var issue = issue
        issue.comments.append("with the store in \(engine)")
        return issue
      }
      try await StoreEngine.$current.withValue(engine) {
        try await named.provideScope(for: test, testCase: testCase, performing: function)
      }
    }
  }
}

extension Trait where Self == OnEachStore {
  static var onEachStore: OnEachStore { OnEachStore() }
}
