import UAFCrypto
import UAFMessages
import UAFService

/// Makes enrolment codes for the people of a list.
package struct EnrolListAdministration: Sendable {
  /// Codes in one transaction: logins wait for it some 50 ms at most.
  package static let together = 250

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Reads a list, and changes nothing.
  ///
  /// Privileged accounts count as wrong lines: a code for one of them is issued separately.
  ///
  /// - Throws: ``AdministrationRefusal``; ``PeopleListProblem`` of the whole list; ``StoreFailure``; what the environment's
  ///   functions throw.
  package func check(_ bytes: [UInt8], by caller: Caller) async throws -> PeopleList {
    try caller.require(.enrol)
    var list = try PeopleList(parsing: bytes)
    let names = list.people.map(\.username)
    list.leaveOut(
      try await environment.read { [environment] records in
        try AccountReach(environment).privileged(among: names, in: records)
      })
    return list
  }

  /// Issues codes for people in one transaction, as ``EnrolmentAdministration`` issues one.
  ///
  /// - Parameters:
  ///   - people: at most ``together`` of them.
  ///   - lifetime: in seconds, if the list does not say.
  ///   - reachesPrivileged: whether privileged accounts get codes as well, if the caller's role reaches them.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``; what the environment's functions throw.
  package func issue(
    _ people: ArraySlice<PeopleList.Person>, lifetime: Int64, reachesPrivileged: Bool, by caller: Caller
  ) async throws -> [EnrolmentPayload] {
    let permitted = try caller.require(.enrol)
    guard (1...PeopleList.longestLifetime).contains(lifetime) else {
      throw AdministrationRefusal.invalid(
        field: "lifetime", .outOfRange(1...PeopleList.longestLifetime, .seconds))
    }
    let (url, now) = (try await environment.url(), environment.now())
    let authority = try environment.authority(url)
    let made = try people.map { person in
      let (code, sealedKey) = try environment.enrolmentCode(for: person.username)
      let payload = EnrolmentPayload(
        code: code, server: url, username: person.username, expires: now + (person.lifetime ?? lifetime), ca: authority)
      return (payload: payload, sealedKey: sealedKey)
    }
    let names = made.map(\.payload.username)
    try await environment.change(.ofAll(names), by: permitted) { [environment] records in
      if !reachesPrivileged, let name = try AccountReach(environment).privileged(among: names, in: records).min() {
        throw AdministrationRefusal.privileged(account: name)
      }
      for (payload, sealedKey) in made {
        try records.accounts.add(payload.username, now: now)
        try records.enrolments.open(sealedKey, for: payload.username, expiresAt: payload.expires)
        try records.issuedCodes.add(
          for: payload.username, by: caller.actor.text, reachesPrivileged: caller.vouches, now: now)
      }
      try records.audit.append(
        made.map { payload, _ in
          let detail = JSONValue.object(["seconds": .integer(payload.expires - now)]).text
          return environment.event(.enrolmentCode, by: caller, account: payload.username, detail: detail)
        })
    }
    return made.map(\.payload)
  }

  /// Issues the codes of a whole list, or none: if it fails in the middle, the codes that were issued are closed.
  ///
  /// If they cannot be closed either, they expire: nobody has them.
  ///
  /// - Parameter lifetime: in seconds, if the list does not say.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``; what the environment's functions throw.
  package func issueAll(
    _ people: [PeopleList.Person], lifetime: Int64, by caller: Caller
  ) async throws -> [EnrolmentPayload] {
    var made: [EnrolmentPayload] = []
    do {
      while made.count < people.count {
        let part = people[made.count..<min(people.count, made.count + Self.together)]
        made += try await issue(part, lifetime: lifetime, reachesPrivileged: false, by: caller)
      }
    } catch {
      // The caller hears of the first failure, whether this works or not.
      try? await withdraw(made)
      throw error
    }
    return made
  }

  /// Closes codes that nobody has received.
  ///
  /// The server does that itself: whoever has issued them may have lost their role in the meantime.
  ///
  /// - Throws: ``StoreFailure``; what the environment's functions throw.
  package func withdraw(_ made: [EnrolmentPayload]) async throws {
    let seal = try environment.enrolments()
    var rest = made[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.together)
      let names = part.map(\.username)
      try await environment.change(.ofAll(names), by: Caller.server.require(.enrol)) { [environment] records in
        // A code that somebody has issued in the meantime stays.
        let ours = try part.filter { made in
          guard let code = made.code, let open = try records.enrolments.find(for: made.username, now: environment.now())
          else { return false }
          return try seal?.isKey(open.sealedKey, of: code, for: made.username) == true
        }
        for code in ours { try records.enrolments.close(for: code.username) }
        try records.audit.append(ours.map { environment.event(.enrolmentClosure, by: .server, account: $0.username) })
      }
      rest = rest.dropFirst(part.count)
    }
  }
}

/// The codes of a list of people as CSV: a line for each code, after one with titles.
package enum CodeList {
  package static let header = "username,expires,code\n"

  /// The lines of codes; `expires` is in seconds since 1970.
  ///
  /// A name that a spreadsheet would compute has an apostrophe before it.
  package static func lines(_ codes: [EnrolmentPayload]) -> String {
    codes.map { CSVLine.written([$0.username, String($0.expires), $0.encoded]) }.joined()
  }
}

/// The name of the file with a person's payload.
///
/// An account may be called `../root`, `-f` or `$(reboot)`. The name of its file contains nothing that is special in a path, to
/// a shell or to the parser of a command line. No two accounts have the same file name.
package enum PayloadFileName {
  /// In bytes: with its ending it stays below the 255 that file systems allow.
  private static let longestStem = 200
  private static let ending = ".code"

  package static func name(for username: String) throws(CryptoError) -> String {
    var stem = ""
    for (index, byte) in username.utf8.enumerated() {
      let isPlain = index == 0 ? isLetterOrDigit(byte) : isLetterOrDigit(byte) || "._-@".utf8.contains(byte)
      if isPlain { stem.unicodeScalars.append(UnicodeScalar(byte)) } else { stem += "%" + hexadecimal(byte) }
    }
    // To uafctl, a text that begins like this is a payload, not a file.
    if stem.hasPrefix("eyJ") { stem = "%65" + stem.dropFirst() }
    guard stem.utf8.count > longestStem else { return stem + ending }
    // `~` is in no other name, so a shortened name is never a different account's.
    let hash = try SHA256.hash(Array(username.utf8)).prefix(16).map(hexadecimal).joined()
    return stem.prefix(longestStem - hash.utf8.count - 1) + "~" + hash + ending
  }

  private static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}
