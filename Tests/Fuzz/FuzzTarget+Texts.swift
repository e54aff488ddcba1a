import FidoResults
import UAFConfiguration
import UAFCrypto
import UAFDecoder

@testable import UAFClient
@testable import UAFHelper
@testable import UAFMessages

extension FuzzTarget {
  /// Text from others: for a screen, for a line of the log, and as a content type.
  static func text(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let limit = max(1, Int(bytes.first ?? 0) * 3)
    let shown = Text.cleaned(text, limit: limit)
    precondition(shown.unicodeScalars.count <= limit, "longer than allowed")
    precondition(shown.unicodeScalars.allSatisfy(isHarmless), "steers a terminal")
    precondition(Text.cleaned(shown, limit: limit) == shown, "cleaned, and still not clean")
    let marked = Text.marked(text, limit: limit)
    precondition(marked.unicodeScalars.count <= limit, "marked, and longer than allowed")
    precondition(Text.firstHidden(in: marked) == nil, "marked, and still not visible")
    precondition(Text.firstHidden(in: text) != nil || Text.marked(text) == text, "marks what is visible")
    var line = LogLine(.authenticate)
    line.add(.account, bytes)
    line.add(.detail, text)
    precondition(line.description.unicodeScalars.allSatisfy(isHarmless), "a line that steers a terminal")
    precondition(line.description.utf8.count { $0 == UInt8(ascii: "\"") } == 2, "two parts of a line run together")
    _ = MediaType.matches(text, [MediaType.uaf])
    _ = PasswdFile.name(of: 0, in: bytes)
  }

  static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
    default: true
    }
  }

  /// A text to be confirmed: the same at both ends, and within the limits of what is read and what is signed.
  static func transaction(_ bytes: [UInt8]) {
    for charset in [TransactionCharset.ascii, .utf8] {
      guard let text = TransactionText(bytes: bytes, in: charset) else { continue }
      precondition(TransactionText(sent: text.shown) == text, "another text at the other end")
      let isASCII = text.shown.utf8.allSatisfy { (0x20...0x7E).contains($0) }
      precondition(isASCII || charset == .utf8 && TransactionText.isShowable(text.shown), "not printable")
      precondition((1...TransactionText.maximumShown).contains(text.shown.utf8.count), "not to be read")
      let signed = try? text.signed(hash: SHA256.hash)
      precondition(signed.map { $0.utf8.count <= TransactionText.maximumSigned } ?? false, "not to be signed")
    }
    if let text = TransactionText(sent: String(decoding: bytes, as: UTF8.self)) {
      precondition(TransactionText(sent: text.shown) == text, "another text when it is sent again")
    }
  }

  /// What a server receives for verification: certificates, keys and signatures.
  static func certificate(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: [0xFF, 0x00, 0xFF], omittingEmptySubsequences: false).map { Array($0) }
    _ = try? CertificateChain.validate(parts, roots: [parts.last ?? []], at: 1_800_000_000)
    for part in parts { inspect(part, authority: parts.last ?? []) }
    if let signature = try? ECDSASignature(der: bytes) {
      precondition(signature.der == bytes, "a second form of a signature")
    }
    guard let first = parts[0].first else { return }
    let scheme = SignatureScheme.allCases[Int(first) % SignatureScheme.allCases.count]
    for encoding in PublicKeyEncoding.allCases where encoding.fits(scheme) {
      guard let key = try? VerificationKey(Array(parts[0].dropFirst()), encoding: encoding, scheme: scheme) else {
        continue
      }
      _ = key.isValidSignature(parts.last ?? [], of: bytes)
    }
  }

  /// Everything that is asked about a certificate, and about a file that should contain some.
  private static func inspect(_ bytes: [UInt8], authority: [UInt8]) {
    for certificate in (try? X509.certificates(pem: bytes)) ?? [] {
      precondition(X509.isCertificate(certificate), "reads what is none")
    }
    _ = try? X509.authority(pem: bytes)
    if let file = try? CertificateAuthorities(parsing: bytes) {
      let again = try? CertificateAuthorities(parsing: Array(file.pem.utf8))
      precondition(again?.certificates == file.certificates, "reads itself otherwise")
    }
    guard X509.isCertificate(bytes) else { return }
    _ = try? X509.serverEndPoint(der: bytes)
    _ = try? X509.uncheckedSubjectPublicKeyInfo(der: bytes)
    _ = try? X509.weakness(der: bytes)
    _ = (X509.isAuthority(der: bytes), try? X509.validity(der: bytes))
    _ = (try? X509.isFor("example.org", der: bytes), try? X509.isIssued(by: authority, der: bytes))
  }

  /// What is decoded because a server refused it: the result is printable lines, whatever the input is.
  static func decoder(_ bytes: [UInt8]) {
    guard let message = try? DecodedMessage(bytes) else { return }
    precondition(
      message.lines.joined(separator: "\n").unicodeScalars.allSatisfy { isHarmless($0) || $0 == "\n" },
      "steers a terminal")
  }
}
