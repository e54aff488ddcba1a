import UAFConfiguration
import Wording

/// What doctor says of the server.
enum ServerText: FindingCatalogue {
  case closed(path: String)
  case authorities(path: String, ConfigurationFileProblem)
  case noFetch(String)
  case unreachable(String, ServerSilence)
  case proxy(String, proxy: String, ServerSilence)
  case proxyRefuses(String, proxy: String, detail: String?)
  case certificate(String, host: String, CertificateCheck.Fault, ca: String?, detail: String?)
  case certificateEnds(String, days: Int64)
  case trusted(String, status: UInt16, days: Int64)
  case verified(String, status: UInt16)
  case unverified(String, status: UInt16)
  case clock(String)
  case clocksApart(String, seconds: Int, isFatal: Bool)
  case sandbox(missing: String)

  var english: FindingText {
    switch self {
    case .closed(let path): FindingText.asRoot("server: ca_file \(path)")
    case .authorities(let path, let problem):
      FindingText("server: ca_file \(path): \(problem.english)", do: "correct ca_file, or the file")
    case .noFetch(let origin):
      FindingText(
        "server: \(origin): uaf-fetch did not do its work", do: "the log says why; reinstall the libpam-uaf package")
    case .unreachable(let origin, let silence): silence.english(origin)
    case .proxy(let origin, let proxy, let silence):
      FindingText(
        "server: \(origin): by way of proxy \(proxy): \(silence.english(origin).what)",
        do: "correct server.proxy, or take it out where no proxy is needed")
    case .proxyRefuses(let origin, let proxy, let detail):
      FindingText(
        "server: \(origin): proxy \(proxy) does not let the request through" + (detail.map { " (\($0))" } ?? ""),
        do: "have the proxy let this machine reach the server without a password, or correct server.proxy")
    case .certificate(let origin, let host, let fault, let ca, let detail):
      CertificateWords(origin: origin, host: host, fault: fault, ca: ca, detail: detail).english
    case .certificateEnds(let origin, let days):
      FindingText(
        "server: \(origin): its certificate is valid for \(days) more days",
        do: "have it renewed, and restart uaf-server, or nobody can log in after that")
    case .trusted(let origin, let status, let days):
      FindingText("server: \(origin) answers (status \(status)), its certificate is trusted, for \(days) more days")
    case .verified(let origin, let status):
      FindingText("server: \(origin) answers (status \(status)), its certificate is trusted")
    case .unverified(let origin, let status):
      FindingText("server: \(origin) answers (status \(status)), its certificate was not checked")
    case .clock(let origin): FindingText("clock: as at \(origin)")
    case .clocksApart(let origin, let seconds, let isFatal):
      FindingText(
        "clock: \(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead of") that of \(origin)"
          + (isFatal ? ": every signed yes is refused" : ""),
        do: "set the clock that is wrong, for example with timedatectl set-ntp true")
    case .sandbox(let missing):
      FindingText(
        "fetch: its sandbox lacks \(missing) (feature and error number)",
        do: "logins work, with one wall less around the network; a newer kernel has it")
    }
  }

  var korean: FindingText {
    switch self {
    case .closed(let path): FindingText.asRootKorean("서버: ca_file \(path)")
    case .authorities(let path, let problem):
      FindingText("서버: ca_file \(path): \(problem.korean)", do: "ca_file 또는 그 파일을 바로잡으십시오")
    case .noFetch(let origin):
      FindingText(
        "서버: \(origin): uaf-fetch가 동작하지 않았습니다", do: "로그에서 이유를 확인하고 libpam-uaf 패키지를 다시 설치하십시오")
    case .unreachable(let origin, let silence): silence.korean(origin)
    case .proxy(let origin, let proxy, let silence):
      FindingText(
        "서버: \(origin): 프록시 \(proxy) 경유: \(silence.korean(origin).what)",
        do: "server.proxy를 바로잡거나, 프록시가 필요 없으면 지우십시오")
    case .proxyRefuses(let origin, let proxy, let detail):
      FindingText(
        "서버: \(origin): 프록시 \(proxy)이(가) 요청을 통과시키지 않습니다" + (detail.map { "(\($0))" } ?? ""),
        do: "이 컴퓨터가 비밀번호 없이 서버에 연결하도록 프록시에서 허용하거나 server.proxy를 바로잡으십시오")
    case .certificate(let origin, let host, let fault, let ca, let detail):
      CertificateWords(origin: origin, host: host, fault: fault, ca: ca, detail: detail).korean
    case .certificateEnds(let origin, let days):
      FindingText(
        "서버: \(origin): 인증서가 \(days)일 뒤에 만료됩니다",
        do: "갱신한 뒤 uaf-server를 다시 시작하십시오. 만료되면 아무도 로그인할 수 없습니다")
    case .trusted(let origin, let status, let days):
      FindingText("서버: \(origin): 응답합니다(상태 \(status)). 인증서를 신뢰하며 \(days)일 남았습니다")
    case .verified(let origin, let status): FindingText("서버: \(origin): 응답합니다(상태 \(status)). 인증서를 신뢰합니다")
    case .unverified(let origin, let status):
      FindingText("서버: \(origin): 응답합니다(상태 \(status)). 인증서는 확인하지 않았습니다")
    case .clock(let origin): FindingText("시계: \(origin)와(과) 같습니다")
    case .clocksApart(let origin, let seconds, let isFatal):
      FindingText(
        "시계: \(origin)보다 \(abs(seconds))초 \(seconds < 0 ? "느립니다" : "빠릅니다")"
          + (isFatal ? ". 서명된 승인이 모두 거부됩니다" : ""),
        do: "timedatectl set-ntp true 등으로 틀린 쪽의 시계를 맞추십시오")
    case .sandbox(let missing):
      FindingText(
        "fetch: 샌드박스에 \(missing)이(가) 없습니다(기능과 오류 번호)",
        do: "로그인은 되지만 네트워크를 둘러싼 보호가 하나 줄어듭니다. 더 새로운 커널에는 있습니다")
    }
  }
}
