import UAFConfiguration
import UAFWire

/// What doctor says of the server.
enum ServerText: FindingCatalogue {
  case authorities(path: String, ConfigurationFileProblem)
  case facet(String)
  /// uaf-fetch did not keep to its protocol.
  case noWork(address: String)
  case failed(address: String, FetchOutcome, detail: String?)
  case answers(address: String, status: UInt32, isVerified: Bool)
  case fetchLacks(String)

  var english: FindingText {
    switch self {
    case .authorities(let path, let problem): FindingText("server: ca_file \(path): \(problem)", do: "correct ca_file")
    case .facet(let facet): FindingText("facet: \(facet), which the server's list has to have (uafctl facet)")
    case .noWork(let address):
      FindingText("server: \(address): uaf-fetch did not do its work", do: "the log says why; reinstall pam-uaf")
    case .failed(let address, let outcome, let detail):
      FindingText(
        "server: \(address): \(Self.english(outcome))\(detail.map { " (\($0))" } ?? "")", do: Self.englishRemedy(outcome))
    case .answers(let address, let status, let isVerified):
      FindingText(
        "server: \(address) answers (status \(status)), its certificate \(isVerified ? "is trusted" : "was not checked")")
    case .fetchLacks(let missing):
      FindingText(
        "fetch: its sandbox lacks \(missing) (feature and error number)",
        do: "logins work, with one wall less around the network; a newer kernel has it")
    }
  }

  var korean: FindingText {
    switch self {
    case .authorities(let path, let problem):
      FindingText("서버: ca_file \(path): \(problem.korean)", do: "ca_file을 바로잡으십시오")
    case .facet(let facet): FindingText("facet: \(facet), 서버의 목록에 있어야 합니다(uafctl facet)")
    case .noWork(let address):
      FindingText(
        "서버: \(address): uaf-fetch가 제대로 동작하지 않았습니다", do: "로그에 이유가 있습니다. pam-uaf를 다시 설치하십시오")
    case .failed(let address, let outcome, let detail):
      FindingText(
        "서버: \(address): \(Self.korean(outcome))\(detail.map { " (\($0))" } ?? "")", do: Self.koreanRemedy(outcome))
    case .answers(let address, let status, let isVerified):
      FindingText(
        "서버: \(address)에서 응답합니다(상태 \(status)). 인증서는 \(isVerified ? "신뢰할 수 있습니다" : "확인하지 않았습니다")")
    case .fetchLacks(let missing):
      FindingText(
        "fetch: 샌드박스에 \(missing)이(가) 없습니다(기능과 오류 번호)",
        do: "로그인은 되지만 네트워크를 둘러싼 보호가 하나 줄어듭니다. 더 새로운 커널에는 있습니다")
    }
  }

  private static func english(_ outcome: FetchOutcome) -> String {
    switch outcome {
    case .answered: "answered"
    case .nameNotResolved: "the name cannot be resolved"
    case .refused: "no connection"
    case .timedOut: "no answer within the time"
    case .tlsFailed: "no TLS"
    case .certificateRefused: "its certificate is not trusted"
    case .tooLarge: "its answer is too large"
    case .connectionLost: "the connection was lost"
    case .unacceptableRequest: "not an address uaf-fetch goes to"
    case .stalled: "connected, and no TLS within the time"
    case .ownMeans: "this machine lacks what a connection needs"
    case .other: "failed"
    }
  }

  private static func korean(_ outcome: FetchOutcome) -> String {
    switch outcome {
    case .answered: "응답했습니다"
    case .nameNotResolved: "이름을 찾을 수 없습니다"
    case .refused: "연결되지 않습니다"
    case .timedOut: "제시간에 응답하지 않습니다"
    case .tlsFailed: "TLS 연결이 되지 않습니다"
    case .certificateRefused: "인증서를 신뢰할 수 없습니다"
    case .tooLarge: "응답이 너무 큽니다"
    case .connectionLost: "연결이 끊어졌습니다"
    case .unacceptableRequest: "uaf-fetch가 연결할 수 없는 주소입니다"
    case .stalled: "연결은 되었으나 제시간에 TLS가 시작되지 않습니다"
    case .ownMeans: "이 컴퓨터에 연결에 필요한 자원이 없습니다"
    case .other: "실패했습니다"
    }
  }

  private static func englishRemedy(_ outcome: FetchOutcome) -> String {
    switch outcome {
    case .nameNotResolved: "check request_url, and the machine's name service"
    case .refused, .timedOut, .connectionLost: "check request_url, the server, and what lies between"
    case .stalled: "check the server, and what accepts connections in its place"
    case .ownMeans: "look for limits on processes, descriptors and memory, and for who uses them up"
    case .tlsFailed: "the server must speak TLS 1.2 or newer"
    case .certificateRefused: "name the server's authority with ca_file, or have the certificate corrected"
    case .unacceptableRequest: "request_url and response_url must begin with https://"
    case .answered, .tooLarge, .other: "look into the server's log"
    }
  }

  private static func koreanRemedy(_ outcome: FetchOutcome) -> String {
    switch outcome {
    case .nameNotResolved: "request_url과 이 컴퓨터의 이름 서비스를 확인하십시오"
    case .refused, .timedOut, .connectionLost: "request_url, 서버, 그 사이의 네트워크를 확인하십시오"
    case .stalled: "서버와, 서버 대신 연결을 받는 프로그램을 확인하십시오"
    case .ownMeans: "프로세스, 디스크립터, 메모리의 한도와 이를 다 쓰는 프로그램을 확인하십시오"
    case .tlsFailed: "서버가 TLS 1.2 이상을 사용해야 합니다"
    case .certificateRefused: "서버의 인증 기관을 ca_file에 적거나 인증서를 바로잡으십시오"
    case .unacceptableRequest: "request_url과 response_url은 https://로 시작해야 합니다"
    case .answered, .tooLarge, .other: "서버의 로그를 살펴보십시오"
    }
  }
}
