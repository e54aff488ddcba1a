import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire
import Wording

/// The keys of signed verdicts: they must be usable, and contain the server's key.
struct VerdictKeyCheck {
  let server: ServerSettings
  let owner: UInt32
  let isRoot: Bool
  /// What the server has announced to this machine, in addition to root's file.
  let announced: AnnouncedTrust
  let line: ServerLine

  /// The path of requests at `uaf-server`, in UAF and in WebAuthn, and the path of its key.
  private static let (requests, options, keys) = ("/uaf/get", "/assertion/options", "/uaf/verdict-key")

  func findings() -> [Finding] {
    guard let path = server.verdictKeyFile else { return [] }
    let bytes: [UInt8]
    do throws(ConfigurationFileProblem) {
      bytes = try ConfigurationFile.read(path: path, requiredOwner: owner)
    } catch {
      if !isRoot, error.isSecrecy { return [.skipped(VerdictKeyText.closed(path: path))] }
      return [.failure(.verdictKey, VerdictKeyText.unreadable(path: path, error))]
    }
    guard let keys = try? P256.publicKeys(pem: bytes) else {
      return [.failure(.verdictKey, VerdictKeyText.noKey(path: path))]
    }
    // The first key is in use, the others will be used later.
    guard let url, let answer = line.ask(.get(url, accept: "application/x-pem-file")), answer.response.status == 200,
      let theirs = try? P256.publicKeys(pem: answer.body), let current = theirs.first
    else { return [.ok(VerdictKeyText.unknown(path: path))] }
    func isKnown(_ key: [UInt8]) -> Bool {
      let id = TrustName.keyID(of: key) ?? ""
      return (keys.contains(key) && !announced.endedKeys.contains(id)) || announced.verdictKeys.contains(id)
    }
    guard isKnown(current) else {
      let isEnded = announced.endedKeys.contains(TrustName.keyID(of: current) ?? "")
      let text: VerdictKeyText =
        isEnded
        ? .ended(url: url, isRequired: server.requiresSignedVerdict)
        : .another(
          path: path, url: url, isRequired: server.requiresSignedVerdict, hasJoined: announced.hasJoined)
      return [server.requiresSignedVerdict ? .failure(.verdictKey, text) : .warning(.verdictKey, text)]
    }
    guard theirs.allSatisfy(isKnown) else {
      return [.warning(.verdictKey, VerdictKeyText.coming(path: path, hasJoined: announced.hasJoined))]
    }
    return [.ok(VerdictKeyText.same(path: path))]
  }

  /// Nil for a server whose addresses are not like those of `uaf-server`.
  private var url: String? {
    let path = server.dialect == .webauthn ? Self.options : Self.requests
    guard let request = (server.authentication.requestURL ?? server.requestURL)?.text, request.hasSuffix(path) else {
      return nil
    }
    return request.dropLast(path.count) + Self.keys
  }
}

/// Doctor's texts about the key of signed verdicts.
enum VerdictKeyText: FindingCatalogue {
  case closed(path: String)
  case unreadable(path: String, ConfigurationFileProblem)
  case noKey(path: String)
  /// The server returns no key to compare with.
  case unknown(path: String)
  case another(path: String, url: String, isRequired: Bool, hasJoined: Bool)
  /// The server signs with a key whose end it has announced to this machine.
  case ended(url: String, isRequired: Bool)
  /// The server will sign with a key that this machine does not know.
  case coming(path: String, hasJoined: Bool)
  case same(path: String)

  private static let copy = "copy verdict.pub from the state folder of uaf-server, or correct verdict_key"
  private static let copyKorean = "uaf-server의 상태 폴더에서 verdict.pub을 복사하거나 verdict_key를 바로잡으십시오"
  private static let join = "run uafctl join --payload FILE as root, with a new payload of the server"
  private static let joinKorean = "서버의 새 가입 파일을 받아 root로 uafctl join --payload FILE 명령을 실행하십시오"
  // A copy of verdict.pub would not help: an ended key never counts again, in whichever file it is.
  private static let restore =
    "tell the server's administrator: an older verdict.key was put back there, and must be replaced by the newer one "
    + "(docs/server.md, \"Backup\"); if that is lost, \(join)"
  private static let restoreKorean =
    "서버 관리자에게 알리십시오. 서버에 이전 verdict.key가 복원되었으므로 더 새로운 것으로 바꾸어야 합니다(docs/server.md의 "
    + "\"Backup\"). 새로운 것을 잃었다면 \(joinKorean)"
  private static let learn = "run uafctl check-in as root, by which this machine learns the key"
  private static let learnKorean = "root로 uafctl check-in 명령을 실행하면 이 컴퓨터가 그 키를 받습니다"

  var english: FindingText {
    switch self {
    case .closed(let path): FindingText.asRoot("verdict: verdict_key \(path)")
    case .unreadable(let path, let problem):
      FindingText("verdict: verdict_key \(path): \(problem.english)", do: Self.copy)
    case .noKey(let path):
      FindingText("verdict: verdict_key \(path) has no public key of P-256 in PEM", do: Self.copy)
    case .unknown(let path):
      FindingText("verdict: verdict_key \(path) has a key, but the server names none to compare it with")
    case .another(let path, let url, let isRequired, let hasJoined):
      FindingText(
        "verdict: verdict_key \(path) is not the key of \(url)"
          + (isRequired ? ": every signed success is refused, and nobody can log in" : ""),
        do: hasJoined ? Self.join : Self.copy)
    case .ended(let url, let isRequired):
      FindingText(
        "verdict: \(url) has a key whose end the server has announced to this machine"
          + (isRequired ? ": every signed success is refused, and nobody can log in" : ""), do: Self.restore)
    case .coming(let path, let hasJoined):
      FindingText(
        "verdict: the server is going to sign with a key that "
          + (hasJoined ? "this machine has not learned yet" : "verdict_key \(path) lacks")
          + "; from then on nobody can log in", do: hasJoined ? Self.learn : Self.copy)
    case .same(let path): FindingText("verdict: verdict_key \(path) is the server's")
    }
  }

  var korean: FindingText {
    switch self {
    case .closed(let path): FindingText.asRootKorean("서명: verdict_key \(path)")
    case .unreadable(let path, let problem):
      FindingText("서명: verdict_key \(path): \(problem.korean)", do: Self.copyKorean)
    case .noKey(let path): FindingText("서명: verdict_key \(path)에 PEM 형식의 P-256 공개 키가 없습니다", do: Self.copyKorean)
    case .unknown(let path): FindingText("서명: verdict_key \(path)은(는) 키입니다. 서버가 비교할 키를 알려 주지 않습니다")
    case .another(let path, let url, let isRequired, let hasJoined):
      FindingText(
        "서명: verdict_key \(path)은(는) \(url)의 키가 아닙니다"
          + (isRequired ? ". 서명된 승인이 모두 거부되어 아무도 로그인할 수 없습니다" : ""),
        do: hasJoined ? Self.joinKorean : Self.copyKorean)
    case .ended(let url, let isRequired):
      FindingText(
        "서명: \(url)의 키는 서버가 더 쓰지 않는다고 이 컴퓨터에 알린 키입니다"
          + (isRequired ? ". 서명된 승인이 모두 거부되어 아무도 로그인할 수 없습니다" : ""), do: Self.restoreKorean)
    case .coming(let path, let hasJoined):
      FindingText(
        (hasJoined
          ? "서명: 서버가 앞으로 서명할 키를 이 컴퓨터가 아직 모릅니다"
          : "서명: verdict_key \(path)에 서버가 앞으로 서명할 키가 없습니다")
          + ". 그때부터는 아무도 로그인할 수 없습니다", do: hasJoined ? Self.learnKorean : Self.copyKorean)
    case .same(let path): FindingText("서명: verdict_key \(path)은(는) 서버의 키입니다")
    }
  }
}
