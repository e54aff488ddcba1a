import UAFMessages

@testable import UAFClient

/// A transport that gives the same answer to every POST, and the same facet list to every GET.
struct LenientTransport: Transport {
  let answer: TransportResponse
  let facets: TrustedFacetList
  private var last: TransportRequest.Method?

  init(answer: TransportResponse, facets: TrustedFacetList) {
    self.answer = answer
    self.facets = facets
  }

  mutating func begin(_ request: TransportRequest) throws(TransportFailure) {
    last = request.method
  }

  mutating func finish() throws(TransportFailure) -> TransportResponse {
    switch last.take() {
    case .post: answer
    case .get: Scene.raw(facets.jsonBytes, contentType: TrustedFacetList.contentType)
    case nil: throw .unavailable
    }
  }
}
