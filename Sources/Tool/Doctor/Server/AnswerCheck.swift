import ChildProcess
import Glibc
import SecretMemory
import UAFConfiguration
import UAFMessages
import UAFWire
import Wording

/// Whether a UAF server of the configured dialect answers at an address.
struct AnswerCheck {
  let question: ServerQuestion
  let dialect: ServerSettings.Dialect

  /// The objection; nil for an answer that a UAF server gives.
  func objection(to answer: FetchAnswer) -> Finding? {
    let body = try? JSONValue(parsing: answer.body)
    guard !isUAF(body) else { return nil }
    let status = answer.response.status
    let place = AnswerText.Place(key: question.key, url: question.url.text, status: status)
    switch status {
    case 300...399:
      return .failure(.serverPath, AnswerText.redirected(place, to: answer.response.redirect?.url))
    case 404 where dialect == .plain && body != nil && question.kind != .response:
      return .warning(.serverPath, AnswerText.nothingOrNobody(place))
    case 404, 405, 410, 501: return .failure(.serverPath, AnswerText.nothingThere(place))
    case 406, 415: return .failure(.serverType, AnswerText.otherType(place))
    case 401, 403, 407: return .failure(.serverAnswer, AnswerText.forbidden(place))
    case 429: return .warning(.serverAnswer, AnswerText.busy(place))
    case 502, 503, 504: return .failure(.serverAnswer, AnswerText.away(place))
    case 200...299:
      if dialect == .plain, body != nil, question.kind == .response { return nil }
      return .failure(.serverAnswer, AnswerText.foreign(place, type: answer.response.contentType))
    // A server may refuse an empty request without a UAF status. But the request of a login is not empty.
    default: return question.kind == .login ? .failure(.serverAnswer, AnswerText.foreign(place, type: nil)) : nil
    }
  }

  /// Whether the server has nothing at the address.
  func isNothingThere(_ answer: FetchAnswer) -> Bool {
    [404, 405, 410, 501].contains(answer.response.status) && objection(to: answer)?.level == .failure
  }

  /// Whether the body has a UAF status or, in `plain`, a list of messages.
  ///
  /// Frameworks also answer `{"statusCode":404}`.
  private func isUAF(_ body: JSONValue?) -> Bool {
    switch body {
    // Each address of WebAuthn answers with an object, refusals included.
    case .object where dialect.isWebAuthn: true
    // An error of kanidm that needs no details.
    case .string: dialect == .kanidm
    case .object(let object):
      if case .integer(let status)? = object["statusCode"] { status >= 1000 } else { false }
    case .array: dialect == .plain
    default: false
    }
  }
}

/// One exchange through uaf-fetch, started as the core starts it.
struct FetchProbe {
  let path: String

  // Added to the time of the exchange: the time to start the program and its sandbox.
  private static let patienceMilliseconds: UInt32 = 5000

  /// The outcome; nil if the program cannot be started, ends early, or sends something that is not in docs/protocol.md.
  func exchange(_ request: FetchRequest) -> FetchAnswer? {
    guard let ends = try? PacketSocket.pair() else { return nil }
    guard let socket = try? PacketSocket(takingOver: ends.mine) else { return nil }
    let started = try? ChildProcess(starting: path, socket: ends.theirs)
    close(ends.theirs)
    guard let started else { return nil }
    let answer = try? Self.exchange(request, over: socket)
    _ = consume socket
    started.reap()
    return answer
  }

  private static func exchange(_ request: FetchRequest, over socket: borrowing PacketSocket) throws -> FetchAnswer {
    for packet in try request.packets() { try socket.send(packet) }
    var buffer = try Secret(capacity: WireLimit.packet + 1)
    let timeout = Int32(clamping: request.timeoutMilliseconds + patienceMilliseconds)
    let head = try socket.receive(into: &buffer, timeoutMilliseconds: timeout)
    var answer = FetchAnswer(
      response: try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketError) in try FetchResponse(head, bytes) })
    let total = Int(answer.response.bodyLength)
    while answer.body.count < total {
      let chunk = try socket.receive(into: &buffer, timeoutMilliseconds: Int32(patienceMilliseconds))
      try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketError) in
        try FetchChunk.append(chunk, bytes, to: &answer.body, total: total)
      }
    }
    return answer
  }
}

/// The result of one exchange: its head, and the body after it.
package struct FetchAnswer: Equatable {
  /// How the exchange ended.
  package var response: FetchResponse
  /// The body; empty without an answer.
  package var body: [UInt8] = []
}

/// uaf-fetch's texts, which are English: those of libcurl, of OpenSSL, or its own.
enum FetchWords {
  /// The quotation after a Korean text that does not say everything.
  static func quoted(_ detail: String?) -> String { detail.map { "(uaf-fetch: '\($0)')" } ?? "" }
}

/// Why a server did not answer.
struct ServerSilence: Catalogued, Equatable {
  let outcome: FetchOutcome
  /// uaf-fetch's text about it.
  let detail: String?

  init(_ outcome: FetchOutcome, detail: String?) {
    self.outcome = outcome
    self.detail = detail
  }

  /// Whether our text leaves open what happened.
  private var isVague: Bool {
    switch outcome {
    case .connectionLost, .ownMeans, .proxyRefused, .tlsFailed, .answered, .other: true
    case .nameNotResolved, .unreachable, .refused, .timedOut, .stalled, .certificateRefused, .unacceptableRequest,
      .tooLarge:
      false
    }
  }

  var english: FindingText {
    let (what, remedy): (String, String) =
      switch outcome {
      case .nameNotResolved:
        ("the name cannot be resolved", "correct the host in request_url, or the machine's name service")
      case .unreachable:
        ("the network is unreachable", "correct the host in request_url, or this machine's network")
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
    return FindingText(what + (detail.map { " (\($0))" } ?? ""), do: remedy)
  }

  var korean: FindingText {
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
    return FindingText(what + FetchWords.quoted(isVague ? detail : nil), do: remedy)
  }
}

/// Doctor's texts about the answer from an address.
enum AnswerText: FindingCatalogue {
  /// An address, and the HTTP status that it answered with.
  struct Place: Equatable {
    let key: String
    let url: String
    let status: UInt16
  }

  case understood(key: String)
  /// The configuration has no address for deregistrations.
  case noDeregistration
  case understoodWebAuthn(key: String)
  case redirected(Place, to: String?)
  case nothingThere(Place)
  case nothingOrNobody(Place)
  case otherType(Place)
  case forbidden(Place)
  case busy(Place)
  case away(Place)
  case foreign(Place, type: String?)
  case unfit(key: String, String)
  /// The server answers a request at the address that is configured for responses.
  case exchanged(key: String, other: String, url: String)
  /// Requests and responses go to one address.
  case same(key: String, other: String, url: String)
  /// They go to addresses that differ only in parts that many servers ignore.
  case alike(key: String, other: String, url: String, otherURL: String)
  /// They go to addresses that differ only in their hosts, which may be two names of one machine.
  case hosts(key: String, other: String, url: String, otherURL: String)

  var english: FindingText {
    switch self {
    case .exchanged(let key, let other, let url):
      FindingText(
        "server: \(key) and \(other) are swapped: the server answers a request at \(url)",
        do: "swap the two addresses in the configuration")
    case .same(let key, let other, let url):
      FindingText(
        "server: \(key) and \(other) are one address, \(url): a server that does not tell requests from responses there lets "
          + "nobody in",
        do: "write the server's address for requests into \(key), and the one for responses into \(other)")
    case .alike(let key, let other, let url, let otherURL):
      FindingText(
        "server: \(key) and \(other), \(url) and \(otherURL), differ in the query or in slashes alone: a server that does not "
          + "tell requests from responses by them lets nobody in",
        do: "where the server has an address for each, write them into \(key) and \(other)")
    case .hosts(let key, let other, let url, let otherURL):
      FindingText(
        "server: \(key) and \(other), \(url) and \(otherURL), may be one address: both hosts can be names of one. A server that "
          + "does not tell requests from responses there lets nobody in",
        do:
          "write one host into both, and the server's address for requests into \(key), the one for responses into \(other)"
      )
    case .understood(let key): FindingText("server: \(key) answers as a UAF server does")
    case .noDeregistration:
      FindingText("server: no address for deregistrations, so 'uafctl deregister' removes keys from this machine alone")
    case .understoodWebAuthn(let key): FindingText("server: \(key) answers as a WebAuthn server does")
    case .redirected(let place, let goal):
      FindingText(
        "server: \(place.key): \(place.url) redirects elsewhere (status \(place.status)), and uaf-fetch does not follow",
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
        "server: \(place.key): \(place.url) refuses requests of this machine (status \(place.status))",
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
    case .exchanged(let key, let other, let url):
      FindingText(
        "서버: 다음 두 설정의 주소가 서로 바뀌었습니다: \(key), \(other). 요청에 답하는 주소: \(url)",
        do: "설정에서 두 주소를 서로 바꾸십시오")
    case .same(let key, let other, let url):
      FindingText(
        "서버: 다음 두 설정의 주소가 같습니다: \(key), \(other): \(url). 그 주소에서 요청과 응답을 구별하지 않는 서버는 아무도 들여보내지 않습니다",
        do: "\(key)에는 요청을 받는 주소를, \(other)에는 응답을 받는 주소를 쓰십시오")
    case .alike(let key, let other, let url, let otherURL):
      FindingText(
        "서버: 다음 두 설정의 주소는 쿼리나 빗금만 다릅니다: \(key), \(other): \(url), \(otherURL). 그 차이로 요청과 응답을 구별하지 않는 서버는 "
          + "아무도 들여보내지 않습니다",
        do: "서버의 요청 주소와 응답 주소가 따로 있으면 \(key), \(other)에 각각 쓰십시오")
    case .hosts(let key, let other, let url, let otherURL):
      FindingText(
        "서버: 다음 두 설정의 주소가 같을 수 있습니다: \(key), \(other): \(url), \(otherURL). 두 호스트가 한 호스트의 두 이름일 수 있으며, 그 "
          + "주소에서 요청과 응답을 구별하지 않는 서버는 아무도 들여보내지 않습니다",
        do: "두 설정에 같은 호스트를 쓰고, \(key)에는 요청을 받는 주소를, \(other)에는 응답을 받는 주소를 쓰십시오")
    case .understood(let key): FindingText("서버: \(key): UAF 서버로서 응답합니다")
    case .noDeregistration: FindingText("서버: 등록 해지 주소가 없으므로 'uafctl deregister'는 이 컴퓨터에서만 키를 지웁니다")
    case .understoodWebAuthn(let key): FindingText("서버: \(key): WebAuthn 서버로서 응답합니다")
    case .redirected(let place, let goal):
      FindingText(
        "서버: \(place.key): \(place.url)은(는) 다른 곳을 가리키며(상태 \(place.status)) 따라가지 않습니다",
        do: "\(place.key)에 " + (goal.map { "\($0)처럼 " } ?? "") + "실제 주소를 쓰십시오")
    case .nothingThere(let place):
      FindingText(
        "서버: \(place.key): \(place.url)에 아무것도 없습니다(상태 \(place.status))",
        do: "\(place.key)을(를) 바로잡거나, server.dialect를 서버에 맞추십시오")
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
        "서버: \(key): 이 답으로는 로그인할 수 없습니다: '\(detail)'",
        do: "\(key)와(과) server.dialect를 바로잡으십시오. 서버 로그에 자세한 내용이 있습니다")
    }
  }
}
