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
      return ([.failure("configuration: \(error)", do: "correct it; until then nobody can log in")], nil)
    }
    var findings = [Finding.ok("configuration: \(path)")]
    findings += configuration.withoutEffect.map {
      .warning("configuration: \($0) has no effect in this version", do: "leave it out, and rely on nothing it says")
    }
    guard let server = configuration.server else {
      findings.append(
        .failure("configuration: \(path) names no server", do: "write [server], or uafctl trust --payload FILE"))
      return (findings, configuration)
    }
    if !server.verifiesTLS {
      findings.append(
        .alarm(
          "configuration: tls_verify = false: whoever stands between this machine and the server decides who logs in",
          do: "remove it, and name the server's authority with ca_file"))
    }
    return (findings, configuration)
  }
}
