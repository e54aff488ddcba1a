import HostSystem
import UAFConfiguration

/// Which server this machine asks: the configuration's; if that names none, the one that root trusted with a payload.
struct TrustCheck {
  let configuration: Configuration
  /// The configuration's file.
  let path: String
  let owner: UInt32
  let isRoot: Bool

  /// The findings, and the server if there is one that this caller may read.
  func run() -> (findings: [Finding], server: ServerSettings?) {
    let file = configuration.state.directory + "/" + StateSettings.trustFileName
    if let server = configuration.server {
      let isThere = isRoot && (try? FileState.of(file).get()) != nil
      return (isThere ? [.warning(.trustNoEffect, TrustText.noEffect(file, configuration: path))] : [], server)
    }
    guard isRoot else { return ([.skipped(TrustText.closed(file, configuration: path))], nil) }
    do throws(ConfigurationError) {
      if let server = try Configuration.load(onlyFile: file, requiredOwner: owner).server {
        return ([.ok(TrustText.trusted(file))], server)
      }
      return ([.failure(.trustUnusable, TrustText.empty(file))], nil)
    } catch {
      if case .file(_, .missing) = error {
        return ([.failure(.configurationNoServer, ConfigurationText.noServer(path: path))], nil)
      }
      return ([.failure(.trustUnusable, TrustText.unusable(error))], nil)
    }
  }
}
