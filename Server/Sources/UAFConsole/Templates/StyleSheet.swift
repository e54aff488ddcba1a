/// The only style sheet.
///
/// It uses no images, no fonts and no other addresses. Spaces are multiples of a quarter of the text's size, texts have five
/// sizes, and there are two accents: one for what can be pressed, and one for what went well.
enum StyleSheet {
  /// The path contains a version, so that no browser shows new pages with an old style sheet.
  static let path = "/console/style-6.css"

  static let text = base + layout + parts + narrow + SheetStyle.rules

  private static let base = """
    :root { color-scheme: light dark; --ink: #1a1d21; --faint: #55606b; --paper: #ffffff; --soft: #f2f5f7;
      --line: #d3d9df; --edge: #747e88; --link: #0b4fa8; --on-link: #ffffff; --wash: #e6effb; --good: #17693f;
      --good-wash: #e2f3e9; --mark: #7a4a00; --mark-wash: #fff2cf; --danger: #a3161f; --danger-wash: #fdeaea;
      --small: .875rem; --large: 1.25rem; --huge: 1.625rem; --round: .375rem; }
    @media (prefers-color-scheme: dark) {
      :root { --ink: #e6e9ec; --faint: #a6b0ba; --paper: #14171a; --soft: #1c2126; --line: #363e46; --edge: #848e98;
        --link: #8fbcff; --on-link: #0d1420; --wash: #1d2d45; --good: #7ed6a2; --good-wash: #16301f; --mark: #f2c14e;
        --mark-wash: #3a2c07; --danger: #ff9c9c; --danger-wash: #42191b; }
    }
    * { box-sizing: border-box; }
    body { margin: 0; font: 1rem/1.5 system-ui, "Noto Sans CJK KR", sans-serif; color: var(--ink);
      background: var(--paper); overflow-wrap: break-word; word-break: keep-all; }
    a { color: var(--link); }
    :focus-visible { outline: .1875rem solid var(--link); outline-offset: .125rem; }
    h1 { font-size: var(--huge); line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
    h2 { font-size: var(--large); line-height: 1.3; margin: 2rem 0 .5rem; }
    p { margin: .5rem 0 1rem; max-width: 48rem; }
    small, .note { font-size: var(--small); color: var(--faint); }
    .note { display: block; } td .state + .note { min-width: 11rem; }
    .icon { width: 1.25em; height: 1.25em; flex: none; fill: none; stroke: currentColor; stroke-width: 1.75;
      stroke-linecap: round; stroke-linejoin: round; vertical-align: -.25em; }
    [hidden] { display: none; }
    .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    .skip { position: absolute; left: -100rem; }
    .skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem; z-index: 3; }
    ul { list-style: none; margin: 0; padding: 0; }
    summary { cursor: pointer; }
    button, .button { display: inline-flex; align-items: center; gap: .5rem; font: inherit; font-weight: 600;
      padding: .5rem 1rem; border: 1px solid var(--link); border-radius: var(--round); color: var(--on-link);
      background: var(--link); cursor: pointer; text-decoration: none; line-height: 1.5; }
    button:hover, .button:hover { filter: brightness(1.12); }
    button:disabled { opacity: .6; cursor: default; }
    button.danger { background: var(--danger); border-color: var(--danger); color: var(--paper); }
    button.second { background: var(--paper); color: var(--link); border-color: var(--edge); }
    button.second.danger { color: var(--danger); }
    button.plain { background: none; border: 0; padding: .25rem 0; color: var(--link); font-weight: 400;
      text-decoration: underline; }

    """

  private static let layout = """
    body.framed { display: grid; grid-template-columns: 15rem minmax(0, 1fr); min-height: 100vh; }
    .framed .side { background: var(--soft); border-right: 1px solid var(--line); padding: 1rem .75rem;
      display: flex; flex-direction: column; gap: 1rem; }
    .framed header { order: 2; margin-top: auto; padding: .75rem .5rem 0; border-top: 1px solid var(--line); }
    .framed header .name { display: none; }
    header { font-size: var(--small); }
    header .name { font-weight: 700; margin: 0; font-size: 1rem; }
    header .who { display: block; overflow-wrap: anywhere; color: var(--faint); }
    header form { margin: .5rem 0 0; }
    .languages ul { display: flex; gap: 1rem; }
    .languages a, header button.plain { display: inline-block; padding: .25rem 0; }
    .languages a[aria-current] { color: var(--ink); font-weight: 700; text-decoration: none; }
    .anywhere form { display: flex; gap: .25rem; margin: 0; max-width: none; }
    .anywhere input { min-width: 0; padding: .375rem .5rem; } .anywhere button { padding: .375rem .5rem; }
    .places > ul { display: grid; gap: .125rem; }
    .places a { display: flex; align-items: center; gap: .75rem; padding: .5rem; border-radius: var(--round);
      color: var(--ink); text-decoration: none; }
    .places a:hover { background: var(--wash); }
    .places .here > a { background: var(--wash); color: var(--link); font-weight: 700; }
    .pages { border-left: .125rem solid var(--line); margin: .25rem 0 .25rem 1.0625rem; }
    .places .pages a { padding: .25rem 0 .25rem 1.375rem; font-size: var(--small); border-radius: 0; }
    .places .pages a[aria-current] { color: var(--link); font-weight: 700; }
    .page { display: flex; flex-direction: column; min-width: 0; }
    main { width: 100%; max-width: 78rem; padding: 1.5rem 2rem; flex: 1; }
    main:focus { outline: none; }
    body:not(.framed) .side { display: flex; justify-content: space-between; padding: 1rem; max-width: 40rem;
      margin: 0 auto; }
    body:not(.framed) header { display: flex; justify-content: space-between; width: 100%; align-items: center; }
    body:not(.framed) main { max-width: 40rem; margin: 0 auto; padding: 1rem; }
    footer { padding: 0 2rem 1rem; color: var(--faint); font-size: var(--small); }
    footer p { margin: 0; }
    .back { margin: 0 0 .25rem; font-size: var(--small); }
    .head { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .75rem 1.5rem; margin-bottom: 1.25rem; }
    .head > div:first-child { min-width: 0; flex: 1 1 20rem; }
    .head .state { margin-top: .5rem; }
    .subtitle { margin: .25rem 0 0; color: var(--faint); }
    .steps { display: flex; flex-wrap: wrap; gap: .5rem; align-items: flex-start; }
    .more { position: relative; }
    .more > summary { list-style: none; padding: .5rem 1rem; border: 1px solid var(--edge); border-radius: var(--round);
      color: var(--link); font-weight: 600; }
    .more > summary::-webkit-details-marker, .row > summary::-webkit-details-marker { display: none; }
    .more > summary::after { content: " ▾"; }
    .more ul { position: absolute; right: 0; z-index: 2; min-width: 15rem; max-width: calc(100vw - 2rem);
      background: var(--paper); border: 1px solid var(--edge); border-radius: var(--round); padding: .25rem 0;
      margin-top: .25rem; box-shadow: 0 .25rem 1rem rgb(0 0 0 / .2); }
    .more li a { display: block; padding: .5rem 1rem; color: var(--ink); text-decoration: none; }
    .more li a:hover { background: var(--wash); }
    .more .danger a { color: var(--danger); }
    .more li:not(.danger) + .danger { border-top: 1px solid var(--line); margin-top: .25rem; padding-top: .25rem; }

    """

  private static let parts = """
    .notice { background: var(--mark-wash); padding: .75rem 1rem; border-left: .25rem solid var(--mark);
      border-radius: var(--round); }
    .empty { color: var(--faint); border: 1px dashed var(--line); border-radius: var(--round); padding: 1rem; }
    .count { color: var(--faint); font-size: var(--small); margin: .5rem 0; }
    .turn { display: flex; gap: 1.5rem; margin: .5rem 0; }
    .state { display: inline-flex; align-items: center; gap: .25rem; padding: .0625rem .625rem .0625rem .375rem;
      border-radius: 1rem; font-size: var(--small); font-weight: 600; white-space: nowrap; }
    .state.good { color: var(--good); background: var(--good-wash); }
    .state.warn { color: var(--mark); background: var(--mark-wash); }
    .state.bad { color: var(--danger); background: var(--danger-wash); }
    .state.quiet { color: var(--faint); background: var(--soft); border: 1px solid var(--line); }
    time { white-space: nowrap; }
    td time span, td time small { display: block; }
    .id { display: inline-flex; flex-wrap: wrap; align-items: baseline; gap: 0 .75rem; max-width: 100%; }
    .id details { min-width: 0; }
    .id summary, .id code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: var(--small); }
    .id summary { white-space: nowrap; }
    .id code { display: block; overflow-wrap: anywhere; }
    .copy { font-size: var(--small); } .copy.done::after { content: "✓"; }
    .code .copy { margin-top: .25rem; }
    .share { width: 8rem; height: .75rem; display: block; border-radius: .25rem; }
    .share .back { fill: var(--soft); }
    .good { fill: var(--good); } .refused { fill: var(--danger); }
    .table { overflow-x: auto; margin-top: 1rem; }
    table { border-collapse: collapse; width: 100%; }
    caption { text-align: left; font-weight: 600; font-size: var(--large); padding: .5rem 0; }
    th, td { text-align: left; vertical-align: top; padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); }
    th { font-size: var(--small); color: var(--faint); vertical-align: bottom; border-bottom-color: var(--edge); }
    th a { color: inherit; text-decoration: underline dotted; text-underline-offset: .25em; }
    th a:hover { text-decoration: underline; }
    th[aria-sort="ascending"] a::after { content: " ↑"; }
    th[aria-sort="descending"] a::after { content: " ↓"; }
    td { max-width: 26rem; }
    tbody tr:hover { background: var(--soft); }
    .pick { width: 2rem; padding-left: .25rem; }
    .pick input, .picking th input { width: 1.25rem; height: 1.25rem; margin: .125rem 0; }
    main form.press { margin: 0; } .press button { padding: .125rem .75rem; }
    .picking { max-width: none; margin: 0; }
    .bulk { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; margin: .75rem 0; max-width: none; }
    .bulk button { padding: .25rem .75rem; font-size: var(--small); }
    .bulk span { font-size: var(--small); color: var(--faint); }
    .row summary { list-style: none; width: 2.25rem; text-align: center; border-radius: var(--round);
      border: 1px solid var(--line); font-weight: 700; }
    .row ul { display: grid; gap: .25rem; padding: .25rem 0; }
    .row a { white-space: nowrap; display: inline-block; padding: .125rem 0; }
    .several { display: flex; flex-wrap: wrap; gap: .125rem 1rem; }
    dl { margin: 0 0 1rem; max-width: 60rem; }
    dl div { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: .25rem 1rem; padding: .375rem 0;
      border-bottom: 1px solid var(--line); }
    dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
    main form { margin: 1rem 0; max-width: 36rem; }
    main form.find, main form.picking { max-width: none; margin: 0; }
    fieldset { border: 1px solid var(--line); border-radius: var(--round); padding: .5rem 1.25rem 1.25rem; margin: 0;
      min-width: 0; }
    legend { font-weight: 600; padding: 0 .375rem; }
    label { display: block; margin: .75rem 0 .25rem; font-size: var(--small); font-weight: 600; }
    input, select, textarea { font: inherit; width: 100%; padding: .5rem; color: var(--ink); background: var(--paper);
      border: 1px solid var(--edge); border-radius: var(--round); }
    textarea { min-height: 12rem; font-family: ui-monospace, monospace; font-size: var(--small); }
    .bare fieldset { border: 0; padding: 0; } main form.bare { margin: .5rem 0; }
    .hint { font-size: var(--small); color: var(--faint); margin: .25rem 0 0; }
    .length { display: grid; grid-template-columns: 7rem 10rem; gap: 0 .5rem; }
    .length label { grid-column: 1 / -1; }
    fieldset > button, .passkey > button { margin-top: 1rem; }
    .cancel { margin-left: 1rem; }
    .box { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
    .box label { flex: 1 0 100%; margin: 0; }
    .box input { flex: 1 1 12rem; max-width: 28rem; }
    .find .fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: 0 1rem;
      margin-bottom: .5rem; align-items: end; }
    .find details { margin-top: .5rem; }
    .find summary { color: var(--link); font-size: var(--small); padding: .25rem 0; }
    .chips ul, .links ul { display: flex; flex-wrap: wrap; gap: .5rem; margin: .75rem 0; }
    .chips a, .links a { display: inline-block; padding: .125rem .75rem; border: 1px solid var(--edge); border-radius: 1rem;
      color: var(--ink); text-decoration: none; font-size: var(--small); }
    .chips a:hover, .links a:hover { background: var(--wash); }
    .chips a[aria-current] { background: var(--link); border-color: var(--link); color: var(--on-link); font-weight: 600; }
    .notes ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); gap: .5rem; }
    .notes h2 { margin-top: 1rem; }
    .notes li { border: 1px solid var(--line); border-radius: var(--round); border-left: .25rem solid var(--edge); }
    .notes li.bad { border-left-color: var(--danger); } .notes li.warn { border-left-color: var(--mark); }
    .notes li.good { border-left-color: var(--good); fill: none; }
    .notes li.bad .icon { color: var(--danger); } .notes li.warn .icon { color: var(--mark); }
    .notes li > a, .notes li:not(:has(a)) { display: flex; gap: .5rem; align-items: baseline; padding: .625rem .75rem;
      color: var(--ink); text-decoration: none; }
    .notes li .icon { align-self: center; }
    .notes li strong { margin-left: auto; white-space: nowrap; }
    .notes a span { text-decoration: underline; color: var(--link); }
    pre { background: var(--soft); padding: .75rem; overflow-wrap: anywhere; white-space: pre-wrap; max-height: 16rem;
      overflow-y: auto; margin: 0; border-radius: var(--round); word-break: normal; }
    .code p { margin: .75rem 0 .25rem; font-weight: 600; }
    .qr { display: block; width: min(100%, 22rem); margin: 1rem 0; }
    .qr .light { fill: #ffffff; } .qr .dark { fill: #000000; }
    figure { margin: 2rem 0 1rem; } figcaption { font-weight: 600; font-size: var(--large); }
    figure .key { display: flex; gap: 1.25rem; font-size: var(--small); margin: .25rem 0; fill: none; }
    .key span::before { content: ""; display: inline-block; width: .75rem; height: .75rem; border-radius: .1875rem;
      margin-right: .375rem; background: var(--good); }
    .key .refused::before { background: var(--danger); }
    .plot { display: block; width: 100%; max-width: 56rem; height: auto; }
    .plot .line { stroke: var(--line); fill: none; } .plot text { font-size: 10px; fill: var(--faint); }
    .plot .hover { fill: transparent; } .plot g:hover .hover { fill: var(--soft); }

    """

  private static let narrow = """
    @media (max-width: 60rem) {
      body.framed { display: block; }
      .framed .side { padding: .5rem 1rem 0; gap: .25rem; border-right: 0; border-bottom: 1px solid var(--line); }
      .framed header { order: 0; margin: 0; padding: 0; border: 0; display: flex; flex-wrap: wrap; gap: 0 1rem;
        align-items: center; }
      .framed header .name { display: block; margin-right: auto; }
      header form { display: flex; gap: .75rem; align-items: center; margin: 0; }
      .places > ul { grid-template-columns: repeat(6, minmax(0, 1fr)); gap: 0; }
      .places .here { display: contents; }
      .places a { flex-direction: column; gap: .125rem; padding: .375rem .125rem; font-size: .8125rem; text-align: center;
        border-radius: 0; }
      .places .here > a { background: none; border-bottom: .1875rem solid var(--link); }
      .places .pages { border: 0; margin: 0; padding: .25rem 0 .5rem; grid-row: 2; grid-column: 1 / -1; display: flex;
        flex-wrap: wrap; gap: 0 1rem; }
      .places .pages a { padding: .25rem 0; font-size: var(--small); }
      .anywhere { display: none; }
      main { padding: 1rem; } footer { padding: 0 1rem 1rem; }
    }
    @media (max-width: 45rem) {
      .places a { font-size: .6875rem; }
      dl div { grid-template-columns: 1fr; gap: 0; }
      .plot text { font-size: 17px; }
      .more ul { left: 0; right: auto; }
      thead { position: absolute; left: -100rem; }
      table, caption, tbody, tr, td { display: block; max-width: none; }
      tr { border: 1px solid var(--line); border-radius: var(--round); padding: .5rem .75rem; margin-bottom: .5rem; }
      td { border: 0; padding: .125rem 0; overflow-wrap: anywhere; } td:empty { display: none; }
      td[data-column]:not([data-column=""])::before { content: attr(data-column) ": "; color: var(--faint);
        font-size: var(--small); }
      td time span, td time small { display: inline; } time { white-space: normal; }
    }
    @media print {
      body .side, .framed .side, .steps, .skip, footer, .find, .chips, .bulk, .pick, .row, .back { display: none; }
      body.framed, .page { display: block; } main { max-width: none; padding: 0; }
    }

    """
}

/// The style of printed sheets, on a page of the console and in a separate file.
enum SheetStyle {
  /// The rules for sheets; they use the colour variables of the surrounding page.
  static let rules = """
    @page { size: A4; margin: 15mm; }
    .sheet { margin: 2rem 0; padding: 1rem; border: 1px solid var(--line); word-break: keep-all; }
    .sheet h2 { margin-top: 0; } .sheet h3 { margin: .75rem 0 .25rem; font-size: 1rem; }
    .sheet bdi { font-weight: 600; }
    .sheet ol { padding-left: 1.5rem; }
    .sheet li { margin: .25rem 0; }
    .sheet pre { max-height: none; overflow: visible; font-size: .7rem; line-height: 1.3; }
    .sheet pre.command { font-size: 1rem; }
    .sheet .beside { display: flex; flex-wrap: wrap; gap: 1rem; justify-content: space-between; }
    .sheet .beside > div { flex: 1 1 15rem; min-width: 0; }
    .sheet dl div { display: grid; grid-template-columns: 1fr; gap: 0; padding: .25rem 0; border: 0; }
    .sheet dt { font-size: .875rem; font-weight: 400; } .sheet dd { overflow-wrap: anywhere; }
    .sheet .typed { margin: 0 0 .75rem; font: 700 1.5rem/1.4 monospace; white-space: nowrap; }
    .sheet .qr { flex: none; align-self: flex-start; width: min(100%, 7cm); margin: .5rem 0; }
    @media print {
      :root { --ink: #000000; --paper: #ffffff; --soft: #ffffff; --line: #808080; }
      main:has(.sheet) > .head, .screen { display: none; }
      .sheet { margin: 0; padding: 0; border: 0; break-after: page; }
      .sheet:last-child { break-after: auto; }
      .sheet h2, .sheet h3, .sheet ol, .sheet .beside { break-inside: avoid; }
      .sheet pre { padding: 0; font-size: 7pt; } .sheet pre.command { font-size: 11pt; }
    }

    """

  /// The style of the separate file, which contains only sheets.
  static let document = """
    :root { color-scheme: light; --ink: #000000; --paper: #ffffff; --soft: #eef1f4; --line: #808080; }
    * { box-sizing: border-box; }
    body { margin: 0; font: 1rem/1.4 system-ui, "Noto Sans CJK KR", sans-serif; color: var(--ink);
      background: var(--paper); overflow-wrap: break-word; }
    main { max-width: 50rem; margin: 0 auto; padding: 1rem; }
    dl { margin: 0 0 1rem; } dd { margin: 0; }
    pre { background: var(--soft); padding: .5rem; margin: .25rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
    .qr { display: block; } .qr .light { fill: #ffffff; } .qr .dark { fill: #000000; }

    """ + rules
}
