import FidoResults
import UAFMessages
import Wording

/// The result of one check of `doctor`.
package struct Finding: Equatable {
  /// Its severity.
  package enum Level: Equatable {
    case ok
    /// It works, but somebody should know about it.
    case warning
    /// As `warning`, but shown in red if there are colours.
    case alarm
    case failure
    /// Not checked: the caller has no right to check it, or it cannot be determined here.
    case skipped
  }

  package let level: Level
  /// Its name; nil if nothing is wrong.
  package let id: FindingID?
  private let english: FindingText
  private let korean: FindingText

  private init(_ level: Level, _ id: FindingID?, _ text: some FindingCatalogue) {
    self.level = level
    self.id = id
    // Where nothing is wrong, there is nothing to do.
    english = level == .ok ? FindingText(text.english.what) : text.english
    korean = level == .ok ? FindingText(text.korean.what) : text.korean
  }

  package static func ok(_ text: some FindingCatalogue) -> Finding { Finding(.ok, nil, text) }
  package static func warning(_ id: FindingID, _ text: some FindingCatalogue) -> Finding { Finding(.warning, id, text) }
  package static func alarm(_ id: FindingID, _ text: some FindingCatalogue) -> Finding { Finding(.alarm, id, text) }
  package static func failure(_ id: FindingID, _ text: some FindingCatalogue) -> Finding { Finding(.failure, id, text) }
  package static func skipped(_ text: some FindingCatalogue) -> Finding { Finding(.skipped, nil, text) }

  /// Its text.
  package func text(in language: Language) -> FindingText {
    switch language {
    case .english: english
    case .korean: korean
    }
  }

  /// Its line of the report; the level's symbol and the ID are the same in every language, for scripts.
  package func line(in language: Language, colours: Bool) -> String {
    let mark =
      switch level {
      case .ok: "ok  "
      case .warning, .alarm: "warn"
      case .failure: "FAIL"
      case .skipped: "skip"
      }
    let text = text(in: language)
    let line =
      mark + " "
      + ShownText.line(text.what + (text.remedy.map { " : \($0)" } ?? "") + (id.map { " [\($0.rawValue)]" } ?? ""))
    guard colours, level == .failure || level == .alarm else { return line }
    return "\u{1B}[31m\(line)\u{1B}[0m"
  }
}

/// The name of a finding, which stays the same when its text changes: for scripts, and for uafctl(1), which explains each.
package enum FindingID: String, CaseIterable {
  // Programs
  case programMissing = "program-missing"
  case programOpen = "program-open"
  case programSize = "program-size"
  case programVersion = "program-version"
  // The socket and the core behind it
  case runFolder = "run-folder"
  case socketMissing = "socket-missing"
  case socketOwner = "socket-owner"
  case coreSilent = "core-silent"
  case coreVersion = "core-version"
  case accountUnregistered = "account-unregistered"
  case accountForbidden = "account-forbidden"
  case accountLocked = "account-locked"
  case fingerprint
  case face
  // The server's policy for this machine
  case policyExpired = "policy-expired"
  case policyRefused = "policy-refused"
  case policyUnjoined = "policy-unjoined"
  case machineUnknown = "machine-unknown"
  // All accounts, for root
  case accountsLocked = "accounts-locked"
  case accountDamaged = "account-damaged"
  case accountUnknown = "account-unknown"
  case accountShared = "account-shared"
  case accountSecret = "account-secret"
  case keyBehind = "key-behind"
  case lockOptions = "lock-options"
  case chipCount = "chip-count"
  // The kernel, the clock, the log
  case kernelNetwork = "kernel-network"
  case kernelLandlock = "kernel-landlock"
  case kernelSeccomp = "kernel-seccomp"
  case kernelAppArmor = "kernel-apparmor"
  case kernelIDs = "kernel-ids"
  case kernelFetch = "kernel-fetch"
  case bootID = "boot-id"
  case clock
  case clockUnsynchronised = "clock-unsynchronised"
  case log
  // The configuration
  case configurationUnusable = "configuration-unusable"
  case configurationNoEffect = "configuration-no-effect"
  case configurationNoServer = "configuration-no-server"
  case tlsVerify = "tls-verify"
  case offline
  case hideState = "hide-state"
  case fingerprintSoftware = "fingerprint-software"
  case faceAlone = "face-alone"
  case faceIncomplete = "face-incomplete"
  case webOrigin = "web-origin"
  case trustUnusable = "trust-unusable"
  case trustNoEffect = "trust-no-effect"
  // State
  case stateMissing = "state-missing"
  case stateOpen = "state-open"
  case stateKey = "state-key"
  case stateReadOnly = "state-read-only"
  case stateFixed = "state-fixed"
  case stateFull = "state-full"
  case stateKeyTwice = "state-key-twice"
  case stateUnsealed = "state-unsealed"
  case stateRecovery = "state-recovery"
  case stateChip = "state-chip"
  // Stacks
  case pamFolder = "pam-folder"
  case pamUnused = "pam-unused"
  case pamModule = "pam-module"
  case pamInclude = "pam-include"
  case pamUnusedStack = "pam-unused-stack"
  case pamCarriageReturn = "pam-carriage-return"
  case pamTwoReadings = "pam-two-readings"
  case pamLetsIn = "pam-lets-in"
  case pamPassedOver = "pam-passed-over"
  case pamWrongPassword = "pam-wrong-password"
  case pamEmptyPassword = "pam-empty-password"
  case pamEdited = "pam-edited"
  case pamNoEffect = "pam-no-effect"
  case pamNoWayIn = "pam-no-way-in"
  case pamArgument = "pam-argument"
  case pamNouserok = "pam-nouserok"
  case pamNouserokHidden = "pam-nouserok-hidden"
  case pamNouserokEnds = "pam-nouserok-ends"
  case pamNouserokOver = "pam-nouserok-over"
  case pamMisspelt = "pam-misspelt"
  case pamNoPasswordLine = "pam-no-password-line"
  case pamAccountAlone = "pam-account-alone"
  case pamAccountCheck = "pam-account-check"
  case pamProfile = "pam-profile"
  case pamOtherName = "pam-other-name"
  case pamSudoService = "pam-sudo-service"
  case pamSSHService = "pam-ssh-service"
  case pamSudoers = "pam-sudoers"
  case pamPolkit = "pam-polkit"
  case rescueGroup = "rescue-group"
  case rescuePassword = "rescue-password"
  // ssh
  case sshUsePAM = "ssh-use-pam"
  case sshKeyboardInteractive = "ssh-keyboard-interactive"
  case sshPassword = "ssh-password"
  case sshPublicKey = "ssh-public-key"
  case sshUnasked = "ssh-unasked"
  case sshConfiguration = "ssh-configuration"
  case sshRescue = "ssh-rescue"
  case sshNobody = "ssh-nobody"
  // The server
  case serverAuthorities = "server-authorities"
  case serverUnreachable = "server-unreachable"
  case serverProxy = "server-proxy"
  case serverCertificate = "server-certificate"
  case certificateEnds = "certificate-ends"
  case certificateWeak = "certificate-weak"
  case serverPath = "server-path"
  case serverType = "server-type"
  case serverAnswer = "server-answer"
  case facetList = "facet-list"
  case verdictKey = "verdict-key"
  case clockServer = "clock-server"
}

/// The texts of findings about one subject, in each language.
package protocol FindingCatalogue: Catalogued where Words == FindingText {}

/// What `doctor` found, as one JSON object for scripts (uafctl(1)).
package struct DoctorReport {
  private let findings: [Finding]

  package init(_ findings: [Finding]) { self.findings = findings }

  /// Whether anything failed.
  package var hasFailed: Bool { findings.contains { $0.level == .failure } }

  /// The object, in one line; names and levels are the same in every language.
  package func text(in language: Language) -> String {
    let document: JSONObject = [
      "version": .string(ToolVersion.number), "failed": .bool(hasFailed),
      "findings": .array(findings.map { Self.object($0, language) }),
    ]
    return JSONValue.object(document).text
  }

  /// One finding.
  package static func object(_ finding: Finding, _ language: Language) -> JSONValue {
    let text = finding.text(in: language)
    var object: JSONObject = ["level": .string(level(finding))]
    object.set("id", finding.id.map { .string($0.rawValue) })
    object.set("text", .string(ShownText.line(text.what)))
    object.set("remedy", text.remedy.map { .string(ShownText.line($0)) })
    return .object(object)
  }

  private static func level(_ finding: Finding) -> String {
    switch finding.level {
    case .ok: "ok"
    case .warning, .alarm: "warning"
    case .failure: "failure"
    case .skipped: "skipped"
    }
  }
}
