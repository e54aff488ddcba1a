/// How a libpam puts the lines of a file together; each way was tried with the libpam that has it.
enum PAMReading: CaseIterable {
  /// libpam up to 1.5, as in Debian 12.
  case untilFive
  /// libpam from 1.6 on, as in Debian 13.
  case sinceSix

  /// The lines with content, in order; the last has no text where libpam refuses the file.
  func lines(of bytes: [UInt8]) -> [PAMFile.Line] {
    var lines: [PAMFile.Line] = []
    switch self {
    case .untilFive:
      var file = BufferedPAMLines(bytes)
      while let line = file.next() { lines.append(line) }
    case .sinceSix:
      var file = WholePAMLines(bytes)
      while let line = file.next() { lines.append(line) }
    }
    return lines
  }
}
