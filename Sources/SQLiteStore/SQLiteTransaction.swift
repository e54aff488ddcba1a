import GRDB
import UAFService

/// One transaction of a ``SQLiteStore``, with a value for each table.
struct SQLiteTransaction: StoreTransaction {
  let db: Database

  var accessTokens: any AccessTokens { AccessTokenStore(db: db) }
  var accounts: any Accounts { AccountStore(db: db) }
  var administrators: any Administrators { AdministratorStore(db: db) }
  var approvals: any Approvals { ApprovalStore(db: db) }
  var audit: any AuditTrail { AuditStore(db: db) }
  var auditDeliveries: any AuditDeliveries { AuditDeliveryStore(db: db) }
  var confirmedTexts: any ConfirmedTexts { ConfirmedTextStore(db: db) }
  var consoleSessions: any ConsoleSessions { ConsoleSessionStore(db: db) }
  var contents: any StoreContents { ContentsStore(db: db) }
  var credentials: any Credentials { CredentialStore(db: db) }
  var enrolments: any Enrolments { EnrolmentStore(db: db) }
  var issuedCodes: any IssuedCodes { IssuedCodeStore(db: db) }
  var joinCodes: any JoinCodes { JoinCodeStore(db: db) }
  var joinedMachines: any JoinedMachines { JoinedMachineStore(db: db) }
  var machinePolicies: any SavedMachinePolicies { MachinePolicyStore(db: db) }
  var machines: any Machines { MachineStore(db: db) }
  var openRegistrations: any OpenRegistrations { OpenRegistrationStore(db: db) }
  var policyVersions: any PolicyVersions { PolicyVersionStore(db: db) }
  var repeatableRequests: any RepeatableRequests { RepeatableRequestStore(db: db) }
  var settings: any Settings { SettingStore(db: db) }
  var usedChallenges: any UsedChallenges { UsedChallengeStore(db: db) }
  var usedProofs: any UsedProofs { UsedProofStore(db: db) }
  var wrongAnswers: any WrongAnswers { WrongAnswerStore(db: db) }

  func keeping(if changes: () throws -> Bool) throws {
    try db.inSavepoint { try changes() ? .commit : .rollback }
  }
}
