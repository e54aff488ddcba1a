import Wording

/// What doctor says of this client's FacetID and the server's list of facets.
enum FacetText: FindingCatalogue {
  case listed(String)
  case unread(String)
  case refused(String, String)
  /// The list could not be fetched, or is none.
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
        "facet: \(facet): \(detail)", do: "서버의 facet 목록에 넣거나(uafctl facet) server.facet_id를 바로잡으십시오")
    case .noList(let detail):
      FindingText(
        "facet: 서버의 목록을 읽을 수 없습니다: \(detail)", do: "AppID의 주소가 목록으로 답하고 여기에서 연결되도록 하십시오")
    }
  }
}
