import Testing
import UAFCrypto
import UAFMessages

@testable import UAFService

extension TestServer {
  /// A report with the nonce `mark` that announces the nonce `next`; each nonce is one byte, repeated.
  static func report(mark: UInt8? = nil, next: UInt8, module: String = "1.0") -> MachineReport {
    var report = MachineReport(module: module, nextMark: Array(repeating: next, count: MachineReport.markByteCount))
    report.mark = mark.map { Array(repeating: $0, count: MachineReport.markByteCount) }
    return report
  }

  /// The secret that a machine gets for an account after a key was registered on it.
  func accountSecret(_ account: String, _ key: FakeAuthenticator) throws -> MachineSecret {
    try #require(try MachineProofs(keys: environment.keys).secret(of: account, holding: [key.keyID]))
  }

  /// A login without the server, as a joined machine records it with a secret.
  ///
  /// - Parameter secret: the account's secret, if the login should be valid.
  func offlineLogin(
    _ number: Int64, of account: String, on joined: MachineSecret, by secret: MachineSecret, service: String = "sudo"
  ) throws -> OfflineLoginNote {
    let note = OfflineLoginNote(account: account, service: service, time: now - 60, number: number, code: [])
    let message = note.authenticated(on: joined.machineID)
    return OfflineLoginNote(
      account: account, service: service, time: note.time, number: number,
      code: try HMACSHA256.authenticate(message, keyInOrdinaryMemory: secret.secret))
  }

  /// The header with which a machine proves a request's body.
  func proof(_ secret: MachineSecret, ofBody body: [UInt8]) throws -> String {
    try proof(secret, .checkIn(bodyHash: SHA256.hash(body)))
  }

  /// The server's answer to a machine that checks in; nil if the server does not know the machine.
  func checkIn(
    _ secret: MachineSecret, _ report: MachineReport, policies: (any MachinePolicies)? = nil
  ) async throws -> CheckInAnswer? {
    let request = CheckInRequest(report)
    guard let machine = environment.machine(proving: try proof(secret, ofBody: request.jsonBytes)) else { return nil }
    guard try CheckInService.isProved(request.jsonBytes, by: machine) else { return nil }
    var environment = environment
    if let policies { environment.machinePolicies = policies }
    let service = CheckInService(environment: environment)
    guard case .noted(let answer, _) = try await service.checkIn(request, by: machine, from: "192.0.2.1") else {
      return nil
    }
    return answer
  }
}
