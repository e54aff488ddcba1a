import UAFService

/// Why an operation was not performed; nothing was changed.
///
/// The descriptions are in English. The console has texts of its own for each case in other languages.
package enum AdministrationRefusal: Error, Equatable, Sendable {
  /// The caller's role lacks this permission.
  case notAllowed(Permission)
  /// The operation must be signed in the console, or performed at the server itself.
  case signatureNeeded
  /// The account is privileged, and the caller's role does not allow changes to privileged accounts.
  case privileged(account: String)
  /// After the operation, no administrator could sign in.
  case lastAdministrator
  /// There is no account, machine, token or other record with this name.
  case unknown(_ kind: String, name: String)
  /// The present state prevents the operation.
  case conflict(Conflict)
  /// The audit has been unsigned for too long, so the row about the requested change could be removed without a trace.
  case auditUnsigned
  /// A value of the request breaks a rule.
  case invalid(field: String, FieldProblem)
}

/// The state that prevents an operation.
package enum Conflict: Equatable, Sendable {
  case accountExists(String)
  /// A different account has this external ID.
  case externalIDTaken(String, by: String)
  /// A different group of people has this name.
  case groupExists(String)
  /// A different group of people has this external ID.
  case groupIDTaken(String, by: String)
  /// The group of people is mapped.
  case groupIsMapped(String)
  /// The group of people is not mapped.
  case groupNotMapped(String)
  /// The group of people no longer has this name, which was shown to the caller.
  case groupRenamed(String)
  /// There would be more mappings than this.
  case tooManyMappings(Int)
  /// A group of people must be mapped to a group of the policy, a role, or both.
  case nothingMapped
  /// More people than this would have a role by mappings.
  case tooManyMappedRoles(Int)
  /// The person has the role by the mapping of a group.
  case roleOfGroup(String, group: String)
  /// Groups of people are mapped to a group of the policy that the new policy does not have.
  case mappedPolicyGroup(String)
  /// Servers use a policy file instead of the saved policies.
  case policyOfFile
  /// There would be more groups of people than this.
  case tooManyGroups(Int)
  /// The account is no longer as it was when the steps of a directory were planned.
  case directoryOutdated(String)
  /// The account is an administrator's.
  case isAdministrator(String)
  /// The account is disabled: a lock would make that temporary.
  case disabled(String)
  case neitherDisabledNorLocked(String)
  /// This server has no keys to seal a code with.
  case noSealingKeys
  /// This server has no keys to sign with.
  case noSigningKeys
  /// The policy would lock out more accounts than the caller allowed.
  case lockOut(PolicyPreview)
  /// The policy with this number is no longer in force.
  case policyReplaced(Int64)
  /// The policy with this number is no longer in force for the group of machines.
  case machinePolicyReplaced(Int64, group: String)
  case previewUnderWay
  case tokenExists(String)
  /// The account no longer has this key.
  case keyGone(String, key: String)
  case lastAdministrator(String)
  /// The list of people cannot be used.
  case list(PeopleListProblem)
  /// This many lines of the list are wrong.
  case wrongLines(Int)
  /// No line of the list names anybody.
  case nobodyListed
  /// The list has more people than sheets can be made for at once.
  case tooManySheets(most: Int)
  case listTooLong
}

/// The rule that a value breaks.
package enum FieldProblem: Error, Equatable, Sendable {
  /// The value is not one of the possible values.
  case unknown
  case notANumber
  case notATime
  /// A number, or a number of seconds or days, is out of range.
  case outOfRange(ClosedRange<Int64>, FieldUnit?)
  /// The lifetime of a token is out of range; its maximum depends on the token's role.
  case tokenLifetime(ClosedRange<Int64>, Role)
  case tooLong(bytes: Int)
  case longText(TextLimit)
  case notMail
  /// The name of a group of people is empty.
  case emptyGroup
  /// The name of a group of people has the character that separates names in a list.
  case barInGroup
  /// No group of people has this name.
  case noSuchGroup
  /// Nothing is searched for.
  case emptySearch
  case tooMany(Int)
  /// A reason is required.
  case noReason
  /// A reason is required, with at most this many bytes.
  case badReason(bytes: Int)
  /// The text contains an invisible character, or one that reorders text, such as `U+202E`.
  case hidden(character: String)
  case badName
  case notAnAccount
  /// No page of the list ends at this place.
  case notAPlace
  /// No account's name begins with this prefix.
  case noSuchPrefix
  case notAPolicyNumber
  /// The policy is not well-formed.
  case malformed(PolicyProblem)
  /// Workstations would refuse the policy.
  case refusedByWorkstations(PolicyProblem)
  /// The policy would be too long after it is signed.
  case tooLongToSign
  case tooLongToConfirm
  case notCertificates(bytes: Int)
  case notAKey
  /// The text contains something other than keys.
  case notOnlyKeys
  /// Both a key and a device were named.
  case keyAndDevice
  case badGroup
  /// The policy in force at this server has no such group.
  case unknownGroup
  /// The length of the whole text, with the words that say who asks, is not in this range of bytes.
  case textLength(ClosedRange<Int>)
  /// The saved policy in force has no such group.
  case noPolicyGroup
  /// Nobody gets this group of the policy by a mapping.
  case notMappable
  /// Nobody gets this role by a mapping.
  case noMappedRole
  /// The token would expire later than the token with which it is made.
  case outlivesMaker
  /// The external ID is not one of this directory.
  case notOfDirectory(String)
  /// The external ID is one that only the sync of a directory may give.
  case ofDirectory
  /// The filter is to exclude rows by a field, but the field is empty.
  case emptyFilter
  /// The list is filtered by a field that takes no other filter or order.
  case standsAlone
}

/// The unit of a number.
package enum FieldUnit: String, Sendable {
  case seconds
  case days
}

extension AdministrationRefusal: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notAllowed(let permission): "the role does not allow this: it needs the permission \(permission)"
    case .signatureNeeded:
      "this needs an administrator's signature: do it in the console, or with 'uaf-server' on the server itself"
    case .privileged(let account): "\(account) is privileged: an administrator must do this"
    case .lastAdministrator:
      "no administrator could sign in after this: give another person the role first, or use 'uaf-server' on the server"
    case .unknown("account", let name): "there is no account \(name); 'uaf-server users' lists the accounts"
    case .unknown(let kind, let name): "there is no \(kind) \(name)"
    case .conflict(let conflict): conflict.description
    case .auditUnsigned:
      "the audit has not been signed for \(AuditGap.bound / 60) minutes, so nothing can be changed remotely; see "
        + "the server's log"
    case .invalid(let field, let problem): "\(field) \(problem)"
    }
  }
}

extension Conflict: CustomStringConvertible {
  package var description: String {
    switch self {
    case .accountExists(let name): "the account \(name) already exists"
    case .externalIDTaken(let id, let name): "\(name) has the external ID \(id)"
    case .groupExists(let name): "there is a group of people \(name)"
    case .groupIDTaken(let id, let name): "the group of people \(name) has the external ID \(id)"
    case .groupIsMapped(let name):
      "the group of people \(name) is mapped, so it keeps its name and its external ID: an administrator must remove the "
        + "mapping first"
    case .groupNotMapped(let name): "the group of people \(name) is not mapped"
    case .groupRenamed(let name): "the group of people \(name) has got another name meanwhile: begin again"
    case .tooManyMappings(let most): "at most \(most) groups of people can be mapped"
    case .nothingMapped: "a group of people is mapped to a policy, a role, or both"
    case .tooManyMappedRoles(let most): "at most \(most) people can have a role by the mappings of groups"
    case .roleOfGroup(let name, let group):
      "\(name) has the role as a member of the group of people \(group): take them out of it, or remove its mapping"
    case .mappedPolicyGroup(let name):
      "groups of people are mapped to the group \(name), which this policy does not have: remove those mappings first"
    case .policyOfFile:
      "servers use a policy file (--policy) instead of the saved policies: groups of people are mapped to groups of a saved policy"
    case .tooManyGroups(let most): "there can be at most \(most) groups of people"
    case .directoryOutdated(let name):
      "\(name) is no longer as it was when the steps were planned: plan them again"
    case .isAdministrator(let name): "\(name) is an administrator: remove the administrator first"
    case .disabled(let name): "\(name) is disabled, and a lock would make that temporary"
    case .neitherDisabledNorLocked(let name): "\(name) is neither disabled nor locked"
    case .noSealingKeys: "this server has no keys to seal a code with"
    case .noSigningKeys: "this server has no keys to sign with"
    case .lockOut(let preview):
      "with this policy \(preview.locksEverybodyOut ? "everybody" : "\(preview.lockedOut) of \(preview.withKeys) accounts") "
        + "could no longer log in (\(preview.namesText)): to save it anyway, allow "
        + "\(preview.lockedOut) to be locked out"
    case .policyReplaced(let number):
      "policy \(number) is no longer in force: look at the policy in force, and base your change on it"
    case .machinePolicyReplaced(let number, let group):
      "policy \(number) is no longer in force for group \(group): look at the policy in force, "
        + "and base your change on it"
    case .previewUnderWay: "another preview of a policy is running: try again when it has ended"
    case .tokenExists(let name): "a token \(name) exists or has existed"
    case .keyGone(let name, let key): "\(name) no longer has the key \(key); list the keys again"
    case .lastAdministrator(let name): "\(name) is the last administrator who can sign in"
    case .list(let problem): problem.description
    case .wrongLines(let count): "\(count) lines of the list are wrong, so no code was made"
    case .nobodyListed: "no line of the list names anybody"
    case .tooManySheets(let most): "sheets are made for at most \(most) people at the same time"
    case .listTooLong: "the list is too long"
    }
  }
}

extension FieldProblem: CustomStringConvertible {
  /// The text that follows the name of the field.
  package var description: String {
    switch self {
    case .unknown: "is unknown"
    case .notANumber: "must be a number"
    case .notATime: "must be a time such as 2026-11-23, or 2026-11-23T12:00:00Z"
    case .outOfRange(let range, let unit):
      "must be \(range.lowerBound) to \(range.upperBound)" + (unit.map { " \($0.rawValue)" } ?? "")
    case .tokenLifetime(let range, let role):
      "must be \(range.lowerBound) to \(range.upperBound) seconds for the role \(role.rawValue)"
    case .tooLong(let bytes): "must have at most \(bytes) bytes"
    case .longText(let limit): "must have at most \(limit.characters) characters, and \(limit.bytes) bytes"
    case .notMail: "must be a mail address: one '@' with something before and after it, and no white space"
    case .emptyGroup: "must not have an empty name"
    case .barInGroup: "must not have names with '|', which separates names in a list"
    case .noSuchGroup: "is not the name of a group of people at this server"
    case .emptySearch: "must have at least one character"
    case .tooMany(let most): "must have at most \(most) entries"
    case .noReason: "must be given"
    case .badReason(let bytes): "must have 1 to \(bytes) bytes"
    case .hidden(let character): "must not have the character \(character), which is invisible or reorders text"
    case .badName: "must be 1 to 128 printable ASCII characters without white space"
    case .notAnAccount: "is not an account's name"
    case .notAPlace: "must be the next of an earlier page of the same list"
    case .noSuchPrefix: "matches no account: no name begins with it"
    case .notAPolicyNumber: "must be the number of a policy"
    case .malformed(let problem): problem.reason
    case .refusedByWorkstations(let problem): "is refused by workstations: \(problem.reason)"
    case .tooLongToSign: "is too long when it is signed: it has many quotes, backslashes or line ends"
    case .tooLongToConfirm: "is too long to be confirmed"
    case .notCertificates(let bytes): "must be certificates in PEM, at most \(bytes) bytes"
    case .notAKey:
      "must be an AAID, a space, and a KeyID in base64url; or passkey, a space, and its identifier in base64url"
    case .notOnlyKeys: "contains something other than keys"
    case .keyAndDevice: "excludes device: give only one of the two"
    case .badGroup:
      "must be 1 to 64 characters from a to z, 0 to 9, '.', '_' and '-', and begin with a letter or a digit"
    case .unknownGroup: "is not a group in the policy in force at this server"
    case .textLength(let range):
      "must have \(range.lowerBound) to \(range.upperBound) bytes as shown, including the words that name who asks"
    case .noPolicyGroup:
      "is not a group of the saved policy that is in force, or its name has spaces or characters outside ASCII"
    case .notMappable: "cannot be privileged: a policy names privileged accounts itself"
    case .noMappedRole: "must be auditor, helpdesk or operator: the role administrator is only given by hand"
    case .outlivesMaker: "must end no later than the token with which it is made"
    case .standsAlone: "cannot be combined with lacks"
    case .notOfDirectory(let name): "must begin with ldap:\(name): and have an ID after that"
    case .ofDirectory: "begins with ldap:, which only an account of a directory has"
    case .emptyFilter: "says which rows to leave out, but the field is empty"
    }
  }
}
