import UAFCrypto
import UAFMessages
import UAFService

/// The operations on the codes with which machines join.
package struct JoinCodeAdministration: Sendable {
  /// How many machines may join with one code.
  package static let counts: ClosedRange<Int64> = 1...10_000
  /// How long a code may be valid, in seconds.
  package static let lifetimes: ClosedRange<Int64> = 60...2_592_000
  /// How long a code is valid by default.
  package static let standardLifetime: Int64 = 86_400

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Issues a code.
  ///
  /// - Parameters:
  ///   - name: the name of the group of machines that join with the code.
  ///   - machines: how many machines may join with it.
  ///   - lifetime: in seconds.
  ///   - authority: the CA certificates that the machines are to trust, in PEM, at most 16,384 characters; nil for the server's
  ///     own CA, if it has one.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``; the errors of the environment's functions.
  package func issue(
    group name: String = MachineGroup.standard.name, machines: Int64 = 1, lifetime: Int64 = standardLifetime,
    authority: String? = nil, by caller: Caller
  ) async throws -> IssuedJoinCode {
    let permitted = try caller.require(.joinMachines)
    let group = try Self.check(name, machines: machines, lifetime: lifetime)
    if let authority { try Self.check(authority: authority) }
    let url = try await environment.url()
    let now = environment.now()
    let payload = MachinePayload(
      server: url, code: Base64URL.encode(try environment.random(20)), expires: now + lifetime, group: group,
      ca: try authority ?? environment.authority(url), verdictKeys: try environment.verdictKeys())
    let detail: JSONObject = [
      "group": .string(group.name), "machines": .integer(machines), "seconds": .integer(lifetime),
    ]
    let number = try await environment.change(.nobodys, by: permitted) { [environment] records in
      let number = try records.joinCodes.add(
        payload.code, group: group.name, machines: Int(clamping: machines), by: caller.actor.text, now: now,
        expiresAt: payload.expires)
      var detail = detail
      detail.set("code", .integer(number))
      try records.audit.append([environment.event(.joinCode, by: caller, detail: JSONValue.object(detail).text)])
      return number
    }
    return IssuedJoinCode(
      number: number, machines: machines, payload: payload, fingerprint: try SHA256.hash(payload.fingerprinted))
  }

  private static func check(
    _ name: String, machines: Int64, lifetime: Int64
  ) throws(AdministrationRefusal) -> MachineGroup {
    guard let group = MachineGroup(name) else {
      throw .invalid(
        field: "group", .badGroup)
    }
    guard counts.contains(machines) else { throw .invalid(field: "machines", .outOfRange(counts, nil)) }
    guard lifetimes.contains(lifetime) else {
      throw .invalid(field: "lifetime", .outOfRange(lifetimes, .seconds))
    }
    return group
  }

  private static func check(authority pem: String) throws(AdministrationRefusal) {
    guard pem.utf8.count <= 16_384, (try? X509.certificates(pem: Array(pem.utf8)))?.isEmpty == false else {
      throw .invalid(field: "authority", .notCertificates(bytes: 16_384))
    }
  }

  /// Codes, the newest first.
  ///
  /// - Parameters:
  ///   - number: codes with lower numbers; nil for the first page.
  ///   - limit: at most 200.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func page(
    before number: Int64? = nil, limit: Int = PageLimit.standard, by caller: Caller
  ) async throws -> Page<JoinCode> {
    try caller.require(.read)
    try PageLimit.check(limit)
    let rows = try await environment.read { try $0.joinCodes.page(before: number, limit: limit + 1) }
    return Page(rows, limit: limit) { String($0.number) }
  }

  /// Closes a code; the machines that have joined with it stay.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func close(_ number: Int64, by caller: Caller) async throws {
    let permitted = try caller.require(.joinMachines)
    try await environment.change(.nobodys, by: permitted) { [environment] records in
      guard try records.joinCodes.close(number) else {
        throw AdministrationRefusal.unknown("open join code", name: String(number))
      }
      let detail = JSONValue.object(["code": .integer(number)]).text
      try records.audit.append([environment.event(.joinCodeClosure, by: caller, detail: detail)])
    }
  }
}

/// A payload with a join code, as an administrator receives it.
///
/// It is shown only once, and the store keeps only the hash of the code.
package struct IssuedJoinCode: Equatable, Sendable {
  package let number: Int64
  /// How many machines may join with it.
  package let machines: Int64
  package let payload: MachinePayload
  /// SHA-256 of everything in the payload that makes machines trust the server, as 64 hexadecimal digits, for people to
  /// compare.
  package let fingerprint: String

  /// - Parameter fingerprint: 32 bytes.
  init(number: Int64, machines: Int64, payload: MachinePayload, fingerprint: [UInt8]) {
    self.number = number
    self.machines = machines
    self.payload = payload
    self.fingerprint = Hexadecimal.text(fingerprint)
  }
}
