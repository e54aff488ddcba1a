import Testing

@testable import UAFConsole

struct MultipartFormTests {
  private static let type = "multipart/form-data; boundary=b"
  private static let field = "Content-Disposition: form-data; name=\"x\"\r\n\r\n"

  private func form(_ body: String, type: String? = type) -> MultipartForm? {
    MultipartForm(Array(body.utf8), type: type)
  }

  @Test func `reads a multipart form as browsers send it, including a file with arbitrary bytes`() {
    let head =
      "--b\r\nContent-Disposition: form-data; name=\"list\"; filename=\"a \\\"b.csv\"\r\nContent-Type: text/csv\r\n\r\n"
    let file: [UInt8] = [0, 255, 13, 10, 45, 45, 13, 10]
    let tail = "\r\n--b\r\ncontent-disposition: form-data; name=\"csrf\"\r\n\r\n\r\n--b--\r\n"
    let form = MultipartForm(Array(head.utf8) + file + Array(tail.utf8), type: Self.type)
    #expect(form?.parts == ["list": file, "csrf": []])
  }

  @Test(arguments: [
    "", "--b", "--b--", "--b--\r\n", "--c\r\n\(field)1\r\n--c--", "\r\n--b\r\n\(field)1\r\n--b--",
    "x--b\r\n\(field)1\r\n--b--", "--b\r\n\(field)1\r\n--b", "--b\r\n\(field)1--b--", "--b\r\n\(field)1\r\n--b--x",
    "--b\r\n\(field)1\r\n--b--\r\n\r\n", "--b\n\(field)1\r\n--b--", "--b \r\n\(field)1\r\n--b--",
    "--b\r\n\(field)1\r\n--b\r\n\(field)2\r\n--b--",
  ]) func `refuses a multipart body that is cut, has more around it, or repeats a name`(body: String) {
    #expect(form(body) == nil)
  }

  @Test(arguments: [
    "", "X: y\r\n", "Content-Disposition: form-data\r\n", "Content-Disposition: form-data; name=\"\"\r\n",
    "Content-Disposition: form-data; name=\"a b\"\r\n", "Content-Disposition: form-data; name=\"a\r\n",
    "Content-Disposition: attachment; name=\"a\"\r\n", "Content-Disposition: form-data; name=\"a\"; x=y\r\n",
    "Content-Disposition: form-data; name=\"\(String(repeating: "a", count: 33))\"\r\n",
    "Content-Disposition: form-data; name=\"a\"\r\nContent-Disposition: form-data; name=\"a\"\r\n",
    "Content-Disposition: form-data; name=\"a\"\r\nContent-Transfer-Encoding: base64\r\n",
    "Content-Disposition: form-data; name=\"a\"; filename=\"\(String(repeating: "f", count: 2000))\"\r\n",
  ]) func `refuses a part of a multipart form without a name of its own, and with headers that no browser sends`(
    headers: String
  ) {
    #expect(form("--b\r\n\(headers)\r\n1\r\n--b--") == nil)
  }

  @Test func `refuses more parts of a multipart form than any form has`() {
    let parts = "abcdefghi".map { "--b\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\r\n" }
    #expect(form(parts.dropLast().joined() + "--b--")?.parts.count == MultipartForm.most)
    #expect(form(parts.joined() + "--b--") == nil)
  }

  @Test(arguments: [
    nil, "application/x-www-form-urlencoded", "multipart/mixed; boundary=b", "multipart/form-data",
    "multipart/form-data; boundary=", "multipart/form-data; boundary=\"b\"", "multipart/form-data; boundary=b; x=y",
    "multipart/form-data; boundary=\(String(repeating: "b", count: 71))",
  ]) func `refuses a multipart form with a different media type, or with a boundary that no browser chooses`(
    type: String?
  ) {
    let boundary = type?.split(separator: "=").last.map(String.init) ?? "b"
    #expect(form("--\(boundary)\r\n\(Self.field)1\r\n--\(boundary)--", type: type) == nil)
    #expect(form("--b\r\n\(Self.field)1\r\n--b--", type: type) == nil)
  }

  @Test func `refuses a field of a multipart form that is not a file and whose bytes are not text`() throws {
    let body = Array("--b\r\n\(Self.field)".utf8) + [0xFF] + Array("\r\n--b--".utf8)
    #expect(FormFields(try #require(MultipartForm(body, type: Self.type))) == nil)
  }
}
