import UAFService

/// One transaction of a store, with a value for each table that is written once for all engines.
package protocol SQLTransaction: StoreTransaction {
  associatedtype Engine: SQLConnection

  var connection: Engine { get }
}

extension SQLTransaction {
  package var accessTokens: any AccessTokens { AccessTokenTable(connection: connection) }
  package var accounts: any Accounts { AccountTable(connection: connection) }
  package var administrators: any Administrators { AdministratorTable(connection: connection) }
  package var approvals: any Approvals { ApprovalTable(connection: connection) }
  package var auditDeliveries: any AuditDeliveries { AuditDeliveryTable(connection: connection) }
  package var confirmedTexts: any ConfirmedTexts { ConfirmedTextTable(connection: connection) }
  package var consoleSessions: any ConsoleSessions { ConsoleSessionTable(connection: connection) }
  package var credentials: any Credentials { CredentialTable(connection: connection) }
  package var enrolments: any Enrolments { EnrolmentTable(connection: connection) }
  package var issuedCodes: any IssuedCodes { IssuedCodeTable(connection: connection) }
  package var joinCodes: any JoinCodes { JoinCodeTable(connection: connection) }
  package var joinedMachines: any JoinedMachines { JoinedMachineTable(connection: connection) }
  package var machinePolicies: any SavedMachinePolicies { MachinePolicyTable(connection: connection) }
  package var machines: any Machines { MachineTable(connection: connection) }
  package var openRegistrations: any OpenRegistrations { OpenRegistrationTable(connection: connection) }
  package var policyVersions: any PolicyVersions { PolicyVersionTable(connection: connection) }
  package var repeatableRequests: any RepeatableRequests { RepeatableRequestTable(connection: connection) }
  package var settings: any Settings { SettingTable(connection: connection) }

  /// Marks a text as confirmed, if it is still open and reserved by this challenge.
  ///
  /// - Returns: whether it was.
  /// - Throws: the engine's ``StoreFailure``.
  package func confirmApproval(id: Int64, reservedBy challengeHash: [UInt8], now: Int64) throws -> Bool {
    try ApprovalTable(connection: connection).confirm(id: id, reservedBy: challengeHash, now: now)
  }
}
