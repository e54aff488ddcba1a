import Testing
import UAFService

@testable import UAFAdministration

@Suite("Roles")
struct RoleTests {
  @Test("an administrator may do everything", arguments: Permission.allCases)
  func everything(permission: Permission) {
    #expect(Role.administrator.allows(permission))
  }

  @Test("each role may read", arguments: Role.allCases)
  func reading(role: Role) {
    #expect(role.allows(.read))
  }

  @Test("an auditor changes nothing", arguments: Permission.allCases)
  func auditor(permission: Permission) {
    #expect(Role.auditor.allows(permission) == [.read, .exportAudit].contains(permission))
  }

  @Test("the helpdesk gives out codes, and does not reach privileged accounts")
  func helpdesk() {
    #expect(Permission.allCases.filter(Role.helpdesk.allows) == [.read, .enrol, .unlock])
    #expect(!Role.helpdesk.reachesPrivileged)
  }

  @Test("an operator does not change policies, access or the server")
  func operators() {
    for permission in [Permission.managePolicies, .manageAccess, .manageServer, .exportAudit] {
      #expect(!Role.operator.allows(permission))
    }
  }

  @Test("a caller without the permission is refused by its name")
  func refused() {
    let caller = Caller(actor: .server, role: .auditor, address: "")
    #expect(throws: AdministrationRefusal.notAllowed(.revoke)) { try caller.require(.revoke) }
  }
}
