import Testing
import UAFService

@testable import UAFAdministration

@Suite("Roles")
struct RoleTests {
  @Test("an administrator may do everything except what provisioning programs do", arguments: Permission.allCases)
  func everything(permission: Permission) {
    #expect(Role.administrator.allows(permission) == (permission != .provision))
  }

  @Test("each role of people may read the server's data", arguments: Role.ofPeople)
  func reading(role: Role) {
    #expect(role.allows(.read))
  }

  @Test("an auditor may change nothing", arguments: Permission.allCases)
  func auditor(permission: Permission) {
    #expect(Role.auditor.allows(permission) == [.read, .exportAudit].contains(permission))
  }

  @Test("the helpdesk issues codes, and does not reach privileged accounts")
  func helpdesk() {
    #expect(Permission.allCases.filter(Role.helpdesk.allows) == [.read, .enrol, .unlock])
    #expect(!Role.helpdesk.reachesPrivileged)
  }

  @Test("an operator may not change policies, access or the server")
  func operators() {
    for permission in [Permission.managePolicies, .manageAccess, .manageServer, .exportAudit] {
      #expect(!Role.operator.allows(permission))
    }
  }

  @Test("the refusal of a caller without a permission names the permission")
  func refused() {
    let caller = Caller(actor: .server, role: .auditor, address: "")
    #expect(throws: AdministrationRefusal.notAllowed(.revoke)) { try caller.require(.revoke) }
  }
}
