// What is easily overlooked in stacks that use the module: left-over arguments, halves of pairs, includes of what is not there,
// and a second way in that nobody can go.

extension PAMCheck {
  /// Single lines of a service, with what it includes.
  func lineFindings(_ service: String, _ lines: [PAMLine]) -> [Finding] {
    let own = lines.filter(\.asksOwnModule)
    let name = "pam: \(directory)/\(service)"
    var findings: [Finding] = []
    if own.contains(where: { $0.arguments.contains("nouserok") }) {
      findings.append(
        .warning(
          .pamNouserok, "\(name): nouserok is set: whoever never registered is not asked for a passcode",
          do: "take it out once everybody has one"))
    }
    if own.contains(where: { $0.group == "account" }), !own.contains(where: { $0.group == "password" }) {
      findings.append(
        .warning(
          .pamNoPasswordLine,
          "\(name): an account line without a password line: whose passcode is stale is asked for a new password instead",
          do: "take both lines or none: a stack of pam.d/"))
    }
    return findings + accountFindings(service, lines)
  }

  /// Services that include a stack of ours which is not there: libpam then refuses everybody.
  func includes(_ folder: PAMDirectory, _ services: [String]) -> [Finding] {
    services.compactMap { service in
      let missing = folder.inclusions(of: service).first {
        $0.hasPrefix(PAMService.prefix) && folder.bytes(of: $0) == nil
      }
      return missing.map {
        .failure(
          .pamInclude, "pam: \(directory)/\(service): includes \($0), which is not there: everybody is refused",
          do: "uafctl pam disable \(service)")
      }
    }
  }

  /// Stacks that were put in place and that their service lost since: it asks for the password alone, and nobody was told.
  func unusedStacks(_ folder: PAMDirectory) -> [Finding] {
    (StackList(reader: folder).entries() ?? []).filter { $0.origin == .unused }.map { entry in
      let service = entry.name.dropFirst(PAMService.prefix.count)
      return .warning(
        .pamUnusedStack,
        "pam: \(directory)/\(service): does not include \(entry.name), which was made for it, and asks without it",
        do: "uafctl pam enable \(service), or uafctl pam disable \(service)")
    }
  }

  /// Programs that ask for the passcode by one name and not by another, and further services that ask without it.
  func otherDoors() -> [Finding] {
    let doors = ServiceDoors(folder: directory, vendors: vendorFolders)
    let members = doors.openMembers().map { member in
      Finding.warning(
        .pamOtherName,
        "pam: \(directory)/\(member.name): asks without the passcode, and is the same program as \(member.asking)",
        do: "uafctl pam enable \(member.name)")
    }
    let others = doors.openOthers()
    return others.isEmpty
      ? members : members + [.ok("pam: without the passcode ask: \(others.joined(separator: ", "))")]
  }

  /// pam-auth-update's profile, which is a choice for every service at once.
  func profile(_ folder: PAMDirectory) -> [Finding] {
    guard folder.ownLines(of: "common-auth").contains(where: \.asksOwnModule) else { return [] }
    return [
      .warning(
        .pamProfile,
        "pam: pam-auth-update's profile is on: the passcode decides in every service; the password lets in whoever never registered",
        do: "pam-auth-update to take it out, and uafctl pam enable SERVICE, where that is too much")
    ]
  }

  /// Whether the second way in leads anybody anywhere, where stacks have it.
  func rescue(_ folder: PAMDirectory, _ services: [String]) -> [Finding] {
    let group = WayIn.rescueGroup
    guard services.contains(where: { StackReading(lines: folder.authentication(of: $0)).leadsPast(group: group) })
    else { return [] }
    guard let members = passwords.members(ofGroup: group) else {
      return [.warning(.rescueGroup, "pam: there is no group \(group), the second way in", do: WayIn.hint)]
    }
    guard !members.isEmpty else {
      return [.warning(.rescueGroup, "pam: nobody is in \(group), the second way in", do: WayIn.hint)]
    }
    guard isRoot else { return [.skipped("pam: the passwords of \(group)")] }
    let unusable = members.filter { passwords.password(of: $0) != .usable }
    guard unusable.isEmpty else {
      return unusable.map { name in
        .warning(
          .rescuePassword, "pam: \(ShownText.line(name)) of \(group) has no password that can be used",
          do: "passwd \(ShownText.line(name)), or take it out of the group")
      }
    }
    return [.ok("pam: \(members.map(ShownText.line).joined(separator: ", ")) of \(group) can use a password")]
  }
}
