/// How sheets look, on the console's page and in a file of their own.
enum SheetStyle {
  /// The rules of sheets, with the names of colours of the page around them.
  static let rules = """
    @page { size: A4; margin: 15mm; }
    .sheet { margin: 2rem 0; padding: 1rem; border: 1px solid var(--line); }
    .sheet h2 { margin-top: 0; } .sheet h3 { margin: .75rem 0 .25rem; font-size: 1rem; }
    .sheet bdi { font-weight: 600; }
    .sheet li { margin: .25rem 0; }
    .sheet pre { max-height: none; overflow: visible; font-size: .7rem; line-height: 1.3; }
    .sheet pre.command { font-size: 1rem; }
    .sheet .qr { width: min(100%, 9cm); margin: .5rem 0; }
    @media print {
      :root { --ink: #000000; --paper: #ffffff; --soft: #ffffff; --line: #808080; --mark: #ffffff; }
      header, .menu, .skip, h1, .screen { display: none; }
      main { max-width: none; padding: 0; }
      .sheet { margin: 0; padding: 0; border: 0; break-after: page; }
      .sheet:last-child { break-after: auto; }
      .sheet h2, .sheet h3, .sheet ol, .sheet .qr { break-inside: avoid; }
      .sheet pre { padding: 0; font-size: 7pt; } .sheet pre.command { font-size: 11pt; }
    }

    """

  /// The style of a file with sheets alone.
  static let document = """
    :root { color-scheme: light; --ink: #000000; --paper: #ffffff; --soft: #eef1f4; --line: #808080; }
    * { box-sizing: border-box; }
    body { margin: 0; font: 1rem/1.4 system-ui, "Noto Sans CJK KR", sans-serif; color: var(--ink);
      background: var(--paper); overflow-wrap: anywhere; }
    main { max-width: 50rem; margin: 0 auto; padding: 1rem; }
    dl { margin: 0 0 1rem; } dl div { display: grid; grid-template-columns: 12rem 1fr; gap: .25rem 1rem; }
    dt { font-weight: 600; } dd { margin: 0; }
    pre { background: var(--soft); padding: .5rem; margin: .25rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
    .qr { display: block; } .qr .light { fill: #ffffff; } .qr .dark { fill: #000000; }

    """ + rules
}
