import Glibc
import UAFConfiguration

/// The configuration: it must be readable and owned by root, each key known and with an effect, and a server named.
struct ConfigurationCheck {
  /// The file that root named, which must exist; nil for the machine's, which need not exist.
  let given: String?
  let standard: String
  let owner: uid_t
  let isRoot: Bool

  /// The file that counts.
  var path: String { given ?? standard }

  /// What was found and, if it can be used, the configuration.
  func run() -> (findings: [Finding], configuration: Configuration?) {
    let configuration: Configuration
    do throws(ConfigurationError) {
      configuration = try Configuration.load(path: given, defaultPath: standard, requiredOwner: owner)
    } catch {
      if !isRoot, case .file(_, .system(EACCES)) = error {
        return ([.skipped(ConfigurationText.closed(path: path))], nil)
      }
      return ([.failure(.configurationUnusable, ConfigurationText.unusable(error))], nil)
    }
    var findings = [Finding.ok(ConfigurationText.fine(path: path, files: configuration.files))]
    findings += configuration.withoutEffect.map {
      .warning(.configurationNoEffect, ConfigurationText.noEffect(key: $0))
    }
    if configuration.server?.verifiesTLS == false {
      findings.append(.alarm(.tlsVerify, ConfigurationText.unverified))
    }
    return (findings + Self.choices(of: configuration), configuration)
  }

  /// Settings that root may want, with their risks.
  private static func choices(of configuration: Configuration) -> [Finding] {
    let sections = configuration.sections
    let offline = sections.filter { $0.settings.general.offline == .allow }.map(\.name)
    let told = sections.filter { $0.settings.general.hideState == false }.map(\.name)
    var findings: [Finding] = []
    if !offline.isEmpty {
      findings.append(.warning(.offline, ConfigurationText.offline(sections: offline)))
    }
    if !told.isEmpty {
      findings.append(.warning(.hideState, ConfigurationText.toldState(sections: told)))
    }
    if configuration.allowsFingerprintsWithoutChip {
      findings.append(.warning(.fingerprintSoftware, ConfigurationText.softwareFingerprint))
    }
    return findings
  }
}
