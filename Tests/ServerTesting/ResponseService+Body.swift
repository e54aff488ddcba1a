import UAFMessages

@testable import UAFService

extension ResponseService {
  /// Reads an answer and verifies it, as the route does.
  func respond(_ body: SendUAFResponse) async throws -> ResponseOutcome {
    switch try read(body) {
    case .success(let answer): try await respond(answer)
    case .failure(let refusal): .refused(refusal, username: nil)
    }
  }
}
