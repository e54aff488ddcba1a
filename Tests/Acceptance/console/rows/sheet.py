"""The contact sheet: every page as a picture, in both languages, light and dark, in three widths."""

import html

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
PAGES = (*COMMON, "/person?name=minsu.kim", "/person?name=jisoo.lee", "/machine?id=sheet-1", "/enrol-list", *ACCESS, *STEPS)
WIDTHS = (360, 768, 1440)


def fill(desk):
    """People, machines, codes and texts, so that no page is empty."""
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


@row(
    "C1",
    "every page and every step as an administrator, in both languages, light and dark, in three widths",
    "a contact sheet in build/console for each language and width; axe finds nothing, nothing is wider than the window",
    limit=1100,
)
def contact_sheet(desk):
    fill(desk)
    seen = 0
    for language in ("en", "ko"):
        for width in WIDTHS:
            browser = desk.browser(language, width)
            browser.sign_in(desk.people["administrator"], desk.channel)
            names = []
            for path in PAGES:
                browser.open("/console" + path)
                for is_dark in (False, True):
                    browser.dark(is_dark)
                    place = path.replace("?name=", "-").replace("?id=", "-").replace("?number=", "-").replace("/", "-")
                    name = f"{place or '-overview'}{'-dark' if is_dark else ''}"
                    browser.examine("sheet" + name)
                    names.append(name)
                    seen += 1
            browser.dark(False)
            wide = desk.browser(language, 1440)
            sheet(wide, language, width, names)
            desk.tidy()
    must(seen == len(PAGES) * 12, f"{seen} views")
    return f"{seen} views, nothing of level A or AA"
