import Testing

@testable import UAFConsole

struct PageTemplatesTests {
  private static let hostile = #"<script>alert(1)</script>"'&"# + String(repeating: "x", count: 2000)

  static let blocks: [PageBlock] = [
    .heading(hostile), .paragraph(hostile), .warning(hostile), .aside(hostile), .facts([(hostile, hostile)]),
    .code(hostile, label: hostile),
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
    .plot(
      BarPlot(
        title: hostile, asTable: hostile, columns: [hostile], bars: [BarPlot.Bar(label: hostile, good: 1, refused: 2)])),
  ]

  @Test(arguments: blocks.indices) func `shows markup as text in each field`(index: Int) throws {
    let block = Self.blocks[index].context(number: 0, csrf: Self.hostile)
    let page = try PageTemplates.render([
      "title": Self.hostile, "language": Self.hostile, "notice": Self.hostile, "hasNotice": true,
      "session": ["csrf": Self.hostile, "who": Self.hostile, "signOut": Self.hostile], "blocks": [block],
    ])
    #expect(!page.contains("<script"))
    #expect(!page.contains(#""'&x"#))
    #expect(page.contains("&lt;script&gt;"))
  }

  @Test func `a page has neither scripts nor styles of its own`() throws {
    let page = try PageTemplates.render(["blocks": Self.blocks.map { $0.context(number: 0, csrf: "") }])
    #expect(!page.contains("<script") && !page.contains("style=") && !page.contains("<style"))
  }
}
