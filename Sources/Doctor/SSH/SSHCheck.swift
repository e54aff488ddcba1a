import Glibc
import HostSystem
import PAMStacks
import Wording

/// What sshd does with a stack that asks for the passcode.
struct SSHCheck {
  /// Nil if there is no sshd, or its settings cannot be read.
  let settings: SSHSettings?
  let reader: PAMDirectory

  func findings() -> [Finding] {
    guard let settings, reader.authentication(of: "sshd").contains(where: \.asksOwnModule) else { return [] }
    var findings: [Finding] = []
    if !settings.usesPAM {
      findings.append(.failure(.sshUsePAM, SSHText.usePAM))
    }
    if !settings.isKeyboardInteractive {
      findings.append(.warning(.sshKeyboardInteractive, SSHText.keyboardInteractive))
    } else if settings.leavesQuestionsOut {
      findings.append(.warning(.sshKeyboardInteractive, SSHText.methods))
    }
    if settings.takesPasswords {
      findings.append(.warning(.sshPassword, SSHText.password))
    }
    if !settings.takesKeyFirst { findings.append(.warning(.sshPublicKey, SSHText.publicKey)) }
    guard findings.isEmpty else { return findings }
    if settings.takesKeyAlone { return [.ok(SSHText.fine)] }
    return [.ok(settings.asksWithoutKey ? SSHText.either : SSHText.both)]
  }
}

/// The sources of sshd's settings.
struct SSHConfiguration {
  /// The program.
  let program: String
  /// Its configuration.
  let file: String
  /// What a program prints; nil if it prints nothing.
  let output: (String, [String]) -> String?

  /// The settings; nil where there is no sshd.
  ///
  /// Root asks sshd itself (`sshd -T`). For others the files are read, as far as the caller may.
  func settings(isRoot: Bool) -> SSHSettings? {
    guard (try? FileState.of(program).get()) != nil else { return nil }
    if isRoot, let text = output(program, ["-T", "-f", file]) { return SSHSettings(text) }
    guard let text = read(file) else { return nil }
    return SSHSettings(text) { included($0) }
  }

  /// The texts of the files that match a name with one star in its last part, in order.
  private func included(_ pattern: String) -> [String] {
    let path = pattern.hasPrefix("/") ? pattern : folder(of: file) + "/" + pattern
    guard let star = path.firstIndex(of: "*") else { return [path].compactMap(read) }
    let (before, after) = (String(path[..<star]), String(path[path.index(after: star)...]))
    let place = folder(of: before)
    guard !after.contains("*"), !after.contains("/"), let names = PAMDirectory(path: place).names() else {
      return []
    }
    // A star does not match a leading dot.
    let paths = names.filter { !$0.hasPrefix(".") }.map { place + "/" + $0 }
    return paths.filter { $0.hasPrefix(before) && $0.hasSuffix(after) }.compactMap(read)
  }

  private func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }

  private func read(_ path: String) -> String? {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    return PAMDirectory(path: folder(of: path)).bytes(of: name).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// sshd's settings for logins, from its configuration or from `sshd -T`.
struct SSHSettings: Equatable {
  private var values: [String: String] = [:]

  /// The values of settings that are not set (sshd_config(5)).
  ///
  /// Debian's file sets UsePAM to yes and KbdInteractiveAuthentication to no.
  private static let defaults = [
    "usepam": "no", "kbdinteractiveauthentication": "yes", "passwordauthentication": "yes",
    "pubkeyauthentication": "yes",
    "authenticationmethods": "any",
  ]
  private static let former = "challengeresponseauthentication"

  /// Reads lines of keyword and value: the first for a keyword counts, and lines under Match are left out.
  ///
  /// - Parameter included: the text of the files that an Include names.
  init(_ text: String, including included: (String) -> [String] = { _ in [] }) {
    _ = read(text, including: included, depth: 0)
  }

  // As in sshd.
  private static let deepest = 16

  /// Returns false at a Match: the settings after it do not hold for everybody.
  private mutating func read(_ text: String, including included: (String) -> [String], depth: Int) -> Bool {
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.split { $0.isWhitespace || $0 == "=" }
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      let keyword = first.lowercased() == Self.former ? "kbdinteractiveauthentication" : first.lowercased()
      let rest = words.dropFirst().prefix { !$0.hasPrefix("#") }.map { $0.filter { $0 != "\"" } }
      if keyword == "match" { return false }
      if keyword == "include", depth < Self.deepest {
        // A Match inside ends with its file.
        for text in rest.flatMap(included) { _ = read(text, including: included, depth: depth + 1) }
      } else if values[keyword] == nil {
        values[keyword] = rest.joined(separator: " ")
      }
    }
    return true
  }

  private func value(_ keyword: String) -> String { (values[keyword] ?? Self.defaults[keyword] ?? "").lowercased() }

  /// Whether PAM is asked at all.
  var usesPAM: Bool { value("usepam") == "yes" }
  /// Whether people are asked PAM's questions.
  var isKeyboardInteractive: Bool { value("kbdinteractiveauthentication") == "yes" }
  /// Whether sshd takes one string as the answer to every question.
  var takesPasswords: Bool {
    value("passwordauthentication") == "yes" && methods?.joined().contains("password") != false
  }
  /// Whether no list of methods has PAM's questions in it.
  var leavesQuestionsOut: Bool { methods?.joined().contains("keyboard-interactive") == false }
  /// Whether somebody gets in who has a key, and is asked for nothing else.
  var takesKeyAlone: Bool {
    value("pubkeyauthentication") == "yes" && methods?.contains { $0.allSatisfy { $0 == "publickey" } } != false
  }
  /// Whether somebody is asked for a key and then for what PAM asks.
  var takesKeyFirst: Bool {
    value("pubkeyauthentication") == "yes" && methods?.contains { $0.first == "publickey" } != false
  }

  /// Whether somebody without a key is asked what PAM asks.
  var asksWithoutKey: Bool {
    methods?.contains { $0.contains("keyboard-interactive") && !$0.contains("publickey") } != false
  }

  /// The lists of methods, one of which has to be gone through; nil for any one method.
  ///
  /// The device PAM is left out behind its colon; one with another device is another method.
  private var methods: [[String]]? {
    let text = value("authenticationmethods")
    if text == "any" { return nil }
    return text.split(separator: " ").map { list in
      list.split(separator: ",").map { $0.hasSuffix(":pam") ? String($0.dropLast(4)) : String($0) }
    }
  }
}

/// What doctor says of sshd in front of a stack that asks for the passcode.
enum SSHText: FindingCatalogue, Equatable {
  case usePAM
  case keyboardInteractive
  case password
  case publicKey
  case fine
  /// A key and the passcode are asked for.
  case both
  /// Some lists of methods have a key and the passcode, and some the passcode without a key.
  case either
  /// PAM's questions are in no list of methods.
  case methods

  var english: FindingText {
    switch self {
    case .usePAM:
      FindingText("ssh: UsePAM is no: sshd never asks for the passcode", do: "UsePAM yes in sshd_config")
    case .keyboardInteractive:
      FindingText(
        "ssh: KbdInteractiveAuthentication is no: nobody is shown the question; people type the passcode at \"password:\"",
        do: "KbdInteractiveAuthentication yes in sshd_config")
    case .password:
      FindingText(
        "ssh: PasswordAuthentication is yes: it shows no question, and one string answers all of them",
        do: "PasswordAuthentication no in sshd_config")
    case .publicKey:
      FindingText(
        "ssh: nobody gets in by a public key first: no way in is left when the passcode is refused",
        do: "PubkeyAuthentication yes in sshd_config, and publickey first in AuthenticationMethods")
    case .fine: FindingText("ssh: the question is shown, and a public key is another way in")
    case .both:
      FindingText("ssh: a public key and then the question: where the passcode is refused, only uaf-rescue gets in")
    case .either:
      FindingText(
        "ssh: the question is shown, with or without a public key before it: where the passcode is refused, only uaf-rescue "
          + "gets in")
    case .methods:
      FindingText(
        "ssh: AuthenticationMethods has no keyboard-interactive of PAM: nobody is asked for the passcode",
        do: "'AuthenticationMethods publickey keyboard-interactive:pam', or with a comma for both")
    }
  }

  var korean: FindingText {
    switch self {
    case .usePAM: FindingText("ssh: UsePAM이 no이므로 sshd가 패스코드를 묻지 않습니다", do: "sshd_config에 'UsePAM yes'")
    case .keyboardInteractive:
      FindingText(
        "ssh: KbdInteractiveAuthentication이 no이므로 질문이 표시되지 않고 'password:'에 패스코드를 입력해야 합니다",
        do: "sshd_config에 'KbdInteractiveAuthentication yes'")
    case .password:
      FindingText(
        "ssh: PasswordAuthentication이 yes이므로 질문이 표시되지 않고 문자열 하나가 모든 질문의 답이 됩니다",
        do: "sshd_config에 'PasswordAuthentication no'")
    case .publicKey:
      FindingText(
        "ssh: 공개 키만으로 먼저 들어올 수 없어, 패스코드가 거부되면 들어올 길이 없습니다",
        do: "sshd_config에 'PubkeyAuthentication yes', AuthenticationMethods의 첫 항목은 publickey")
    case .fine: FindingText("ssh: 질문이 표시되고, 공개 키로도 들어올 수 있습니다")
    case .both:
      FindingText("ssh: 공개 키 다음에 질문합니다. 패스코드가 거부되면 uaf-rescue만 들어올 수 있습니다")
    case .either:
      FindingText(
        "ssh: 공개 키가 있든 없든 질문이 표시됩니다. 패스코드가 거부되면 uaf-rescue만 들어올 수 있습니다")
    case .methods:
      FindingText(
        "ssh: AuthenticationMethods에 PAM의 keyboard-interactive가 없어 아무에게도 패스코드를 묻지 않습니다",
        do: "'AuthenticationMethods publickey keyboard-interactive:pam', 둘 다 요구하려면 쉼표로 이으십시오")
    }
  }
}
