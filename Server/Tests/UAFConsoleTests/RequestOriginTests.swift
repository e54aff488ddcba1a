import Testing
import WebMessages

@testable import UAFConsole

struct RequestOriginTests {
  private func isOwn(origin: String?, site: String?) -> Bool {
    var fields = [("Host", "console.test:8444")]
    if let origin { fields.append(("Origin", origin)) }
    if let site { fields.append(("Sec-Fetch-Site", site)) }
    return RequestOrigin.isOwn(
      WebRequest(method: .POST, target: "/console", headers: .init(fields), body: .init(string: ""), peer: nil))
  }

  @Test(
    arguments: [
      ("https://console.test:8444", nil), ("https://console.test:8444", "same-origin"), ("null", "same-origin"),
      (nil, "same-origin"),
    ] as [(String?, String?)]) func `accepts a form that a page of this server sends`(origin: String?, site: String?)
  {
    #expect(isOwn(origin: origin, site: site))
  }

  @Test(
    arguments: [
      (nil, nil), ("null", nil), ("https://console.test", nil), ("http://console.test:8444", nil),
      ("https://evil.test", "same-origin"), ("https://console.test:8444", "cross-site"), ("null", "same-site"),
      (nil, "none"),
    ] as [(String?, String?)]) func `refuses a form that a different site or an unknown sender sends`(
      origin: String?, site: String?
    )
  {
    #expect(!isOwn(origin: origin, site: site))
  }
}
