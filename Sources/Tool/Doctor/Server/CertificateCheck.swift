import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFWire
import Wording

/// The server's certificate: how long it is valid, or why it is not.
struct CertificateCheck {
  /// Why a certificate is refused.
  enum Fault: Equatable {
    case expired(days: Int64)
    case notYetValid(days: Int64)
    case otherName
    case weak(X509.Weakness)
    /// Nothing else is wrong, so the fault must be with the issuer.
    case issuer
  }

  /// DER, as the server sent it.
  let certificate: [UInt8]
  /// The host of the configured address.
  let host: String
  /// Seconds since 1970.
  let now: Int

  private static let day: Int64 = 86_400
  /// With fewer days, somebody must act: automatic renewal happens earlier.
  private static let shortest: Int64 = 14

  /// The whole days that are left; nil if it cannot be read.
  var daysLeft: Int64? {
    guard let validity = try? X509.validity(der: certificate) else { return nil }
    return (validity.upperBound - Int64(now)) / Self.day
  }

  /// Whether it expires soon.
  var endsSoon: Bool { daysLeft.map { $0 < Self.shortest } ?? false }

  /// What is too weak about it; nil if it cannot be read.
  var weakness: X509.Weakness? { (try? X509.weakness(der: certificate)) ?? nil }

  /// Why it was refused, as far as the certificate itself shows it; nil if it cannot be read.
  var fault: Fault? {
    guard let validity = try? X509.validity(der: certificate) else { return nil }
    let now = Int64(now)
    if now > validity.upperBound { return .expired(days: (now - validity.upperBound) / Self.day) }
    if now < validity.lowerBound { return .notYetValid(days: (validity.lowerBound - now) / Self.day) }
    guard (try? X509.isFor(host, der: certificate)) == true else { return .otherName }
    if let weakness { return .weak(weakness) }
    return .issuer
  }
}

/// Doctor's texts about a refused certificate.
struct CertificateWords: FindingCatalogue {
  let origin: String
  let host: String
  let fault: CertificateCheck.Fault
  /// `ca_file`.
  let ca: String?
  /// uaf-fetch's text about it.
  let detail: String?

  private var suffix: String { detail.map { " (\($0))" } ?? "" }

  var english: FindingText {
    let start = "server: \(origin): its certificate is not trusted: "
    return switch fault {
    case .expired(let days):
      FindingText(
        "\(start)it expired \(days == 1 ? "1 day" : "\(days) days") ago by this machine's clock\(suffix)",
        do: "have it renewed, and restart uaf-server; or set this machine's clock")
    case .notYetValid(let days):
      FindingText(
        "\(start)it begins in \(days == 1 ? "1 day" : "\(days) days") by this machine's clock\(suffix)",
        do: "set this machine's clock")
    case .otherName:
      FindingText(
        "\(start)it is not for \(host)\(suffix)",
        do: "write the name that it is for into request_url, or have it issued for \(host)")
    case .weak(let weakness): FindingText("\(start)\(weakness.english)\(suffix)", do: X509.Weakness.remedy.english)
    case .issuer:
      FindingText(
        "\(start)who issued it is not in \(ca ?? "the system's authorities")\(suffix)",
        do: "name the server's authority with ca_file (uaf-server's is ca.pem of its state folder)")
    }
  }

  var korean: FindingText {
    let start = "서버: \(origin): 인증서를 신뢰하지 않습니다. "
    return switch fault {
    case .expired(let days):
      FindingText(
        "\(start)이 컴퓨터의 시계로 \(days)일 전에 만료되었습니다",
        do: "갱신한 뒤 uaf-server를 다시 시작하거나, 이 컴퓨터의 시계를 맞추십시오")
    case .notYetValid(let days):
      FindingText("\(start)이 컴퓨터의 시계로 \(days)일 뒤부터 유효합니다", do: "이 컴퓨터의 시계를 맞추십시오")
    case .otherName:
      FindingText(
        "\(start)\(host)의 인증서가 아닙니다",
        do: "인증서에 있는 이름을 request_url에 쓰거나, \(host)의 인증서를 발급받으십시오")
    case .weak(let weakness): FindingText("\(start)\(weakness.korean)", do: X509.Weakness.remedy.korean)
    case .issuer:
      FindingText(
        "\(start)발급자가 \(ca ?? "시스템의 인증 기관")에 없습니다\(FetchWords.quoted(detail))",
        do: "서버의 인증 기관을 ca_file에 적으십시오(uaf-server는 상태 폴더의 ca.pem)")
    }
  }
}

extension X509.Weakness {
  var english: String {
    switch self {
    case .key(let bits): "its key has \(bits) bits, which are too few"
    case .signature: "it is signed with a hash function that can be forged"
    }
  }

  var korean: String {
    switch self {
    case .key(let bits): "키가 \(bits)비트로 너무 짧습니다"
    case .signature: "위조할 수 있는 해시 함수로 서명되었습니다"
    }
  }

  /// The remedies.
  static let remedy = (
    english: "have it issued anew, with a key of P-256, or of RSA with 2048 bits or more, and SHA-256",
    korean: "P-256이나 2048비트 이상의 RSA 키와 SHA-256으로 다시 발급받으십시오"
  )
}

/// One origin of the server's addresses: it must be reachable, with a valid certificate and the right time.
struct OriginCheck {
  let server: ServerSettings
  /// Scheme, host and port.
  let origin: String
  let host: String
  /// Seconds since 1970, by this machine.
  let now: Int
  let line: ServerLine

  /// How many seconds clocks may differ: a signed success tolerates that much.
  private static let tolerance = 60

  func findings(_ answer: FetchAnswer) -> [Finding] {
    let response = answer.response
    let sandbox = response.missing.map { Finding.warning(.kernelFetch, ServerText.sandbox(missing: $0)) }
    guard response.outcome == .answered else { return [failure(response)] + [sandbox].compactMap(\.self) }
    return [certificate(response), weakness(response), clock(response), sandbox].compactMap(\.self)
  }

  private func failure(_ response: FetchResponse) -> Finding {
    if response.outcome == .certificateRefused { return .failure(.serverCertificate, certificateFault(response)) }
    let silence = ServerSilence(response.outcome, detail: response.detail)
    if let proxy = server.proxy?.text, response.outcome == .proxyRefused {
      return .failure(.serverProxy, ServerText.proxyRefuses(origin, proxy: proxy, detail: response.detail))
    }
    if let proxy = server.proxy?.text, Self.isOnTheWay(response.outcome) {
      return .failure(.serverProxy, ServerText.proxy(origin, proxy: proxy, silence))
    }
    return .failure(.serverUnreachable, ServerText.unreachable(origin, silence))
  }

  /// Whether the failure may be a proxy's, not the server's.
  private static func isOnTheWay(_ outcome: FetchOutcome) -> Bool {
    switch outcome {
    case .nameNotResolved, .refused, .unreachable, .timedOut, .connectionLost, .stalled, .other: true
    default: false
    }
  }

  private func certificate(_ response: FetchResponse) -> Finding {
    guard server.verifiesTLS else { return .ok(ServerText.unverified(origin, status: response.status)) }
    let check = CertificateCheck(certificate: response.certificate ?? [], host: host, now: now)
    guard let days = check.daysLeft else { return .ok(ServerText.verified(origin, status: response.status)) }
    return check.endsSoon
      ? .warning(.certificateEnds, ServerText.certificateEnds(origin, days: days))
      : .ok(ServerText.trusted(origin, status: response.status, days: days))
  }

  /// A certificate that other clients refuse, and that this client will refuse after its next update.
  private func weakness(_ response: FetchResponse) -> Finding? {
    guard server.verifiesTLS, let der = response.certificate,
      let weakness = CertificateCheck(certificate: der, host: host, now: now).weakness
    else { return nil }
    return .warning(.certificateWeak, ServerText.certificateWeak(origin, weakness))
  }

  /// Fetches the certificate again without verifying it: the server receives only a GET.
  private func certificateFault(_ response: FetchResponse) -> ServerText {
    let again = line.ask(.get(origin + "/", accept: "*/*"), isVerified: false)
    let certificate = response.certificate ?? again?.response.certificate ?? []
    let fault = CertificateCheck(certificate: certificate, host: host, now: now).fault ?? .issuer
    return .certificate(origin, host: host, fault, ca: server.certificateAuthorityFile, detail: response.detail)
  }

  private func clock(_ response: FetchResponse) -> Finding? {
    guard let date = response.date.map(Int.init) else { return nil }
    let ahead = now - date
    guard abs(ahead) > Self.tolerance else { return .ok(ServerText.clock(origin)) }
    let text = ServerText.clocksApart(origin, seconds: ahead, isFatal: server.requiresSignedVerdict)
    return server.requiresSignedVerdict ? .failure(.clockServer, text) : .warning(.clockServer, text)
  }
}

/// Doctor's texts about this client's FacetID and the server's list of facets.
enum FacetText: FindingCatalogue {
  case listed(String)
  case unread(String)
  case refused(String, String)
  /// The list could not be fetched, or is not valid.
  case noList(String)

  var english: FindingText {
    switch self {
    case .listed(let facet): FindingText("facet: \(facet), which the server takes")
    case .unread(let facet):
      FindingText("facet: \(facet), which the server's list has to have (uafctl facet)")
    case .refused(let facet, let detail):
      FindingText(
        "facet: \(facet): \(detail)",
        do: "put it into the server's list of facets (uafctl facet), or correct server.facet_id")
    case .noList(let detail):
      FindingText(
        "facet: the server's list could not be read: \(detail)",
        do: "have the address of the AppID answer with the list, and be reached from here")
    }
  }

  var korean: FindingText {
    switch self {
    case .listed(let facet): FindingText("facet: \(facet): 서버가 받아들입니다")
    case .unread(let facet): FindingText("facet: \(facet): 서버의 목록에 있어야 합니다(uafctl facet)")
    case .refused(let facet, let detail):
      FindingText(
        "facet: \(facet): 서버가 받아들이지 않습니다: '\(detail)'",
        do: "서버의 facet 목록에 넣거나(uafctl facet) server.facet_id를 바로잡으십시오")
    case .noList(let detail):
      FindingText(
        "facet: 서버의 목록을 읽을 수 없습니다: '\(detail)'", do: "AppID의 주소가 목록으로 답하고 여기에서 연결되도록 하십시오")
    }
  }
}
