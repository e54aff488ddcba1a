import Foundation
import Testing

@testable import Doctor

/// Sentences of the configuration's reader in Korean.
@Suite struct KoreanSettingProblemTests {
  @Test func `a sentence that is not known is replaced as a whole`() {
    #expect(KoreanSettingProblem.text("a brand-new sentence of the reader") == KoreanSettingProblem.unknown)
  }

  /// The texts in quotes of one source file, with those that are joined by `+` as one and `x` for what is put in between.
  private static func texts(of source: String) -> [String] {
    var joined = source.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("//") }.joined(
      separator: "\n")
    joined = joined.replacing(/"\n\+ "/, with: "")
    return joined.split(separator: "\n").flatMap { line -> [String] in
      var texts: [String] = []
      var text = ""
      var (isInside, depth, before): (Bool, Int, Character) = (false, 0, " ")
      for character in line {
        if depth > 0 {
          if character == "(" { depth += 1 }
          if character == ")" { depth -= 1 }
        } else if isInside, before == "\\", character == "(" {
          (text, depth) = (text.dropLast() + "x", 1)
        } else if character == "\"", before != "\\" {
          if isInside { texts.append(text) }
          (text, isInside) = ("", !isInside)
        } else if isInside {
          text.append(character)
        }
        before = before == "\\" && character == "\\" ? " " : character
      }
      return texts
    }.map { $0.replacing("\\\"", with: "\"").replacing("\\\\", with: "\\") }
  }

  /// Whether a text is a list of keys, a piece that stands in a sentence, or a sentence around a piece that stands here itself.
  private static func isPart(_ text: String) -> Bool {
    // The text without what stands around it is read on its own.
    let around = ["must be x", "the message must be x", "x: x", " in authenticators"]
    return around.contains(where: text.hasSuffix) || text.hasPrefix("authenticators, [server]") || text.hasPrefix(";")
      || text.hasPrefix("must be a table of languages, each with x") || text.hasPrefix("must be x, or a message")
      || text.hasPrefix("one of x, or an AAID") || text.hasPrefix("true")
      || !text.contains { $0.isLetter }
  }

  @Test func `every sentence that the reader can say has one in Korean`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/UAFConfiguration")
    let files =
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    let others = [
      "CertificateAuthorities.swift", "ConfigurationError.swift", "ConfigurationFileProblem.swift",
      "ConfiguredAuthenticator.swift",
    ]
    var seen = 0
    for file in files where file.pathExtension == "swift" && !others.contains(file.lastPathComponent) {
      for text in Self.texts(of: try String(contentsOf: file, encoding: .utf8)) where text.contains(" ") {
        if Self.isPart(text) { continue }
        seen += 1
        let isKnown = [text, "must be " + text].contains {
          KoreanSettingProblem.text($0) != KoreanSettingProblem.unknown
        }
        #expect(isKnown, "\(file.lastPathComponent): \(text)")
      }
    }
    #expect(seen > 60)
  }
}
