"""The contact sheet: every page as a picture, in both languages, light and dark, in three widths."""

import html
import re

from console.browser import SHOTS
from console.rows.pages import ACCESS, COMMON
from lab.table import must, row

STEPS = (
    "/people/add",
    "/person/enrol?name=minsu.kim",
    "/person/unlock?name=minsu.kim",
    "/person/lock?name=minsu.kim",
    "/person/disable?name=minsu.kim",
    "/person/enable?name=jisoo.lee",
    "/person/revoke?name=minsu.kim",
    "/person/revoke-all?name=minsu.kim",
    "/person/delete?name=minsu.kim",
    "/join-codes/issue",
    "/approvals/ask",
    "/tokens/add",
    "/administrators/set",
    "/machine/revoke?id=sheet-1",
)
THINGS = ("/person?name=minsu.kim", "/person?name=jisoo.lee", "/machine?id=sheet-1", "/machines/unknown", "/machines?lacks=zz")
PAGES = (*COMMON, *THINGS, "/enrol-list", *ACCESS, *STEPS)
WIDTHS = (360, 768, 1440)


def fill(desk):
    """People, machines, codes and texts, so that no page is empty; returns the pages whose addresses this decides."""
    for name, machine in (("minsu.kim", "sheet-1"), ("jisoo.lee", "sheet-2"), ("sora.park", "sheet-3")):
        desk.person(name, deviceID=machine, deviceName=f"desk of {name}", deviceModel="ThinkCentre M75q", deviceOS="Debian 13")
    desk.run("enrol", "newcomer.choi")
    operator, administrator = desk.signed_in("operator"), desk.signed_in("administrator")
    operator.post("/console/person/lock", name="jisoo.lee", seconds="3", secondsUnit="hours", reason="guessing at the desk")
    operator.post("/console/people/add", name="empty.jung")
    operator.post("/console/people/add", name="gone.han")
    operator.post("/console/person/disable", name="gone.han", reason="has left the company")
    operator.post("/console/join-codes/issue", group="lab", machines="20", lifetime="7", lifetimeUnit="days")
    operator.post("/console/approvals/ask", name="minsu.kim", text="Restart the build server")
    administrator.post("/console/tokens/add", name="monitoring", role="auditor", lifetime="20", lifetimeUnit="days")
    line = desk.join_line(3)
    machines = [desk.joined(f"office-{number}", line) for number in (1, 2, 3)]
    # As after a restored backup: a machine that has joined, by a secret that the server does not know.
    stranger = machines[0].copy()
    stranger.forgotten()
    status, _ = stranger.check_in(desk.channel, deviceID=stranger.device, deviceName="office-9")
    must(status == 403, f"an unknown machine was answered with {status}")
    return (f"/machines?lacks={desk.coming_key()}",)


def named(path):
    """The name of a page's picture."""
    return re.sub(r"[/?=&]+", "-", re.sub(r"lacks=[0-9a-f]{16}$", "lacks", path).replace("?name=", "-").replace("?id=", "-"))


def sheet(browser, language, width, names):
    """A page with every picture of a language and a width, and a picture of that page."""
    figures = "".join(
        f'<figure><a href="screenshots/{file}"><img src="screenshots/{file}" loading="eager"></a>'
        f"<figcaption>{html.escape(file)}</figcaption></figure>"
        for name in names
        for file in (f"sheet{name}.{language}.{width}.png",)
    )
    style = "body{font:12px sans-serif;display:flex;flex-wrap:wrap;gap:12px;align-items:flex-start;margin:12px}"
    style += "figure{margin:0;width:270px}"
    style += "img{width:100%;max-height:420px;object-fit:cover;object-position:top;border:1px solid #888}"
    file = SHOTS.parent / f"contact-sheet.{language}.{width}.html"
    file.write_text(f'<!doctype html><meta charset="utf-8"><title>{language} {width}</title><style>{style}</style>{figures}')
    browser.open_file(file)
    browser.keep(f"contact-sheet.{language}.{width}")


def step(path, **fields):
    """What opens a page that follows a form, and has no address of its own."""

    def begin(browser):
        browser.open("/console" + path)
        for name, value in fields.items():
            browser.fill(name, value)
        browser.press(f"form[action='/console{path.partition('?')[0]}'] button")

    return begin


ONCE = {
    "-once-enrolment": step("/person/enrol?name=minsu.kim"),
    "-once-unlock": step("/person/unlock?name=minsu.kim", reason="called"),
    "-once-join-code": step("/join-codes/issue"),
    "-once-confirmation": step("/person/delete?name=minsu.kim", reason="has left"),
}


def in_both(browser, name):
    """Pictures of a page, light and dark; returns their names."""
    names = [name, f"{name}-dark"]
    for is_dark, shown in enumerate(names):
        browser.dark(bool(is_dark))
        browser.examine("sheet" + shown)
    return names


@row(
    "C1",
    "every page and every step as an administrator, in both languages, light and dark, in three widths",
    "a contact sheet in build/console for each language and width; axe finds nothing, nothing is wider than the window",
    limit=1100,
)
def contact_sheet(desk):
    pages = PAGES + fill(desk)
    seen = 0
    for language in ("en", "ko"):
        for width in WIDTHS:
            browser = desk.browser(language, width)
            browser.sign_in(desk.people["administrator"], desk.channel)
            names = []
            for path in pages:
                browser.open("/console" + path)
                names += in_both(browser, named(path) or "-overview")
            for name, begin in ONCE.items():
                begin(browser)
                names += in_both(browser, name)
            seen += len(names)
            browser.dark(False)
            wide = desk.browser(language, 1440)
            sheet(wide, language, width, names)
            desk.tidy()
    must(seen == (len(pages) + len(ONCE)) * 12, f"{seen} views")
    return f"{seen} views, nothing of level A or AA"
