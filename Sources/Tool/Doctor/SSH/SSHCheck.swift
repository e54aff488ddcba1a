import Glibc
import HostSystem
import PAMStacks

/// What sshd does with a stack that asks for the passcode.
struct SSHCheck {
  let reading: SSHReading
  let reader: PAMDirectory
  /// The PAM services that sshd may use.
  var services = SSHServices()
  let accounts: any AccountDirectory
  /// The members of the rescue group, and their other groups.
  let passwords: any PasswordDirectory
  /// Whether everything may be examined.
  let isRoot: Bool

  func findings() -> [Finding] {
    switch reading {
    case .absent: return []
    case .read(let known): return findings(known)
    case .refused, .keyless, .unread: break
    }
    guard services.names.contains(where: asks) else { return [] }
    switch reading {
    case .refused(let line): return [.failure(.sshConfiguration, SSHText.refused(line))]
    case .keyless(let line): return [.failure(.sshNobody, SSHText.noHostKey(line))]
    case .unread(let gap) where gap.number == EACCES && !isRoot: return [.skipped(SSHText.unread(gap, isRoot: false))]
    case .unread(let gap): return [.warning(.sshConfiguration, SSHText.unread(gap, isRoot: isRoot))]
    case .absent, .read: return []
    }
  }

  private func findings(_ known: SSHReading.Known) -> [Finding] {
    guard ([known.everybody] + known.people.map(\.settings)).contains(where: { asks($0.service) }) else { return [] }
    let everybody = asks(known.everybody.service) ? verdicts(known.everybody) : []
    var findings = everybody.map { $0.finding(of: []) }
    let isShut = isShut(known)
    if isShut { findings.removeAll() }
    // People with the same verdict share a line.
    var groups: [(verdict: Verdict, names: [String])] = []
    for (name, settings) in known.people
    where asks(settings.service) && (isShut || admission(of: name, settings) != false) {
      for verdict in verdicts(settings)
      where isShut ? verdict.level == .failure : !everybody.contains(verdict) {
        if let index = groups.firstIndex(where: { $0.verdict == verdict }) {
          groups[index].names.append(name)
        } else {
          groups.append((verdict, [name]))
        }
      }
    }
    findings += groups.map { $0.verdict.finding(of: $0.names, isShut: isShut) }
    findings += known.refused.map { .failure(.sshConfiguration, SSHText.refusedFor($0.name, $0.line ?? "?")) }
    let (shut, hit) = lists(known)
    if let hit { findings.append(hit) }
    if let line = shut {
      findings.removeAll { $0.level == .ok }
      findings.append(line)
    } else if !isShut, let line = rescue(known) {
      // The lines that said that people can log in are wrong then.
      if line.id != nil { findings.removeAll { $0.level == .ok } }
      findings.append(line)
    }
    if let line = known.complaint { findings.append(.skipped(SSHText.silent(line))) }
    if !known.unevaluated.isEmpty {
      findings.append(.skipped(SSHText.unevaluated(known.unevaluated, isRoot: isRoot)))
    }
    if known.left > 0 { findings.append(.skipped(SSHText.left(known.left))) }
    return findings
  }

  private func asks(_ service: String) -> Bool {
    reader.authentication(of: PAMService.nameForLibPAM(service)).contains(where: \.asksOwnModule)
  }

  // MARK: One list of settings

  /// A statement about settings.
  private struct Verdict: Equatable {
    let level: Finding.Level
    let id: FindingID?
    let text: SSHText

    /// - Parameter isShut: whether nobody at all gets a session.
    func finding(of people: [String], isShut: Bool = false) -> Finding {
      // Accounts without a shell have none on purpose.
      if !people.isEmpty, text.isOfSessions, !isShut { return .ok(SSHText.forSome(people, text)) }
      let text = people.isEmpty ? text : .forSome(people, text)
      return switch (level, id) {
      case (.failure, let id?): .failure(id, text)
      case (_, let id?): .warning(id, text)
      case (_, nil): .ok(text)
      }
    }
  }

  private func verdicts(_ settings: SSHSettings) -> [Verdict] {
    func warning(_ id: FindingID, _ text: SSHText) -> Verdict { Verdict(level: .warning, id: id, text: text) }
    if settings.leavesNoMethods {
      return [Verdict(level: .failure, id: .sshConfiguration, text: .noMethods)]
    }
    if let setting = settings.refusal {
      return [Verdict(level: .failure, id: .sshNobody, text: .refusesAll(setting))]
    }
    if let setting = endingSession(settings) {
      return [Verdict(level: .failure, id: .sshNobody, text: .noSession(setting))]
    }
    let isLed = settings.isAsked && leadsRescuers(settings)
    if let setting = settings.haste { return [warning(.sshNobody, .haste(setting))] }
    var found = takingShell(settings).map { [warning(.sshNobody, .noShell($0))] } ?? []
    if !settings.hasTerminal { found.append(warning(.sshNobody, .noTerminal("PermitTTY no"))) }
    if !settings.usesPAM { found.append(Verdict(level: .failure, id: .sshUsePAM, text: .usePAM)) }
    let (service, stack) = stack(of: settings)
    if settings.givesOneAnswer, StackList(reader: reader).isSecondFactor(service, stack) {
      found.append(Verdict(level: .failure, id: .sshKeyboardInteractive, text: .oneAnswer))
      return found
    }
    switch (settings.asksQuestions, settings.takesPasswords) {
    case (true, false): break
    case (true, true):
      found.append(warning(.sshPassword, settings.namesMethods ? .methodsWithPassword : .password))
    case (false, true) where settings.namesMethods:
      found.append(warning(.sshKeyboardInteractive, .methodsPassword))
    case (false, true):
      found += [warning(.sshKeyboardInteractive, .keyboardInteractive), warning(.sshPassword, .password)]
    case (false, false):
      found.append(
        warning(.sshKeyboardInteractive, settings.isKeyboardInteractive ? .methods : .neverAsked))
    }
    if !settings.takesKeyFirst {
      found.append(warning(.sshPublicKey, settings.hasKeys ? .publicKey(isLed) : .noKeys(isLed)))
    }
    let unasked = settings.unaskedMethods
    if !unasked.isEmpty { found.append(warning(.sshUnasked, .unasked(unasked))) }
    guard found.isEmpty else { return found }
    if settings.takesKeyAlone { return [Verdict(level: .ok, id: nil, text: .fine)] }
    return [Verdict(level: .ok, id: nil, text: settings.asksWithoutKey ? .either(isLed) : .both(isLed))]
  }

  /// Why a stack that is enabled for sshd now could not work with these settings; nil if nothing is known against it.
  static func obstacle(by settings: SSHSettings, isSecondFactor: Bool) -> SSHText? {
    if !settings.usesPAM { return .usePAM }
    return isSecondFactor && settings.givesOneAnswer ? .oneAnswer : nil
  }

  // MARK: Sessions

  /// Whether Match blocks take the session, or every way in, of everybody about whom sshd was asked, root included.
  private func isShut(_ known: SSHReading.Known) -> Bool {
    let isRoot = { (name: String) in accounts.account(named: name)?.userID == 0 }
    guard known.people.contains(where: { isRoot($0.name) }), known.left == 0, endingSession(known.everybody) == nil,
      known.everybody.refusal == nil
    else { return false }
    let open = known.people.filter { asks($0.settings.service) && (!isRoot($0.name) || $0.settings.mayRootLogIn) }
    return !open.isEmpty
      && open.allSatisfy {
        $0.settings.leavesNoMethods || $0.settings.refusal != nil || endingSession($0.settings) != nil
      }
  }

  /// The setting that ends a session as soon as it begins; nil if there is none.
  private func endingSession(_ settings: SSHSettings) -> String? {
    if settings.hasNoSessions { return "MaxSessions 0" }
    if let setting = settings.hastySession { return setting }
    // With `%` in it, it is a different folder for each account.
    if let folder = settings.rootFolder, !folder.contains("%"), !Self.isRootFolder(folder) {
      return "ChrootDirectory \(folder)"
    }
    return settings.command.flatMap { Self.ends($0) ? "ForceCommand \($0)" : nil }
  }

  /// The setting that gives a session something other than a shell, or a root folder without this machine's programs; nil if
  /// there is none.
  private func takingShell(_ settings: SSHSettings) -> String? {
    settings.command.flatMap { SSHCommand(text: $0).givesShell ? nil : "ForceCommand \($0)" }
      ?? settings.rootFolder.map { "ChrootDirectory \($0)" }
  }

  /// Whether a person who logs in gets a shell of this machine.
  private func givesShell(_ settings: SSHSettings) -> Bool {
    endingSession(settings) == nil && settings.hasTerminal && takingShell(settings) == nil
  }

  /// Whether sshd accepts a folder as a root folder: it and the folders above it belong to root, and nobody else may write them.
  private static func isRootFolder(_ path: String) -> Bool {
    guard path.hasPrefix("/") else { return false }
    return ResolvedPath.steps(to: path).allSatisfy { place in
      guard let state = FileState.following(place) else { return false }
      return state.kind == S_IFDIR && state.owner == 0 && state.mode & 0o022 == 0
    }
  }

  /// Words of a shell that end a command immediately.
  private static let endingWords: Set<String> = [":", "exit", "logout"]

  /// Whether a command certainly ends immediately.
  private static func ends(_ command: String) -> Bool {
    guard !SSHCommand(text: command).givesShell, let word = command.split(separator: " ").first.map(String.init) else {
      return false
    }
    switch LoginShell(path: word, of: 0) {
    case .refuses: return true
    // A name without a folder is searched for in several folders.
    case .missing: return word.hasPrefix("/") || endingWords.contains(word)
    default: return false
    }
  }

  // MARK: The rescue group

  private func leadsRescuers(_ settings: SSHSettings) -> Bool {
    stack(of: settings).reading.leadsRescuersPast
  }

  /// The service that sshd uses, by the name that libpam looks for, and its lines.
  private func stack(of settings: SSHSettings) -> (service: String, reading: StackReading) {
    let service = PAMService.nameForLibPAM(settings.service)
    return (service, StackReading(reader.entries(of: service, in: "auth"), of: service))
  }

  /// Whether sshd lets a person in who has answered PAM's prompt; nil if that is not known.
  private func admission(of name: String, _ settings: SSHSettings) -> Bool? {
    settings.admits(name, isRoot: accounts.account(named: name)?.userID == 0, groups: passwords.groups(of: name))
  }

  /// Whether a member of the rescue group can get in with the password; nil if that is not known.
  private func isWayIn(_ name: String, _ settings: SSHSettings) -> Bool? {
    guard settings.isAsked, givesShell(settings), !asks(settings.service) || leadsRescuers(settings) else {
      return false
    }
    return admission(of: name, settings)
  }

  /// The people that sshd keeps out among those that its stack leads past pam_uaf.
  private func rescue(_ known: SSHReading.Known) -> Finding? {
    // If nobody is asked, that has already been reported.
    guard known.everybody.isAsked, endingSession(known.everybody) == nil, leadsRescuers(known.everybody),
      let members = passwords.members(ofGroup: WayIn.rescueGroup), !members.isEmpty
    else { return nil }
    let ways = members.map { name in
      (name, known.refused.contains { $0.name == name } ? false : isWayIn(name, known.settings(of: name)))
    }
    let out = ways.filter { $0.1 == false }.map(\.0)
    if out.count == members.count {
      // If a key is enough, sshd has another way in.
      let hasKey = members.contains { name in
        let settings = known.settings(of: name)
        return settings.takesKeyAlone && givesShell(settings) && admission(of: name, settings) != false
      }
      return known.everybody.takesKeyAlone && givesShell(known.everybody) || hasKey
        ? .ok(SSHText.rescuers(out)) : .warning(.sshRescue, SSHText.noRescuer(out))
    }
    if !out.isEmpty { return .ok(SSHText.rescuers(out)) }
    let unsure = ways.filter { $0.1 == nil }.map(\.0)
    return unsure.isEmpty ? nil : .ok(SSHText.unsure(unsure))
  }

  // MARK: Nobody

  /// The list that keeps out everybody that this machine knows, and the people that patterns keep out.
  private func lists(_ known: SSHReading.Known) -> (nobody: Finding?, hit: Finding?) {
    let local = passwords.localAccounts().filter { accounts.account(named: $0)?.userID == 0 || hasShell($0) }
    let rescuers = passwords.members(ofGroup: WayIn.rescueGroup) ?? []
    let all = [known.everybody] + known.people.map(\.settings)
    let named = all.flatMap(\.allowed).flatMap { entry in
      switch entry {
      case .user(let name): [name]
      case .group(let name): passwords.members(ofGroup: name) ?? []
      }
    }
    let names = rescuers + known.people.map(\.name) + local + named
    let people = names.indices.filter { names.firstIndex(of: names[$0]) == $0 }.map { names[$0] }
      .filter { accounts.account(named: $0) != nil }
    let hit = people.filter { name in
      mayLogIn(name, known.settings(of: name))
        && known.settings(of: name).deniesByPattern(name, passwords.groups(of: name))
    }
    return (nobody(known, among: people), hit.isEmpty ? nil : .ok(SSHText.hit(hit)))
  }

  private func mayLogIn(_ name: String, _ settings: SSHSettings) -> Bool {
    accounts.account(named: name)?.userID != 0 || settings.mayRootLogIn
  }

  /// The list that keeps out everybody that this machine knows.
  private func nobody(_ known: SSHReading.Known, among people: [String]) -> Finding? {
    guard known.left == 0, !people.isEmpty else { return nil }
    let own = known.people.map(\.settings)
    // With Match blocks, the settings for everybody apply only to people about whom sshd was not asked.
    let all = own.isEmpty ? [known.everybody] : own
    if let list = all[0].listForEverybody, all.allSatisfy({ $0.listForEverybody != nil }) {
      return .failure(.sshNobody, SSHText.deniesAll(list))
    }
    var judged: [String?] = []
    for name in people where mayLogIn(name, known.settings(of: name)) {
      let groups = passwords.groups(of: name)
      let isAsked = known.people.contains { $0.name == name }
      let settings = [known.settings(of: name)] + (isAsked ? [] : own)
      guard let out = settings.map({ $0.lists(name, groups) }).first(where: { $0.isIn == false }) else { return nil }
      judged.append(out.list)
    }
    let lists = judged.compactMap(\.self)
    // An Allow list keeps out everybody whom it does not name.
    guard let list = lists.first(where: { $0.hasPrefix("Allow") }) ?? lists.first else {
      return known.everybody.allowsUsers ? .warning(.sshNobody, SSHText.allowsNobody("AllowUsers")) : nil
    }
    return list.hasPrefix("Deny")
      ? .failure(.sshNobody, SSHText.deniesKnown(list)) : .warning(.sshNobody, SSHText.allowsNobody(list))
  }

  /// Whether a local account has a shell, as a person's has.
  private func hasShell(_ name: String) -> Bool {
    LoginShell(path: passwords.shell(of: name) ?? "", isListed: { _ in true }) == .usable
  }
}
