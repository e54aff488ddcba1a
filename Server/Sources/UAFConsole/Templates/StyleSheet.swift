/// The only style sheet.
///
/// It uses no images, no fonts and no other addresses.
enum StyleSheet {
  /// The path contains a version, so that no browser shows new pages with an old style sheet.
  static let path = "/console/style-3.css"

  static let text = """
    :root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --soft: #eef1f4; --line: #8a939d;
      --link: #0b4fa8; --button: #0b4fa8; --on-button: #ffffff; --danger: #a3161f; --good: #1f6f43;
      --mark: #fff3c4; }
    @media (prefers-color-scheme: dark) {
      :root { --ink: #e8ebee; --paper: #15181c; --soft: #22272d; --line: #79838e; --link: #8fbcff;
        --button: #8fbcff; --on-button: #10141a; --danger: #ff9a9a; --good: #7ed6a2; --mark: #4a3d0c; }
    }
    * { box-sizing: border-box; }
    body { margin: 0; font: 1rem/1.5 system-ui, "Noto Sans CJK KR", sans-serif; color: var(--ink);
      background: var(--paper); overflow-wrap: anywhere; }
    a { color: var(--link); }
    :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
    .skip { position: absolute; left: -100rem; }
    .skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem; }
    header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding: .5rem 1rem;
      border-bottom: 1px solid var(--line); }
    header .name { margin: 0 auto 0 0; font-weight: 700; }
    header form { display: flex; gap: .75rem; align-items: center; flex-wrap: wrap; margin: 0; }
    nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; margin: 0; padding: 0; }
    nav a { display: inline-block; padding: .25rem 0; }
    .menu { padding: .25rem 1rem; background: var(--soft); }
    nav a[aria-current] { color: var(--ink); font-weight: 700; }
    main { max-width: 75rem; margin: 0 auto; padding: 1rem; }
    main:focus { outline: none; }
    h1 { font-size: 1.6rem; margin: .5rem 0 1rem; } h2 { font-size: 1.2rem; margin: 1.5rem 0 .5rem; }
    .notice { background: var(--mark); padding: .75rem 1rem; border-left: .35rem solid var(--line); }
    .empty { color: var(--ink); font-style: italic; }
    .table { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; }
    caption { text-align: left; font-weight: 600; padding: .5rem 0; }
    th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0;
      border-bottom: 1px solid var(--line); }
    dl { margin: 0 0 1rem; } dl div { display: grid; grid-template-columns: 14rem 1fr; gap: .25rem 1rem;
      padding: .25rem 0; border-bottom: 1px solid var(--soft); }
    dt { font-weight: 600; } dd { margin: 0; }
    main form { margin: 1rem 0; max-width: 36rem; }
    fieldset { border: 1px solid var(--line); border-radius: .4rem; padding: .75rem 1rem 1rem; }
    legend { font-weight: 600; padding: 0 .4rem; }
    label { display: block; margin-top: .5rem; }
    input, select, textarea { font: inherit; width: 100%; padding: .45rem; color: var(--ink); background: var(--paper);
      border: 1px solid var(--line); border-radius: .3rem; }
    textarea { min-height: 12rem; font-family: monospace; }
    button { font: inherit; padding: .45rem 1rem; border: 0; border-radius: .3rem; color: var(--on-button);
      background: var(--button); cursor: pointer; }
    main button { margin-top: .75rem; }
    button.danger { background: var(--danger); }
    pre { background: var(--soft); padding: .75rem; overflow-wrap: anywhere; white-space: pre-wrap; max-height: 16rem;
      overflow-y: auto; margin: 0; }
    .code p { margin: .75rem 0 .25rem; font-weight: 600; }
    .qr { display: block; width: min(100%, 26rem); margin: 1rem 0; }
    .qr .light { fill: #ffffff; } .qr .dark { fill: #000000; }
    figure { margin: 1rem 0; } figcaption { font-weight: 600; }
    .plot { display: block; width: 100%; height: 10rem; border-bottom: 1px solid var(--line); }
    .plot .good { fill: var(--good); } .plot .refused { fill: var(--danger); }
    .axis { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: .25rem; text-align: center;
      font-size: .85rem; }
    @media (max-width: 45rem) {
      dl div { grid-template-columns: 1fr; }
      thead { position: absolute; left: -100rem; }
      table, caption, tbody, tr, td { display: block; }
      tr { border-bottom: 1px solid var(--line); padding: .5rem 0; } td { border: 0; padding: .1rem 0; }
      td::before { content: attr(data-column) ": "; font-weight: 600; }
    }

    """ + SheetStyle.rules
}

/// The style of printed sheets, on a page of the console and in a separate file.
enum SheetStyle {
  /// The rules for sheets; they use the colour variables of the surrounding page.
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

  /// The style of the separate file, which contains only sheets.
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
