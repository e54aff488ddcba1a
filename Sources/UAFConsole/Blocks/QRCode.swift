import CQREncode

/// A QR code of a text: rows of light and dark modules.
package struct QRCode: Equatable, Sendable {
  /// How many modules a row has.
  let width: Int
  /// Row by row; true is dark.
  let modules: [Bool]

  /// Light modules around it (ISO/IEC 18004).
  private static let margin = 4

  /// Makes a code of the lowest level of correction: payloads are long, and screens are not dirty.
  ///
  /// - Returns: nil for a text that is empty or has more than 2,953 bytes.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { return nil }
    // SAFETY: the library reads as many bytes as it is told, and keeps none of them.
    guard let code = unsafe QRcode_encodeData(CInt(clamping: bytes.count), bytes, 0, QR_ECLEVEL_L) else { return nil }
    defer { unsafe QRcode_free(code) }
    let width = unsafe Int(code.pointee.width)
    // SAFETY: a code has width × width modules, which live until it is freed.
    let data = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
    self.width = width
    modules = unsafe data.map { $0 & 1 == 1 }
  }

  private func isDark(_ row: Int, _ column: Int) -> Bool {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
    return modules[row * width + column]
  }

  /// The side of the picture, in modules.
  var side: Int { width + 2 * Self.margin }

  /// The dark modules as a path of SVG, one rectangle for each run.
  var path: String {
    var path = ""
    for row in 0..<width {
      var column = 0
      while column < width {
        let start = column
        while isDark(row, column) { column += 1 }
        if column > start {
          path += "M\(start + Self.margin) \(row + Self.margin)h\(column - start)v1h-\(column - start)z"
        } else {
          column += 1
        }
      }
    }
    return path
  }

  /// The code as text for a terminal, two rows a line: dark on light, whatever the terminal's colours are.
  package var terminalText: String {
    let range = -Self.margin..<width + Self.margin
    return stride(from: -Self.margin, to: width + Self.margin, by: 2).map { row in
      let line = range.map { column in
        switch (isDark(row, column), isDark(row + 1, column)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }
      return "\u{1B}[30;107m\(line.joined())\u{1B}[0m"
    }.joined(separator: "\n")
  }
}
