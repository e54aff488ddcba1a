// Purpose of this target: texts for people. It has the protocol for texts in two languages, the form of a finding, the system's
// errors as text, and the cleaning of text that others wrote. It may import only the C library and FidoResults, and knows
// neither commands nor files.

import FidoResults
import Glibc

/// A text of uafctl, in each language that ``Language`` lists.
///
/// Both languages of a text are in one file, each as a switch over every case. If one language lacks a text, the file does not
/// compile.
package protocol Catalogued<Words> {
  /// The form of a text: one text, or a text and what to do about it.
  associatedtype Words
  var english: Words { get }
  var korean: Words { get }
}

extension Catalogued {
  /// The text in one language.
  package func text(in language: Language) -> Words {
    switch language {
    case .english: english
    case .korean: korean
    }
  }
}

extension Catalogued<String> {
  /// The text in one language.
  ///
  /// In Korean it has the particles that fit the names in it.
  package func text(in language: Language) -> String {
    switch language {
    case .english: english
    case .korean: KoreanParticles.resolved(korean)
    }
  }
}

extension Catalogued<FindingText> {
  /// The text in one language.
  ///
  /// In Korean it has the particles that fit the names in it.
  package func text(in language: Language) -> FindingText {
    switch language {
    case .english: english
    case .korean: FindingText(KoreanParticles.resolved(korean.what), do: korean.remedy.map(KoreanParticles.resolved))
    }
  }
}

/// The text of a finding in one language.
package struct FindingText: Equatable {
  /// What was checked, and its state.
  package let what: String
  /// What to do about it; nil if nothing is wrong.
  package let remedy: String?

  /// - Parameter remedy: what to do, as an instruction without a full stop.
  package init(_ what: String, do remedy: String? = nil) {
    self.what = what
    self.remedy = remedy
  }

  /// The English text about something that was not checked because only root may check it.
  package static func asRoot(_ what: String) -> FindingText { FindingText(what, do: "run it as root") }
  /// The Korean text about something that was not checked because only root may check it.
  package static func asRootKorean(_ what: String) -> FindingText { FindingText(what, do: "root로 실행하십시오") }
}

/// Text that others wrote, cleaned for a terminal: without anything that could control it.
package enum ShownText {
  /// The text as one line.
  package static func line(_ text: String) -> String { Text.cleaned(text, limit: lineLimit) }

  // The names of a machine's accounts fit into a line; the thousands in a directory do not.
  private static let longestList = 8

  /// Names in one line, each cleaned.
  ///
  /// If there are many, only the first ones are named, and the others are counted.
  package static func names(_ names: [String], more: (Int) -> String) -> String {
    let shown = names.prefix(longestList).map(line).joined(separator: ", ")
    return names.count <= longestList ? shown : "\(shown), \(more(names.count - longestList))"
  }

  /// The text in several lines, each cleaned, without the empty ones.
  ///
  /// A space at the end, before the person's entry, is kept.
  package static func lines(_ text: String) -> String {
    // The text is split scalar by scalar, because in a String a carriage return and a line feed together are one character.
    let lines = text.unicodeScalars.split(separator: "\n").map { line(String($0)) }.filter { !$0.isEmpty }
    return lines.joined(separator: "\n") + (text.hasSuffix(" ") && !lines.isEmpty ? " " : "")
  }

  /// A JSON document or a token, unchanged except for bytes that neither can contain and that would control a terminal.
  package static func verbatim(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    kept.append(
      contentsOf: text.unicodeScalars.filter { scalar in
        scalar == "\n" || ![.control, .format].contains(scalar.properties.generalCategory)
      })
    return String(kept)
  }

  // A text in a packet has at most 4,096 bytes.
  private static let lineLimit = 4096
}

/// The system's error number as text.
package struct SystemReason: Catalogued, Equatable {
  /// The system's error number (`errno`).
  package let number: CInt

  /// The text for an `errno`.
  package init(_ number: CInt) { self.number = number }

  /// The C library's text for it.
  package var english: String {
    // SAFETY: strerror returns a NUL-terminated text for every number, and this program has one thread.
    unsafe String(cString: strerror(number))
  }

  /// The Korean text for it.
  ///
  /// The C library has none without its own catalogues, which are rarely installed on a server.
  package var korean: String { Self.koreanWords[number] ?? "시스템 오류 \(number)번" }

  private static let koreanWords: [CInt: String] = [
    EPERM: "허용되지 않은 작업입니다", ENOENT: "그런 파일이나 폴더가 없습니다", EINTR: "작업이 중단되었습니다",
    EIO: "입출력 오류입니다", EBADF: "열려 있지 않은 파일입니다", EAGAIN: "지금은 사용할 수 없습니다",
    ENOMEM: "메모리가 부족합니다", EACCES: "권한이 없습니다", EBUSY: "다른 곳에서 사용 중입니다",
    EEXIST: "이미 있습니다", ENOTDIR: "폴더가 아닙니다", EISDIR: "파일이 아니라 폴더입니다",
    EINVAL: "올바르지 않은 값입니다", ENFILE: "시스템에 열린 파일이 너무 많습니다", EMFILE: "열린 파일이 너무 많습니다",
    ENOTTY: "터미널이 아닙니다", EFBIG: "파일이 너무 큽니다", ENOSPC: "디스크에 남은 공간이 없습니다",
    EROFS: "읽기 전용 파일 시스템입니다", EPIPE: "받는 쪽이 닫혔습니다", ENAMETOOLONG: "이름이 너무 깁니다",
    ELOOP: "심볼릭 링크가 너무 많습니다", ENOEXEC: "실행할 수 없는 형식입니다", ECONNREFUSED: "연결이 거부되었습니다",
    ECONNRESET: "연결이 끊어졌습니다", ENOTSOCK: "소켓이 아닙니다", EPROTOTYPE: "다른 종류의 소켓입니다",
    EADDRINUSE: "주소를 이미 사용하고 있습니다", ETIMEDOUT: "시간이 초과되었습니다", EDQUOT: "디스크 할당량을 넘었습니다",
    ESTALE: "파일이 더 이상 유효하지 않습니다",
  ]
}
