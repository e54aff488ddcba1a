/// A form of a page.
struct PageForm: Equatable {
  let title: String
  let action: String
  let button: String
  var fields: [PageField] = []
  /// Whether it only asks for a page: such a form is sent with GET.
  var isSearch = false
  /// Whether it takes something away.
  var isDangerous = false
  /// Whether it has a file.
  var isUpload = false

  /// As the template reads it.
  ///
  /// - Parameters:
  ///   - number: no other form of the page has it.
  ///   - csrf: the session's token against forged requests.
  func context(number: Int, csrf: String) -> [String: Any] {
    [
      "formTitle": title, "id": "form-\(number)", "action": action, "button": button, "isDangerous": isDangerous,
      "isPost": !isSearch, "isUpload": isUpload, "method": isSearch ? "get" : "post", "csrf": csrf,
      "fields": fields.enumerated().map { $1.context(id: "field-\(number)-\($0)") },
    ]
  }
}
