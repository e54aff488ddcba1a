// Purpose: the file of authorities, as the core and doctor read it. Only the text between BEGIN and END of its certificates is
// used; the rest is a comment, in any characters.

import Glibc
import UAFCrypto

/// The authorities that may issue a server's certificate, as root's file names them.
public struct CertificateAuthorities: Equatable, Sendable {
  /// The largest file, in bytes: several times the bundle of a distribution.
  public static let maximumSize = 1024 * 1024

  /// Only the certificates, in PEM with lines of 64 characters.
  ///
  /// Two files that differ in comments give the same text.
  public let pem: String
  /// The same certificates in DER.
  public let certificates: [[UInt8]]

  /// The labels that OpenSSL accepts for a certificate.
  ///
  /// The last one contains restrictions of its trust, so it is kept unchanged.
  private static let labels = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]
  private static let lineLength = 64

  /// Reads the file under the rules of ``ConfigurationFile``.
  ///
  /// - Throws: ``ConfigurationFileProblem``, as ``init(parsing:)``.
  public static func read(
    path: String, requiredOwner: UInt32 = 0
  ) throws(ConfigurationFileProblem) -> CertificateAuthorities {
    try CertificateAuthorities(
      parsing: ConfigurationFile.read(path: path, requiredOwner: requiredOwner, limit: maximumSize))
  }

  /// Reads the certificates of a file.
  ///
  /// As for OpenSSL, a certificate begins only at the start of a line, so one that is commented out does not count. A byte
  /// order mark may come before the first.
  ///
  /// - Throws: ``ConfigurationFileProblem`` for a file without a certificate, and for one with a certificate that cannot be read:
  ///   no certificate is skipped.
  public init(parsing bytes: [UInt8]) throws(ConfigurationFileProblem) {
    var pem = ""
    var certificates: [[UInt8]] = []
    var open: (label: String, line: Int, base64: [UInt8])?
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    for (number, line) in Self.lines(bytes[(bytes.starts(with: mark) ? mark.count : 0)...]) {
      guard var block = open else {
        if let label = Self.labels.first(where: { line.elementsEqual("-----BEGIN \($0)-----".utf8) }) {
          open = (label, number, [])
        }
        continue
      }
      guard line.elementsEqual("-----END \(block.label)-----".utf8) else {
        guard line.allSatisfy(Self.isBase64) else { throw .badCertificate(line: block.line) }
        block.base64 += line
        open = block
        continue
      }
      let text = Self.block(block.label, block.base64)
      do throws(CryptoError) { certificates.append(try X509.authority(pem: Array(text.utf8))) } catch {
        throw error == .invalidCertificate ? .badCertificate(line: block.line) : .system(ENOMEM)
      }
      pem += text
      open = nil
    }
    if let open { throw .badCertificate(line: open.line) }
    guard !certificates.isEmpty else { throw Self.reason(bytes) }
    self.pem = pem
    self.certificates = certificates
  }

  /// Why a file contains no certificate in PEM.
  private static func reason(_ bytes: [UInt8]) -> ConfigurationFileProblem {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return .isUTF16 }
    return X509.isCertificate(bytes) ? .isDER : .noCertificate
  }

  /// The lines with their numbers from 1, without white space at their ends, with the line ends of Unix, Windows or an old
  /// Macintosh.
  private static func lines(_ bytes: ArraySlice<UInt8>) -> [(Int, ArraySlice<UInt8>)] {
    var lines: [(Int, ArraySlice<UInt8>)] = []
    var start = bytes.startIndex
    var number = 1
    for index in bytes.startIndex...bytes.endIndex {
      let isEnd = index == bytes.endIndex
      guard isEnd || bytes[index] == 0x0A || bytes[index] == 0x0D else { continue }
      let isWindows = !isEnd && bytes[index] == 0x0A && index > bytes.startIndex && bytes[index - 1] == 0x0D
      if !isWindows {
        let end = bytes[start..<index].lastIndex { $0 != 0x20 && $0 != 0x09 }
        lines.append((number, bytes[start..<(end.map { $0 + 1 } ?? start)]))
        number += 1
      }
      start = index + 1
    }
    return lines
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
      true
    default: false
    }
  }

  private static func block(_ label: String, _ base64: [UInt8]) -> String {
    var text = "-----BEGIN \(label)-----\n"
    for start in stride(from: 0, to: base64.count, by: lineLength) {
      text += String(decoding: base64[start..<min(start + lineLength, base64.count)], as: UTF8.self) + "\n"
    }
    return text + "-----END \(label)-----\n"
  }
}
