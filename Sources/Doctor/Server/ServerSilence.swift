import UAFWire
import Wording

/// Why a server did not answer.
struct ServerSilence: Equatable {
  let outcome: FetchOutcome
  /// What uaf-fetch says of it.
  let detail: String?

  init(_ outcome: FetchOutcome, detail: String?) {
    self.outcome = outcome
    self.detail = detail
  }

  private var suffix: String { detail.map { " (\($0))" } ?? "" }

  func english(_ origin: String) -> FindingText {
    let (what, remedy): (String, String) =
      switch outcome {
      case .nameNotResolved:
        ("the name cannot be resolved", "correct the host in request_url, or the machine's name service")
      case .unreachable:
        ("no network leads there", "correct the host in request_url, or this machine's network")
      case .refused:
        ("the connection was refused", "correct host and port in request_url; start the server; look at firewalls")
      case .timedOut:
        ("no answer within the time", "correct host and port in request_url; start the server; look at firewalls")
      case .connectionLost: ("the connection was lost", "check request_url, the server, and what lies between")
      case .stalled:
        ("connected, and no TLS within the time", "check the server, and what accepts connections in its place")
      case .ownMeans:
        (
          "this machine lacks what a connection needs",
          "look for limits on processes, descriptors and memory, and for who uses them up"
        )
      case .proxyRefused:
        ("the proxy does not let the request through", "correct server.proxy, or have the proxy let it through")
      case .tlsFailed: ("no TLS", "correct the port in request_url: the server must speak TLS 1.2 or newer there")
      case .certificateRefused: ("its certificate is not trusted", "name the server's authority with ca_file")
      case .unacceptableRequest:
        ("not an address uaf-fetch goes to", "request_url and response_url must begin with https://")
      case .tooLarge: ("its answer is too large", "correct request_url: no UAF server answers so much")
      case .answered, .other: ("failed", "look into the server's log")
      }
    return FindingText("server: \(origin): \(what)\(suffix)", do: remedy)
  }

  func korean(_ origin: String) -> FindingText {
    let (what, remedy): (String, String) =
      switch outcome {
      case .nameNotResolved: ("이름을 찾을 수 없습니다", "request_url의 호스트나 이 컴퓨터의 이름 서비스를 바로잡으십시오")
      case .unreachable:
        ("그곳으로 가는 네트워크가 없습니다", "request_url의 호스트나 이 컴퓨터의 네트워크를 바로잡으십시오")
      case .refused:
        ("연결이 거부되었습니다", "request_url의 호스트와 포트를 바로잡고, 서버를 시작하고, 방화벽을 살펴보십시오")
      case .timedOut:
        ("시간 안에 답이 없습니다", "request_url의 호스트와 포트를 바로잡고, 서버를 시작하고, 방화벽을 살펴보십시오")
      case .connectionLost: ("연결이 끊어졌습니다", "request_url과 서버, 그 사이를 살펴보십시오")
      case .stalled: ("연결되었으나 시간 안에 TLS가 이루어지지 않았습니다", "서버와, 그 자리에서 연결을 받는 것을 살펴보십시오")
      case .ownMeans:
        ("연결에 필요한 것이 이 컴퓨터에 부족합니다", "프로세스, 디스크립터, 메모리의 한도와 누가 다 쓰는지 살펴보십시오")
      case .proxyRefused: ("프록시가 요청을 통과시키지 않습니다", "server.proxy를 바로잡거나 프록시에서 허용하십시오")
      case .tlsFailed: ("TLS가 아닙니다", "request_url의 포트를 바로잡으십시오. 그곳의 서버는 TLS 1.2 이상이어야 합니다")
      case .certificateRefused: ("인증서를 신뢰하지 않습니다", "서버의 인증 기관을 ca_file에 적으십시오")
      case .unacceptableRequest:
        ("uaf-fetch가 가지 않는 주소입니다", "request_url과 response_url은 https://로 시작해야 합니다")
      case .tooLarge: ("답이 너무 큽니다", "request_url을 바로잡으십시오. UAF 서버의 답은 그렇게 크지 않습니다")
      case .answered, .other: ("실패했습니다", "서버의 로그를 살펴보십시오")
      }
    return FindingText("서버: \(origin): \(what)\(suffix)", do: remedy)
  }
}
