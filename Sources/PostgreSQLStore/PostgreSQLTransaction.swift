import UAFService

/// One transaction of a ``PostgreSQLStore``, with a value for each table.
struct PostgreSQLTransaction: StoreTransaction {
  let connection: Connection
  let auditBuffer = AuditBuffer()

  var accessTokens: any AccessTokens { AccessTokenTable(connection: connection) }
  var accounts: any Accounts { AccountTable(connection: connection) }
  var administrators: any Administrators { AdministratorTable(connection: connection) }
  var approvals: any Approvals { ApprovalTable(connection: connection) }
  var audit: any AuditTrail { AuditTable(connection: connection, buffer: auditBuffer) }
  var auditDeliveries: any AuditDeliveries { AuditDeliveryTable(connection: connection) }
  var confirmedTexts: any ConfirmedTexts { ConfirmedTextTable(connection: connection) }
  var consoleSessions: any ConsoleSessions { ConsoleSessionTable(connection: connection) }
  var contents: any StoreContents { ContentsTable(connection: connection) }
  var credentials: any Credentials { CredentialTable(connection: connection) }
  var enrolments: any Enrolments { EnrolmentTable(connection: connection) }
  var issuedCodes: any IssuedCodes { IssuedCodeTable(connection: connection) }
  var joinCodes: any JoinCodes { JoinCodeTable(connection: connection) }
  var joinedMachines: any JoinedMachines { JoinedMachineTable(connection: connection) }
  var machinePolicies: any SavedMachinePolicies { MachinePolicyTable(connection: connection) }
  var machines: any Machines { MachineTable(connection: connection) }
  var openRegistrations: any OpenRegistrations { OpenRegistrationTable(connection: connection) }
  var policyVersions: any PolicyVersions { PolicyVersionTable(connection: connection) }
  var repeatableRequests: any RepeatableRequests { RepeatableRequestTable(connection: connection) }
  var settings: any Settings { SettingTable(connection: connection) }
  var usedChallenges: any UsedChallenges { UsedChallengeTable(connection: connection) }
  var usedProofs: any UsedProofs { UsedProofTable(connection: connection) }
  var wrongAnswers: any WrongAnswers { WrongAnswerTable(connection: connection) }

  func keeping(if changes: () throws -> Bool) throws {
    try connection.enqueue("SAVEPOINT changes")
    let rows = auditBuffer.events.count
    do {
      guard try changes() else {
        try connection.execute("ROLLBACK TO SAVEPOINT changes")
        auditBuffer.cut(to: rows)
        return
      }
    } catch {
      try connection.execute("ROLLBACK TO SAVEPOINT changes")
      auditBuffer.cut(to: rows)
      throw error
    }
    try connection.execute("RELEASE SAVEPOINT changes")
  }
}
