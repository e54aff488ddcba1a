import UAFMessages

@testable import UAFService

extension ResponseService {
  /// Reads a response and verifies it, as the route does.
  func respond(_ body: SendUAFResponse) async throws -> ResponseOutcome {
    let answer: ReceivedResponse
    do {
      answer = try read(body)
    } catch let refusal as ServiceRefusal {
      return .refused(refusal)
    }
    return try await respond(answer)
  }
}
