import Doctor
import Glibc
import HostSystem
import PAMStacks
import UAFConfiguration
import Wording

/// What `uafctl report` writes: one text for people who look after this machine from afar, always in English.
///
/// It reads neither state nor keys. Texts of others come only in forms in which a secret cannot be mistaken for anything else:
/// keys and values on a list (``ConfigurationOutline``), parts of log lines on a list (``LogExcerpt``), arguments of modules on a
/// list.
struct SupportReport: Equatable {
  /// A part of the report.
  struct Section: Equatable {
    let title: String
    var lines: [String]

    /// A part with lines that others wrote, without anything that could control a terminal.
    static func cleaned(_ title: String, _ lines: [String]) -> Section {
      Section(title: title, lines: lines.map(ShownText.line))
    }
  }

  private(set) var sections: [Section]

  /// The whole text.
  var text: String {
    sections.map { section in
      (["== \(section.title) =="] + section.lines).joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }

  /// Replaces each line by what `change` makes of it.
  func mapping(_ change: (String) -> String) -> SupportReport {
    SupportReport(
      sections: sections.map { Section(title: $0.title, lines: $0.lines.map(change)) })
  }

  /// The report in which nothing repeats a text that was left out of the configuration.
  func without(_ texts: Set<String>) -> SupportReport {
    // The longest first: another may be a part of it.
    let texts = texts.sorted { $0.utf8.count > $1.utf8.count }
    return mapping { line in texts.reduce(line) { $0.replacing($1, with: "(not shown)") } }
  }
}

/// Collects a report on this machine.
struct ReportCollector {
  private let context: ToolContext
  private let configuration: String?
  private let services: String
  private let anonymous: Bool
  private var installation: Installation { context.installation }

  /// - Parameters:
  ///   - configuration: the file that root named; nil for the machine's.
  ///   - services: the folder of the PAM services.
  ///   - anonymous: whether names of people and machines are replaced.
  init(_ context: ToolContext, configuration: String?, services: String, anonymous: Bool) {
    self.context = context
    self.configuration = configuration
    self.services = services
    self.anonymous = anonymous
  }

  /// Looks at everything; nothing is changed, and no shell of anybody is started.
  func report() -> SupportReport {
    let documents = documents()
    let outline = ConfigurationOutline(documents.read)
    var excerpt = LogExcerpt(accounts: context.caller.accounts)
    let log = excerpt.lines(LogSource(installation).recent())
    let report = SupportReport(sections: [
      .init(title: "report", lines: head()),
      .cleaned("versions", versions()),
      .cleaned("system", machine()),
      .cleaned("units", units()),
      .cleaned("configuration", documents.problem ?? Self.lines(outline)),
      .init(title: "doctor", lines: findings()),
      .cleaned("PAM services that name pam_uaf", stacks()),
      .cleaned("log", log),
    ]).without(outline.withheld)
    guard anonymous else { return report }
    var names = Pseudonyms(
      accounts: people() + excerpt.accountsSeen,
      machine: [installation.hostName, installation.canonicalHostName() ?? ""],
      hosts: outline.hosts + excerpt.hostsSeen)
    return report.mapping { names.replaced(in: $0) }
  }

  // MARK: Sections

  private func head() -> [String] {
    [
      "made by \(ToolVersion.text), \(context.caller.isRoot ? "as root" : "without root: much is missing")",
      "at \(ShownTime.utc(Int64(installation.facts().time)))",
      anonymous
        ? "names of accounts and hosts, and addresses, are replaced: the same name by the same word"
        : "with the names of accounts and hosts",
    ]
  }

  private func versions() -> [String] {
    let programs = [installation.helperPath, installation.fetchPath].map { path in
      "\(path): \(firstLine("\(path)", ["--version"]) ?? "no version")"
    }
    let packages = [
      "libpam-uaf", "uaf-server", "libpam0g", "libpam-modules", "sudo", "login", "openssh-server", "polkitd", "systemd",
      "gdm3", "lightdm", "sddm", "fprintd",
    ].compactMap { name -> String? in
      let form = "${Package} ${Version} ${db:Status-Status}\\n"
      return firstLine("/usr/bin/dpkg-query", ["--show", "--showformat", form, name])
    }
    // dpkg also lists packages that it only knows by name.
    return ["uafctl: \(ToolVersion.number)"] + programs + packages.filter { $0.hasSuffix(" installed") }
  }

  private func machine() -> [String] {
    let release = installation.passwords.text(of: "/etc/os-release") ?? ""
    let names = release.split(separator: "\n").filter { line in
      ["PRETTY_NAME=", "ID=", "VERSION_ID=", "VERSION_CODENAME="].contains { line.hasPrefix($0) }
    }.map(String.init)
    return names + ["kernel: \(firstLine("/usr/bin/uname", ["-s", "-r", "-m"]) ?? "unknown")"]
  }

  private func units() -> [String] {
    let units = ["pam-uaf.socket", "pam-uaf.service", "pam-uaf-checkin.timer", "pam-uaf-checkin.service", "uaf-server"]
    let properties = "--property=Id,LoadState,ActiveState,SubState,UnitFileState,Result"
    let lines = units.compactMap { unit in
      installation.output("/usr/bin/systemctl", ["show", "--no-pager", properties, unit]).map { text in
        text.split(separator: "\n").joined(separator: " ")
      }
    }
    return lines.isEmpty ? ["systemd does not answer"] : lines
  }

  /// The documents of the configuration; or, instead of its outline, why they cannot be read.
  private func documents() -> (read: [ConfigurationDocument], problem: [String]?) {
    do throws(ConfigurationError) {
      let read = try Configuration.documents(
        path: configuration, defaultPath: installation.configurationPath, requiredOwner: installation.owner)
      return (read, read.isEmpty ? ["\(installation.configurationPath): there is none"] : nil)
    } catch {
      return ([], ["it cannot be read: doctor says why"])
    }
  }

  private static func lines(_ outline: ConfigurationOutline) -> [String] {
    outline.files.flatMap { file in ["# \(file.path)"] + file.lines }
  }

  private func findings() -> [String] {
    Examination(
      of: installation, core: StatusQuery(in: context, configuration: configuration),
      accounts: context.caller.accounts, isRoot: context.caller.isRoot, configuration: configuration, services: services
    ).run { _ in }.map { $0.line(in: .english, colours: false) }
  }

  /// Modules whose arguments are no secrets: rules, names and paths.
  private static let openModules: Set<String> = [
    PAMLine.ownModule, "pam_unix.so", "pam_succeed_if.so", "pam_deny.so", "pam_permit.so", "pam_rootok.so",
    "pam_faillock.so", "pam_faildelay.so", "pam_nologin.so", "pam_env.so", "pam_limits.so", "pam_systemd.so",
    "pam_localuser.so", "pam_usertype.so", "pam_wheel.so", "pam_shells.so", "pam_sss.so", "pam_fprintd.so",
  ]

  private func stacks() -> [String] {
    let reader = PAMDirectory(path: services, vendors: installation.vendorPAMFolders)
    guard let entries = StackList(reader: reader).entries() else { return ["\(services) cannot be read"] }
    if entries.isEmpty { return ["none"] }
    var open = entries.map(\.name)
    var seen: Set<String> = []
    var lines: [String] = []
    while !open.isEmpty {
      let name = open.removeFirst()
      guard seen.insert(name).inserted else { continue }
      let text = entries.first { $0.name == name }.map { entry in
        StackText.listed(service: ShownText.line(entry.name), entry.origin).text(in: .english)
      }
      lines += ["# \(text ?? name)"] + reader.ownLines(of: name).map(Self.line)
      open += reader.inclusions(of: name)
    }
    return lines
  }

  private static func line(_ line: PAMLine) -> String {
    if line.group == "@include" { return "@include \(line.module)" }
    let isOpen = openModules.contains(line.moduleName) || line.isInclusion || line.arguments.isEmpty
    let arguments = isOpen ? line.arguments : ["(\(line.arguments.count) arguments, not shown)"]
    return ([line.group, line.control, line.module] + arguments).filter { !$0.isEmpty }.joined(separator: " ")
  }

  // MARK: Names

  /// The people of this machine: local accounts that are no system accounts, those that are registered, and the rescuers.
  private func people() -> [String] {
    let accounts = context.caller.accounts
    let local = installation.passwords.localAccounts().filter { name in
      accounts.account(named: name).map { (1000..<60_000).contains($0.userID) } ?? false
    }
    let configured = try? Configuration.load(
      path: configuration, defaultPath: installation.configurationPath, requiredOwner: installation.owner)
    let registered = configured.map { installation.registered($0.state.directory) } ?? []
    let names = (registered + [context.caller.userID]).compactMap { accounts.account(withID: $0) }
      .map { String(decoding: $0.name, as: UTF8.self) }
    return local + names + (installation.passwords.members(ofGroup: WayIn.rescueGroup) ?? [])
  }

  private func firstLine(_ program: String, _ arguments: [String]) -> String? {
    installation.output(program, arguments)?.split(separator: "\n").first.map(String.init)
  }
}
