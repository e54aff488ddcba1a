import HostSystem
import UAFConfiguration
import Wording

/// Which server this machine asks: the configured server or, if there is none, the one that root trusted with a payload.
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

/// Doctor's texts about the server that root trusted with a payload, if the configuration names none.
enum TrustText: FindingCatalogue {
  case closed(String, configuration: String)
  case trusted(String)
  case empty(String)
  case unusable(ConfigurationError)
  case noEffect(String, configuration: String)

  private static let anew = "uafctl trust --code FILE writes it anew; until then nobody can log in"
  private static let anewKorean = "uafctl trust --code FILE 명령으로 다시 쓰십시오. 그때까지 아무도 로그인할 수 없습니다"

  var english: FindingText {
    switch self {
    case .closed(let file, let configuration):
      FindingText.asRoot("trust: \(configuration) names no server, and only root can look whether \(file) does")
    case .trusted(let file): FindingText("trust: \(file) names the server")
    case .empty(let file): FindingText("trust: \(file) names no server", do: Self.anew)
    case .unusable(let error): FindingText("trust: \(error.english)", do: Self.anew)
    case .noEffect(let file, let configuration):
      FindingText(
        "trust: \(file) has no effect: \(configuration) names a server, and that one is asked",
        do: "remove the file, or [server] from the configuration")
    }
  }

  var korean: FindingText {
    switch self {
    case .closed(let file, let configuration):
      FindingText.asRootKorean("신뢰: \(configuration)에 서버가 없고, \(file)에 있는지는 root만 볼 수 있습니다")
    case .trusted(let file): FindingText("신뢰: \(file)에 서버가 있습니다")
    case .empty(let file): FindingText("신뢰: \(file)에 서버가 없습니다", do: Self.anewKorean)
    case .unusable(let error): FindingText("신뢰: \(error.korean)", do: Self.anewKorean)
    case .noEffect(let file, let configuration):
      FindingText(
        "신뢰: \(file)은(는) 효과가 없습니다. \(configuration)에 있는 서버에 묻습니다",
        do: "그 파일이나 설정의 [server]를 지우십시오")
    }
  }
}
