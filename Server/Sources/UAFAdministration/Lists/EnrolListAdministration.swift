import UAFCrypto
import UAFMessages
import UAFService

/// Issues enrolment codes for the people of a list.
package struct EnrolListAdministration: Sendable {
  /// The most codes in one transaction, which delays logins by some 50 ms at most.
  package static let together = 250

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Parses and checks a list, without changing anything.
  ///
  /// Lines with privileged accounts count as wrong: codes for these must be issued one by one.
  ///
  /// - Throws: ``AdministrationRefusal``; ``PeopleListProblem`` if the whole list cannot be used; ``StoreFailure``; what the
  ///   environment's functions throw.
  package func check(_ bytes: [UInt8], by caller: Caller) async throws -> PeopleList {
    try caller.require(.enrol)
    var list = try PeopleList(parsing: bytes)
    let names = list.people.map(\.username)
    list.leaveOut(
      try await environment.read { [environment] records in
        try AccountReach(environment).privileged(among: names, in: records)
      })
    return try await checkedProfiles(list, by: caller)
  }

  /// Checks what a list says about people, without changing anything.
  ///
  /// Lines with an external ID that belongs to a different account count as wrong.
  ///
  /// - Throws: ``AdministrationRefusal`` if the caller may not change profiles, and the list does; ``StoreFailure``.
  package func checkedProfiles(_ list: PeopleList, by caller: Caller) async throws -> PeopleList {
    guard list.hasProfiles else { return list }
    try caller.require(.manageAccounts)
    var list = list
    let ids = list.externalIDs
    list.leaveOut(takenIDs: try await environment.read { try $0.profiles.owners(ofExternalIDs: ids) })
    return list
  }

  /// Issues codes for several people in one transaction; the rules are those of ``EnrolmentAdministration``.
  ///
  /// - Parameters:
  ///   - people: at most ``together`` of them.
  ///   - lifetime: in seconds, if the list does not say.
  ///   - reachesPrivileged: whether privileged accounts get codes too, provided that the caller's role allows that.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``; what the environment's functions throw.
  package func issue(
    _ people: ArraySlice<PeopleList.Person>, lifetime: Int64, reachesPrivileged: Bool, by caller: Caller
  ) async throws -> [ListedCode] {
    let permitted = try caller.require(.enrol)
    let changes = Dictionary(people.map { ($0.username, $0.change) }) { first, _ in first }
    if changes.values.contains(where: { !$0.isEmpty }) { try caller.require(.manageAccounts) }
    guard (1...PeopleList.longestLifetime).contains(lifetime) else {
      throw AdministrationRefusal.invalid(
        field: "lifetime", .outOfRange(1...PeopleList.longestLifetime, .seconds))
    }
    let (url, now) = (try await environment.url(), environment.now())
    let authority = try environment.authority(url)
    var made: [(payload: EnrolmentPayload, sealedKey: [UInt8])] = []
    for person in people {
      let (code, sealedKey) = try environment.enrolmentCode(for: person.username)
      let payload = EnrolmentPayload(
        code: code, server: url, username: person.username, expires: now + (person.lifetime ?? lifetime), ca: authority)
      made.append((payload, sealedKey))
      // Each key is derived slowly, and logins must not wait for all of them.
      await Task.yield()
    }
    let names = made.map(\.payload.username)
    let profiles = try await environment.change(.ofAll(names), by: permitted) { [environment, made] records in
      if !reachesPrivileged, let name = try AccountReach(environment).privileged(among: names, in: records).min() {
        throw AdministrationRefusal.privileged(account: name)
      }
      try records.accounts.add(names, now: now)
      for (payload, sealedKey) in made {
        try records.enrolments.open(sealedKey, for: payload.username, expiresAt: payload.expires)
        try records.issuedCodes.add(
          for: payload.username, by: caller.actor.text, reachesPrivileged: caller.vouches, now: now)
      }
      try records.audit.append(ProfileChanges(environment, records).apply(changes, by: caller))
      try records.audit.append(
        made.map { payload, _ in
          let detail = JSONValue.object(["seconds": .integer(payload.expires - now)]).text
          return environment.event(.enrolmentCode, by: caller, account: payload.username, detail: detail)
        })
      return try records.profiles.profiles(of: names)
    }
    return made.map { payload, sealedKey in
      ListedCode(payload: payload, displayName: profiles[payload.username]?.displayName, sealedKey: sealedKey)
    }
  }

  /// Issues the codes for a whole list, or none: after a failure in the middle, the codes that were issued are closed.
  ///
  /// If they cannot be closed either, they simply expire: nobody has received them.
  ///
  /// - Parameter lifetime: in seconds, if the list does not say.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``; what the environment's functions throw.
  package func issueAll(
    _ people: [PeopleList.Person], lifetime: Int64, by caller: Caller
  ) async throws -> [ListedCode] {
    var made: [ListedCode] = []
    do {
      while made.count < people.count {
        let part = people[made.count..<min(people.count, made.count + Self.together)]
        made += try await issue(part, lifetime: lifetime, reachesPrivileged: false, by: caller)
      }
    } catch {
      // If this fails too, that error is ignored: the caller gets the first one.
      try? await withdraw(made)
      throw error
    }
    return made
  }

  /// Closes codes that nobody has received.
  ///
  /// The server does this in its own name, because the issuer may have lost their role in the meantime.
  ///
  /// - Throws: ``StoreFailure``; what the environment's functions throw.
  package func withdraw(_ made: [ListedCode]) async throws {
    var rest = made[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.together)
      let names = part.map(\.payload.username)
      try await environment.change(.ofAll(names), by: Caller.server.require(.enrol)) { [environment] records in
        // A code that somebody else has issued for the same account in the meantime is not closed.
        let ours = try zip(names, part).filter { name, made in
          try records.enrolments.find(for: name, now: environment.now())?.sealedKey == made.sealedKey
        }.map(\.0)
        for name in ours { try records.enrolments.close(for: name) }
        try records.audit.append(ours.map { environment.event(.enrolmentClosure, by: .server, account: $0) })
      }
      rest = rest.dropFirst(part.count)
    }
  }
}

/// A code that was issued for a person of a list.
package struct ListedCode: Equatable, Sendable {
  package let payload: EnrolmentPayload
  /// The person's name for people; nil if it is not known.
  package let displayName: String?
  /// What the store keeps of the code: another code of the same account has another key, or the same key sealed differently.
  let sealedKey: [UInt8]

  package init(payload: EnrolmentPayload, displayName: String? = nil, sealedKey: [UInt8] = []) {
    self.payload = payload
    self.displayName = displayName
    self.sealedKey = sealedKey
  }
}

/// The codes for a list of people as CSV: a title line, and a line for each code.
package enum CodeList {
  package static let header = "username,expires,code,payload\n"

  /// The lines of codes, each code alone and in its payload; `expires` is in seconds since 1970.
  ///
  /// If a spreadsheet would take a name as a formula, the name gets an apostrophe in front.
  package static func lines(_ codes: [ListedCode]) -> String {
    codes.map(\.payload).map { payload in
      CSVLine.written([payload.username, String(payload.expires), payload.code?.text ?? "", payload.encoded])
    }.joined()
  }
}

/// The name of the file with a person's payload.
///
/// An account may be called `../root`, `-f` or `$(reboot)`. So the file name contains no characters that are special in paths,
/// in a shell or on a command line. Different accounts always have different file names.
package enum PayloadFileName {
  /// The longest name before the ending, in bytes; file systems allow 255 bytes.
  private static let longestStem = 200
  private static let ending = ".code"

  package static func name(for username: String) throws(CryptoError) -> String {
    var stem = ""
    for (index, byte) in username.utf8.enumerated() {
      let isPlain = index == 0 ? isLetterOrDigit(byte) : isLetterOrDigit(byte) || "._-@".utf8.contains(byte)
      if isPlain { stem.unicodeScalars.append(UnicodeScalar(byte)) } else { stem += "%" + Hexadecimal.text([byte]) }
    }
    // uafctl would take an argument that begins with `eyJ` as a payload and not as a file.
    if stem.hasPrefix("eyJ") { stem = "%65" + stem.dropFirst() }
    guard stem.utf8.count > longestStem else { return stem + ending }
    // No other name contains `~`, so a shortened name cannot be that of a different account.
    let hash = Hexadecimal.text(try SHA256.hash(Array(username.utf8)).prefix(16))
    return stem.prefix(longestStem - hash.utf8.count - 1) + "~" + hash + ending
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}
