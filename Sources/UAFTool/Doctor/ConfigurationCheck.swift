import Glibc
import UAFConfiguration

/// The configuration: readable, root's, every key known and with an effect, and with a server.
struct ConfigurationCheck {
  let path: String
  let owner: uid_t
  let isRoot: Bool

  /// What was found and, if it can be used, the configuration.
  func run() -> (findings: [Finding], configuration: Configuration?) {
    let configuration: Configuration
    do throws(ConfigurationError) {
      configuration = try Configuration.load(path: path, requiredOwner: owner)
    } catch {
      if !isRoot, case .file(_, .system(EACCES)) = error { return ([.skipped("configuration: \(path)")], nil) }
      return (
        [.failure(.configurationUnusable, "configuration: \(error)", do: "correct it; until then nobody can log in")],
        nil
      )
    }
    var findings = [Finding.ok("configuration: \(path)")]
    findings += configuration.withoutEffect.map {
      .warning(
        .configurationNoEffect, "configuration: \($0) has no effect in this version",
        do: "leave it out, and rely on nothing it says")
    }
    guard let server = configuration.server else {
      findings.append(
        .failure(
          .configurationNoServer, "configuration: \(path) names no server",
          do: "write [server], or uafctl trust --code FILE"))
      return (findings, configuration)
    }
    if !server.verifiesTLS {
      findings.append(
        .alarm(
          .tlsVerify,
          "configuration: tls_verify = false: whoever stands between this machine and the server decides who logs in",
          do: "remove it, and name the server's authority with ca_file"))
    }
    return (findings + Self.choices(of: configuration), configuration)
  }

  /// What root may want, and should know the price of.
  private static func choices(of configuration: Configuration) -> [Finding] {
    let sections = configuration.sections
    let offline = sections.filter { $0.settings.general.offline == .allow }.map(\.name)
    let told = sections.filter { $0.settings.general.hideState == false }.map(\.name)
    var findings: [Finding] = []
    if !offline.isEmpty {
      findings.append(
        .warning(
          .offline,
          "configuration: offline = \"allow\" in \(offline.joined(separator: ", ")): whoever cuts this machine off from the "
            + "server, or was revoked since, gets in by the passcode alone until offline_max_age is over",
          do: "take it out where the server must decide"))
    }
    if !told.isEmpty {
      findings.append(
        .warning(
          .hideState,
          "configuration: hide_state = false in \(told.joined(separator: ", ")): over the network, too, it can be told who is "
            + "registered and who is locked", do: "take it out: locally it is the default"))
    }
    return findings
  }
}
