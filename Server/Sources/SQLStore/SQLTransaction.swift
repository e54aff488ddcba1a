import UAFService

/// One transaction of a store, with a value for each table that is written once for all engines.
package protocol SQLTransaction: StoreTransaction {
  associatedtype Engine: SQLConnection

  var connection: Engine { get }
}

extension SQLTransaction {
  package var enrolments: any Enrolments { EnrolmentTable(connection: connection) }
  package var issuedCodes: any IssuedCodes { IssuedCodeTable(connection: connection) }
  package var joinCodes: any JoinCodes { JoinCodeTable(connection: connection) }
  package var machinePolicies: any SavedMachinePolicies { MachinePolicyTable(connection: connection) }
  package var policyVersions: any PolicyVersions { PolicyVersionTable(connection: connection) }
  package var settings: any Settings { SettingTable(connection: connection) }
}
