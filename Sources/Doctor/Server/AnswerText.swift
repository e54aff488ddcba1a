import Wording

/// What doctor says of what answers at an address.
enum AnswerText: FindingCatalogue {
  /// An address, and the HTTP status it answered with.
  struct Place: Equatable {
    let key: String
    let url: String
    let status: UInt16
  }

  case understood(key: String)
  case redirected(Place, to: String?)
  case nothingThere(Place)
  case nothingOrNobody(Place)
  case otherType(Place)
  case forbidden(Place)
  case busy(Place)
  case away(Place)
  case foreign(Place, type: String?)
  case unfit(key: String, String)

  var english: FindingText {
    switch self {
    case .understood(let key): FindingText("server: \(key) answers as a UAF server does")
    case .redirected(let place, let goal):
      FindingText(
        "server: \(place.key): \(place.url) leads elsewhere (status \(place.status)), and nobody follows",
        do: "write where it leads" + (goal.map { ", \($0)," } ?? "") + " into \(place.key)")
    case .nothingThere(let place):
      FindingText(
        "server: \(place.key): nothing answers at \(place.url) (status \(place.status))",
        do: "correct \(place.key), or server.dialect where that is not the server's")
    case .nothingOrNobody(let place):
      FindingText(
        "server: \(place.key): nothing answers at \(place.url), or the server says so of an account it does not know "
          + "(status 404)", do: "compare \(place.key) with the server's manual")
    case .otherType(let place):
      FindingText(
        "server: \(place.key): \(place.url) does not take what is sent there (status \(place.status))",
        do: "correct server.content_type, or server.dialect")
    case .forbidden(let place):
      FindingText(
        "server: \(place.key): \(place.url) does not let this machine ask (status \(place.status))",
        do: "have the server, or the proxy before it, take requests without a log-in of their own")
    case .busy(let place):
      FindingText(
        "server: \(place.key): \(place.url) has been asked too often (status 429)", do: "run it again in a minute")
    case .away(let place):
      FindingText(
        "server: \(place.key): the server behind \(place.url) is away (status \(place.status))",
        do: "start the server (systemctl start uaf-server), or correct what stands before it")
    case .foreign(let place, let type):
      FindingText(
        "server: \(place.key): \(place.url) answers with no UAF message (status \(place.status)"
          + (type.map { ", \($0)" } ?? "") + ")", do: "correct \(place.key), or server.dialect")
    case .unfit(let key, let detail):
      FindingText(
        "server: \(key): no login could follow the answer: \(detail)",
        do: "correct \(key) and server.dialect; the server's log says more")
    }
  }

  var korean: FindingText {
    switch self {
    case .understood(let key): FindingText("서버: \(key): UAF 서버로서 응답합니다")
    case .redirected(let place, let goal):
      FindingText(
        "서버: \(place.key): \(place.url)은(는) 다른 곳을 가리키며(상태 \(place.status)) 따라가지 않습니다",
        do: "\(place.key)에 " + (goal.map { "\($0)처럼 " } ?? "") + "실제 주소를 쓰십시오")
    case .nothingThere(let place):
      FindingText(
        "서버: \(place.key): \(place.url)에 아무것도 없습니다(상태 \(place.status))",
        do: "\(place.key)을(를) 바로잡거나, 서버와 다르면 server.dialect를 바로잡으십시오")
    case .nothingOrNobody(let place):
      FindingText(
        "서버: \(place.key): \(place.url)에 아무것도 없거나, 서버가 모르는 계정에 그렇게 답합니다(상태 404)",
        do: "\(place.key)을(를) 서버 설명서와 비교하십시오")
    case .otherType(let place):
      FindingText(
        "서버: \(place.key): \(place.url)은(는) 보내는 형식을 받지 않습니다(상태 \(place.status))",
        do: "server.content_type 또는 server.dialect를 바로잡으십시오")
    case .forbidden(let place):
      FindingText(
        "서버: \(place.key): \(place.url)은(는) 이 컴퓨터의 요청을 허용하지 않습니다(상태 \(place.status))",
        do: "서버나 그 앞의 프록시가 별도 로그인 없이 요청을 받게 하십시오")
    case .busy(let place):
      FindingText("서버: \(place.key): \(place.url)에 너무 자주 물었습니다(상태 429)", do: "1분 뒤에 다시 실행하십시오")
    case .away(let place):
      FindingText(
        "서버: \(place.key): \(place.url) 뒤의 서버가 응답하지 않습니다(상태 \(place.status))",
        do: "서버를 시작하거나(systemctl start uaf-server) 그 앞단을 바로잡으십시오")
    case .foreign(let place, let type):
      FindingText(
        "서버: \(place.key): \(place.url)의 답은 UAF 메시지가 아닙니다(상태 \(place.status)"
          + (type.map { ", \($0)" } ?? "") + ")", do: "\(place.key) 또는 server.dialect를 바로잡으십시오")
    case .unfit(let key, let detail):
      FindingText(
        "서버: \(key): 이 답으로는 로그인할 수 없습니다: \(detail)",
        do: "\(key)와(과) server.dialect를 바로잡으십시오. 서버 로그에 자세한 내용이 있습니다")
    }
  }
}
