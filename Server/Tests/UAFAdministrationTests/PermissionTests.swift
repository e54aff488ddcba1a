import Testing
import UAFCrypto

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

/// Each operation by each role: whoever lacks the permission is refused, and nothing is changed.
struct PermissionTests {
  /// An operation of the administration, and the permission that it needs.
  struct Operation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let permission: Permission
    let call: @Sendable (AdministrationEnvironment, Caller) async throws -> Void

    init(
      _ name: String, _ permission: Permission,
      _ call: @escaping @Sendable (AdministrationEnvironment, Caller) async throws -> Void
    ) {
      testDescription = name
      self.permission = permission
      self.call = call
    }
  }

  static let operations = [
    Operation("accounts", .read) { _ = try await AccountAdministration($0).page(AccountQuery(limit: 1), by: $1) },
    Operation("account", .read) { _ = try await AccountAdministration($0).account("a", by: $1) },
    Operation("add", .manageAccounts) { try await AccountAdministration($0).add("b", by: $1) },
    Operation("addToGroup", .manageAccounts) { try await PeopleAdministration($0).add(["a"], to: "g", by: $1) },
    Operation("delete", .manageAccounts) { try await AccountAdministration($0).delete("a", by: $1) },
    Operation("keys", .read) { _ = try await KeyAdministration($0).keys(of: "a", by: $1) },
    Operation("revoke", .revoke) { _ = try await KeyAdministration($0).revoke(.all(of: "a"), by: $1) },
    Operation("machines", .read) { _ = try await MachineAdministration($0).page(by: $1) },
    Operation("machine", .read) { _ = try await MachineAdministration($0).machine("d", by: $1) },
    Operation("revoke machine", .revoke) { _ = try await MachineAdministration($0).revoke("d", by: $1) },
    Operation("issue join code", .joinMachines) { _ = try await JoinCodeAdministration($0).issue(by: $1) },
    Operation("join codes", .read) { _ = try await JoinCodeAdministration($0).page(by: $1) },
    Operation("close join code", .joinMachines) { try await JoinCodeAdministration($0).close(1, by: $1) },
    Operation("issue", .enrol) { _ = try await EnrolmentAdministration($0).issue(for: "a", by: $1) },
    Operation("codes", .read) { _ = try await EnrolmentAdministration($0).page(onlyOpen: true, by: $1) },
    Operation("close code", .enrol) { try await EnrolmentAdministration($0).close(for: "a", by: $1) },
    Operation("unlock", .unlock) { _ = try await UnlockAdministration($0).issue(for: "a", on: "d", by: $1) },
    Operation("text", .approve) { _ = try await ApprovalAdministration($0).create("t", for: "a", by: $1) },
    Operation("texts", .read) { _ = try await ApprovalAdministration($0).page(by: $1) },
    Operation("one text", .read) { _ = try await ApprovalAdministration($0).approval(1, by: $1) },
    Operation("close text", .approve) { try await ApprovalAdministration($0).close(1, by: $1) },
    Operation("audit", .read) { _ = try await AuditAdministration($0).page(AuditFilter(), by: $1) },
    Operation("row", .read) { _ = try await AuditAdministration($0).row(1, by: $1) },
    Operation("token", .manageAccess) {
      _ = try await AccessAdministration($0).createToken("t", role: .auditor, lifetime: 60, by: $1)
    },
    Operation("tokens", .manageAccess) { _ = try await AccessAdministration($0).tokens(by: $1) },
    Operation("revoke token", .manageAccess) { try await AccessAdministration($0).revokeToken("t", by: $1) },
    Operation("administrator", .manageAccess) {
      try await AccessAdministration($0).setAdministrator("a", role: .administrator, by: $1)
    },
    Operation("administrators", .manageAccess) { _ = try await AccessAdministration($0).administrators(by: $1) },
    Operation("remove administrator", .manageAccess) {
      try await AccessAdministration($0).removeAdministrator("a", by: $1)
    },
  ]

  @Test(arguments: operations, Role.allCases)
  func `an operation is refused to each role that lacks its permission, and to no other role`(
    operation: Operation, role: Role
  ) async throws {
    let server = try TestServer()
    try await server.enrol("a")
    let environment = AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: { server.now }, random: { try RandomBytes.make($0) },
      authority: { _ in nil }, verdictKeys: { "keys" },
      enrolments: { [server] in EnrolmentSeal(keys: server.environment.keys) }, models: server.environment.models)
    let refusal = AdministrationRefusal.notAllowed(operation.permission)
    let caller = Caller(actor: .commandLine(uid: 0, login: nil), role: role, address: "")
    do {
      try await operation.call(environment, caller)
      #expect(role.allows(operation.permission))
    } catch let thrown as AdministrationRefusal {
      // Some operations then refuse because the named item does not exist. Only a caller with the permission learns that.
      #expect((thrown == refusal) == !role.allows(operation.permission))
    }
    guard !role.allows(operation.permission) else { return }
    #expect(try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 1) }.isEmpty)
  }
}
