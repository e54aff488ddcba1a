import Testing
import UAFMessages

@testable import UAFClient

/// A transport with a list of expected exchanges.
///
/// A request that is not the next in the list fails the test.
struct ScriptedTransport: Transport {
  struct Exchange: Sendable {
    let url: String
    var failsAtBegin = false
    let answer: @Sendable (TransportRequest) -> Result<TransportResponse, TransportFailure>
  }

  private var script: [Exchange]
  private var pending: Result<TransportResponse, TransportFailure>?
  private(set) var requests: [TransportRequest] = []

  init(_ script: Exchange...) {
    self.init(script)
  }

  init(_ script: [Exchange]) {
    self.script = script.reversed()
  }

  mutating func begin(_ request: TransportRequest) throws(TransportFailure) {
    requests.append(request)
    #expect(pending == nil, "a request was begun before the last one was finished")
    guard let exchange = script.popLast() else {
      Issue.record("unexpected request to \(request.url)")
      throw .unavailable
    }
    #expect(request.url == exchange.url)
    let answer = exchange.answer(request)
    if exchange.failsAtBegin, case .failure(let failure) = answer { throw failure }
    pending = answer
  }

  mutating func finish() throws(TransportFailure) -> TransportResponse {
    guard let answer = pending.take() else {
      Issue.record("finish without begin")
      throw .unavailable
    }
    return try answer.get()
  }

  /// Whether all exchanges of the list have taken place.
  var isUsedUp: Bool { script.isEmpty && pending == nil }
}

extension ScriptedTransport.Exchange {
  static func answering(_ url: String, _ response: TransportResponse) -> Self {
    Self(url: url) { _ in .success(response) }
  }

  static func failing(_ url: String, _ failure: TransportFailure, atBegin: Bool = false) -> Self {
    Self(url: url, failsAtBegin: atBegin) { _ in .failure(failure) }
  }
}
