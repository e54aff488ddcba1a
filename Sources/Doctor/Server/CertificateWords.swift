import Wording

/// What doctor says of a certificate that is refused.
struct CertificateWords: FindingCatalogue {
  let origin: String
  let host: String
  let fault: CertificateCheck.Fault
  /// `ca_file`.
  let ca: String?
  /// What uaf-fetch says of it.
  let detail: String?

  private var suffix: String { detail.map { " (\($0))" } ?? "" }

  var english: FindingText {
    let start = "server: \(origin): its certificate is not trusted: "
    return switch fault {
    case .expired(let days):
      FindingText(
        "\(start)it expired \(days) days ago by this machine's clock\(suffix)",
        do: "have it renewed, and restart uaf-server; or set this machine's clock")
    case .notYetValid(let days):
      FindingText(
        "\(start)it begins in \(days) days by this machine's clock\(suffix)", do: "set this machine's clock")
    case .otherName:
      FindingText(
        "\(start)it is not for \(host)\(suffix)",
        do: "write the name that it is for into request_url, or have it issued for \(host)")
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
        "\(start)이 컴퓨터의 시계로 \(days)일 전에 만료되었습니다\(suffix)",
        do: "갱신한 뒤 uaf-server를 다시 시작하거나, 이 컴퓨터의 시계를 맞추십시오")
    case .notYetValid(let days):
      FindingText("\(start)이 컴퓨터의 시계로 \(days)일 뒤부터 유효합니다\(suffix)", do: "이 컴퓨터의 시계를 맞추십시오")
    case .otherName:
      FindingText(
        "\(start)\(host)의 인증서가 아닙니다\(suffix)",
        do: "인증서에 있는 이름을 request_url에 쓰거나, \(host)의 인증서를 발급받으십시오")
    case .issuer:
      FindingText(
        "\(start)발급자가 \(ca ?? "시스템의 인증 기관")에 없습니다\(suffix)",
        do: "서버의 인증 기관을 ca_file에 적으십시오(uaf-server는 상태 폴더의 ca.pem)")
    }
  }
}
