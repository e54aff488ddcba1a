import NIOCore
import NIOHTTP1
import UAFMessages
import UAFService
import WebMessages

/// The routes with which machines join with a code, leave, and report their state (docs/protocol.md, "Joining" and "Check-in").
struct JoinRoutes: Sendable {
  let environment: ServiceEnvironment
  let admission: Admission
  let log: RequestLog

  private var service: JoinService { JoinService(environment: environment) }

  /// Lets a machine join.
  ///
  /// A wrong code counts as a wrong answer of its address. Nobody can guess a code of 160 bits, but each attempt costs a read
  /// from the store.
  ///
  /// - Parameter machine: the machine that the request proves to come from; nil for a machine that has not joined before.
  func join(
    _ request: WebRequest, by machine: KnownMachine?, from address: SocketAddress?
  ) async throws -> WebResponse {
    try RequestBody.requireShort(request, limit: JoinRequest.maximumBytes)
    guard admission.admits(nil, from: address, now: environment.now()) != nil else {
      throw log.limited(.address, .join, nil, from: address)
    }
    guard try RequestBody.mediaType(of: request) == .json else {
      return WebResponse(status: .unsupportedMediaType)
    }
    let bytes = try RequestBody.bytes(of: request, limit: JoinRequest.maximumBytes)
    guard let asked = try? JoinRequest(parsing: bytes) else {
      log.refused(.malformedRequest, .join, nil, of: nil, from: address)
      return WebResponse(status: .badRequest)
    }
    let prover = try machine.flatMap { try JoinService.isProved(bytes, by: $0) ? $0 : nil }
    return try await response(.join) {
      switch try await service.join(asked, provedBy: prover, from: AnswerRefusals.text(address)) {
      case .joined(let answer, let machine):
        log.joined(machine)
        return answer
      case .refused(let refusal):
        guard admission.admits(wrongFrom: address, now: environment.now()) else {
          throw log.limited(.address, .join, nil, from: address)
        }
        log.refused(refusal, .join, nil, of: nil, from: address)
        return JoinAnswer(statusCode: refusal.statusCode)
      }
    }
  }

  /// Lets a machine that has joined leave.
  ///
  /// The proof contains the whole request, so no body is read.
  ///
  /// - Parameter machine: the machine that the request proves to come from.
  func leave(
    _ request: WebRequest, by machine: KnownMachine?, from address: SocketAddress?
  ) async throws -> WebResponse {
    try RequestBody.requireShort(request)
    guard admission.admits(machine, from: address, now: environment.now()) != nil else {
      throw log.limited(.address, .leave, nil, from: address)
    }
    return try await response(.leave) {
      guard let machine, let left = try await service.leave(machine, from: AnswerRefusals.text(address)) else {
        throw unknown(.leave, from: address)
      }
      log.left(left)
      return JoinAnswer(statusCode: .ok)
    }
  }

  /// Accepts the report of a machine that has joined.
  ///
  /// The proof covers the body, so nobody can replace the report.
  func checkIn(
    _ request: WebRequest, by machine: KnownMachine?, from address: SocketAddress?
  ) async throws -> WebResponse {
    try RequestBody.requireShort(request, limit: CheckInRequest.maximumBytes)
    guard admission.admits(machine, from: address, now: environment.now()) != nil else {
      throw log.limited(.address, .machine, nil, from: address)
    }
    guard try RequestBody.mediaType(of: request) == .json else {
      return WebResponse(status: .unsupportedMediaType)
    }
    let bytes = try RequestBody.bytes(of: request, limit: CheckInRequest.maximumBytes)
    let service = CheckInService(environment: environment)
    func denied() throws -> WebRefusal {
      let header = request.header(UAFRoutes.machineProof)
      return unknown(
        .machine, from: address,
        saying: try service.denial(of: header, over: bytes, from: AnswerRefusals.text(address)))
    }
    guard let machine else { throw try denied() }
    guard try CheckInService.isProved(bytes, by: machine) else { throw unknown(.machine, from: address) }
    guard let told = try? CheckInRequest(parsing: bytes) else {
      log.refused(.malformedRequest, .machine, nil, of: nil, from: address)
      return WebResponse(status: .badRequest)
    }
    return try await response(.machine) {
      switch try await service.checkIn(told, by: machine, from: AnswerRefusals.text(address)) {
      case .noted(let answer, let machine):
        log.checkedIn(machine)
        return answer
      case .unknown: throw try denied()
      case .used: throw unknown(.machine, from: address)
      }
    }
  }

  /// The refusal of a machine that the server does not know, or whose proof is for a different request.
  ///
  /// - Parameter answer: the signed statement that the server does not know the machine; nil to give no reason.
  private func unknown(
    _ route: UAFRoute, from address: SocketAddress?, saying answer: CheckInAnswer? = nil
  ) -> WebRefusal {
    log.refused(.wrongProof, route, nil, of: nil, from: address)
    return WebRefusal(answer.map { Self.response($0, status: .forbidden) } ?? WebResponse(status: .forbidden))
  }

  private static func response(_ body: any JSONRepresentable, status: HTTPResponseStatus) -> WebResponse {
    WebResponse(
      status: status, headers: [("Content-Type", UAFMediaType.json.header), ("Cache-Control", "no-store")],
      body: body.jsonBytes)
  }

  private func response(
    _ route: UAFRoute, _ body: () async throws -> any JSONRepresentable
  ) async throws -> WebResponse {
    do {
      return Self.response(try await body(), status: .ok)
    } catch let refusal as WebRefusal {
      throw refusal
    } catch let error as any StoreFailure where error.isTemporary {
      throw log.away(error, route, nil)
    } catch {
      log.failed(error, route, nil)
      return WebResponse(status: .internalServerError)
    }
  }
}
