@testable import UAFConsole

extension FuzzTarget {
  /// What browsers send to the console: a line with the media type, and the body.
  static func multipart(_ bytes: [UInt8]) {
    let type = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    let body = Array(bytes.drop { $0 != 0x0A }.dropFirst())
    _ = FormFields(body)
    guard let form = MultipartForm(body, type: type) else { return }
    precondition((1...MultipartForm.most).contains(form.parts.count), "more parts than a form has")
    let isName = form.parts.keys.allSatisfy { name in
      (1...32).contains(name.utf8.count)
        && name.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    }
    precondition(isName, "no name of a field")
    precondition(form.parts.values.reduce(0) { $0 + $1.count } < body.count, "more than was sent")
    precondition(MultipartForm(written(form, type), type: type) == form, "reads itself otherwise")
    guard let fields = FormFields(form) else { return }
    precondition(fields.file == form.parts[FormFields.fileName] ?? [], "another file")
    for name in form.parts.keys where name != FormFields.fileName {
      precondition(Array(fields[name].utf8) == form.parts[name], "another text")
    }
  }

  /// The form as a browser writes it.
  private static func written(_ form: MultipartForm, _ type: String) -> [UInt8] {
    let boundary = "--" + type.drop { $0 != "=" }.dropFirst()
    var bytes: [UInt8] = []
    for (name, content) in form.parts {
      bytes += Array("\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n".utf8)
      bytes += content + [0x0D, 0x0A]
    }
    return bytes + Array("\(boundary)--\r\n".utf8)
  }
}
