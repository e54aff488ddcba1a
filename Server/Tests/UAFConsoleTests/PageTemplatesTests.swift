import Testing

@testable import UAFConsole

struct PageTemplatesTests {
  private static let hostile = #"<script>alert(1)</script>"'&"# + String(repeating: "x", count: 2000)

  /// Scalars that form one character with the character before or after them.
  private static let clustered = ["<", ">", "&", "\"", "'"].flatMap { mark in
    ["\u{600}\(mark)", "\u{D4E}\(mark)", "\(mark)\u{301}", "\(mark)\u{200D}", "\u{600}\(mark)\u{301}"]
  }

  static let blocks = blocks(showing: hostile)

  private static func blocks(showing hostile: String) -> [PageBlock] {
    [
      .heading(hostile), .paragraph(hostile), .warning(hostile), .aside(hostile), .facts([(hostile, hostile)]),
      .code(hostile, label: hostile, copy: CopyButton(.english)), .code(hostile, label: hostile, copy: nil),
      .table(
        PageTable(
          caption: hostile, columns: [hostile], rows: [[PageCell(hostile)], [PageCell(hostile, link: hostile)]],
          empty: hostile, next: PageCell(hostile, link: hostile))),
      .table(PageTable(caption: hostile, columns: [hostile], rows: [], empty: hostile)),
      .form(
        PageForm(
          title: hostile, action: hostile, button: hostile,
          fields: [
            PageField(name: hostile, label: hostile, value: hostile), .hidden(hostile, hostile),
            PageField(name: hostile, label: hostile, kind: .number, value: hostile),
            PageField(name: hostile, label: hostile, kind: .lines, value: hostile),
            PageField(name: hostile, label: hostile, kind: .file, value: hostile),
            PageField(name: hostile, label: hostile, kind: .choice([(hostile, hostile)]), value: hostile),
          ])),
      .details([
        (hostile, PageCell(hostile, note: hostile)), (hostile, PageCell(hostile, kind: .id(CopyButton(.korean)))),
        (hostile, PageCell(hostile, kind: .state(PageState(word: hostile, tone: .bad, icon: .ban)), note: hostile)),
      ]),
      .table(
        PageTable(
          caption: hostile, columns: [hostile, hostile],
          rows: [
            [
              PageCell(hostile, kind: .button(action: hostile, field: .hidden(hostile, hostile))),
              PageCell(
                hostile, kind: .actions([PageAction(text: hostile, link: hostile, icon: .key)], title: hostile)),
            ]
          ], empty: hostile, count: hostile, order: TableOrder("1", columns: 2, page: hostile),
          picking: RowPicking(
            rows: [(hostile, hostile)], buttons: [.init(path: hostile, text: hostile, isDangerous: true)],
            title: hostile))),
      .search(
        PageSearch(
          action: hostile, button: hostile, box: PageField(name: hostile, label: hostile, value: hostile),
          chips: [.init(text: hostile, link: hostile, isChosen: true)], chipTitle: hostile, moreTitle: hostile,
          more: [PageField(name: hostile, label: hostile, value: hostile)], kept: [.hidden(hostile, hostile)])),
      .chips([.init(text: hostile, link: hostile, isChosen: false)], title: hostile),
      .links([PageAction(text: hostile, link: hostile)], title: hostile),
      .notes(
        [PageNote(count: hostile, text: hostile, link: hostile, tone: .warn, icon: .clock)], title: hostile,
        empty: hostile),
      .plot(
        BarPlot(
          title: hostile, asTable: hostile, columns: [hostile], bars: [BarPlot.Bar(label: hostile, good: 1, refused: 2)]
        )),
    ]
  }

  @Test(arguments: blocks.indices) func `a page shows markup in every field as text`(index: Int) throws {
    let page = try Self.page(of: Self.blocks[index], showing: Self.hostile)
    #expect(!page.contains("<script"))
    #expect(!page.contains(#""'&x"#))
    #expect(page.contains("&lt;script&gt;"))
  }

  @Test(arguments: blocks.indices)
  func `a page shows markup as text even if it is part of a character of several scalars`(index: Int) throws {
    let plain = try Self.page(of: Self.blocks(showing: "x")[index], showing: "x")
    for text in Self.clustered {
      let page = try Self.page(of: Self.blocks(showing: text)[index], showing: text)
      for mark in "<>\"'".unicodeScalars {
        let counts = [plain, page].map { $0.unicodeScalars.count { $0 == mark } }
        #expect(counts[0] == counts[1], "\(mark) in \(text.unicodeScalars.map(\.value))")
      }
    }
  }

  @Test(arguments: blocks.indices) func `a page shows invisible characters, and those that reverse a text, as numbers`(
    index: Int
  ) throws {
    let text = "a\u{202E}b\u{200B}c"
    let page = try Self.page(of: Self.blocks(showing: text)[index], showing: text)
    let shown = page.replacing(#/(value|name|id|for)="[^"]*"|>[^<]*<\/(textarea|option|label)>/#, with: "")
    #expect(!shown.unicodeScalars.contains("\u{202E}") && !shown.unicodeScalars.contains("\u{200B}"))
    #expect(shown.contains("a[U+202E]b[U+200B]c"))
  }

  @Test func `a form sends back exactly the values that it was given`() throws {
    let text = "a\u{202E}b"
    let form = PageForm(title: "t", action: "/", button: "b", fields: [.hidden("id", text)])
    #expect(try Self.page(of: .form(form), showing: "x").contains("value=\"\(text)\""))
  }

  @Test func `the console's pages have neither inline scripts nor inline styles`() throws {
    let page = try PageTemplates.render(["blocks": Self.blocks.map { $0.context(number: 0, csrf: "") }])
    #expect(!page.contains("<script") && !page.contains("style=") && !page.contains("<style"))
  }

  private static func page(of block: PageBlock, showing text: String) throws -> String {
    try PageTemplates.render([
      "title": text, "language": text, "notice": text, "hasNotice": true,
      "session": ["csrf": text, "who": text, "signOut": text],
      "head": PageHead(
        subtitle: text, states: [PageState(word: text, tone: .good, icon: .check)],
        primary: PageAction(text: text, link: text, icon: .plus), more: [PageAction(text: text, link: text)],
        dangerous: [PageAction(text: text, link: text)]
      ).context(more: text, csrf: text), "blocks": [block.context(number: 0, csrf: text)],
    ])
  }
}
