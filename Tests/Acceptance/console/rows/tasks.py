"""What an administrator wants to do, counted in clicks, and how large the pages are.

Typing and the Enter key are no clicks. The numbers of the console before its menu had places are in each row's title.
"""

from console.desk import Desk
from lab.table import must, row


def start(desk: Desk, role="administrator", language="en", width=1440):
    """A browser that shows the first page; clicks count from now on."""
    browser = desk.browser(language, width)
    browser.sign_in(desk.people[role], desk.channel)
    browser.clicks = 0
    return browser


def needed(browser, most):
    must(browser.clicks <= most, f"{browser.clicks} clicks instead of {most}")
    return f"{browser.clicks} clicks"


@row("T1", "find a person by half a name, and issue an unlock (before: 3 clicks)", "3 clicks", limit=60)
def unlock(desk):
    desk.person("kimberley", deviceID="t1", deviceName="desk of kim")
    browser = start(desk, "helpdesk")
    browser.enter("#anywhere", "berle")
    must(browser.texts("tbody a[href*='person?name=']") == ["kimberley"], "not found")
    browser.click("tbody details.row summary")
    browser.press("tbody details.row a[href*='unlock']")
    must("kimberley" in browser.text("main p:nth-of-type(2)"), f"it does not say for whom: {browser.text('main')}")
    browser.fill("reason", "called")
    browser.press("form[action='/console/person/unlock'] button")
    must("24 characters" in browser.text("main"), f"no unlock: {browser.text('main')}")
    return needed(browser, 3)


@row(
    "T2",
    "a lost laptop: all of its keys are revoked (before: 4 clicks, and nothing said how many people it concerns)",
    "5 clicks; the page says how many keys and people",
    limit=60,
)
def lost(desk):
    desk.person("loser", deviceID="t2", deviceName="lost laptop")
    browser = start(desk, "operator")
    browser.press(".places a[href='/console/machines']")
    browser.enter("main input[type=search]", "lost lap")
    browser.click("tbody details.row summary")
    browser.press("tbody details.row a")
    told = browser.text("main p:nth-of-type(2)")
    must("lost laptop" in told and "keys: 1, people: 1" in told, f"it says: {told}")
    browser.fill("reason", "lost")
    browser.press("form[action='/console/machine/revoke'] button")
    desk.people["operator"].confirm(desk.channel, browser.text("pre"))
    browser.press("form[action='/console/confirm'] button")
    browser.open("/console/person?name=loser")
    must("revoked" in browser.text("main"), "the key is not revoked")
    return needed(browser, 5)


@row(
    "T3",
    "who cannot log in now, and why (before: not answered; people without a key were in no list)",
    "1 click from the first page",
    limit=60,
)
def unable(desk):
    desk.run("enrol", "newcomer")
    operator = desk.signed_in("operator")
    for name in ("locked-one", "disabled-one", "keyless-one"):
        operator.post("/console/people/add", name=name)
    operator.post("/console/person/lock", name="locked-one", seconds="2", secondsUnit="hours", reason="guessing")
    operator.post("/console/person/disable", name="disabled-one", reason="has left")
    browser = start(desk, "auditor")
    browser.press(".notes a[href*='unable']")
    browser.open("/console/unable")
    rows = browser.texts("tbody tr")
    reasons = {
        "locked-one": "guessing",
        "disabled-one": "has left",
        "keyless-one": "no key",
        "newcomer": "has a code",
    }
    for name, why in reasons.items():
        must(any(name in text and why in text for text in rows), f"{name}, {why}: {rows}")
    must(not any("auditor" in text.split() for text in rows), f"somebody who can log in: {rows}")
    return needed(browser, 1)


@row(
    "T4",
    "close a join code (before: 3 clicks, and its number was typed)",
    "2 clicks; nothing is typed; a role below operator has no button",
    limit=60,
)
def close_code(desk):
    operator = desk.signed_in("operator")
    operator.post("/console/join-codes/issue", group="t4-group", machines="1", lifetime="900")
    browser = start(desk, "operator")
    browser.press(".notes a[href='/console/join-codes']")
    place = browser.texts("tbody tr").index(next(text for text in browser.texts("tbody tr") if "t4-group" in text))
    browser.press(f"tbody tr:nth-of-type({place + 1}) form.press button")
    row_now = next(text for text in browser.texts("tbody tr") if "t4-group" in text)
    must("closed" in row_now, f"the code is {row_now}")
    auditor = start(desk, "auditor")
    auditor.open("/console/join-codes")
    must(not auditor.texts("form.press"), "an auditor has a button")
    return needed(browser, 2)


@row("T6", "what kim did yesterday (before: 2 clicks, and both times were typed)", "2 clicks; no time is typed", limit=60)
def yesterday(desk):
    desk.person("kim-six")
    browser = start(desk, "auditor")
    browser.enter("#anywhere", "kim-s")
    browser.press("tbody a[href*='person?name=kim-six']")
    browser.press(".links li:nth-of-type(2) a")
    must("account=kim-six" in browser.path and "until=" in browser.path, f"it opens {browser.path}")
    must("No row" in browser.text("main"), "a row of yesterday for somebody of today")
    return needed(browser, 2)


@row(
    "T7",
    "two people are disabled, and their keys revoked, with one signature for each; then nobody is picked",
    "the page says how many; each is done; without a tick nothing is asked",
    limit=90,
)
def bulk(desk):
    for name in ("bulk-one", "bulk-two"):
        desk.person(name)
    operator = desk.people["operator"]
    for path, done in (("revoke-keys", "Revoke all keys of 2 accounts"), ("disable", "Disable 2 accounts")):
        browser = start(desk, "operator")
        browser.enter("#anywhere", "bulk-")
        for place in (1, 2):
            browser.click(f"tbody tr:nth-of-type({place}) td.pick input")
        browser.press(f"button[formaction$='{path}']")
        must("2 people" in browser.text("main p:nth-of-type(2)"), f"it says {browser.text('main')}")
        browser.examine(f"bulk-{path}")
        browser.fill("reason", "both left")
        browser.press("main form:last-of-type button")
        signed = operator.confirm(desk.channel, browser.text("pre"))
        must(done in signed and "bulk-one, bulk-two" in signed, f"signed {signed}")
        browser.press("form[action='/console/confirm'] button")
        desk.tidy()
    browser = start(desk, "operator")
    browser.enter("#anywhere", "bulk-")
    states = browser.texts("tbody td[data-column=State]")
    must(len(states) == 2 and all("disabled" in text for text in states), f"they are {states}")
    browser.press("button[formaction$='disable']")
    must("Nothing is picked" in browser.text("main"), f"it says {browser.text('main')}")
    return signed


@row(
    "T8",
    "a table is sorted, a time zone is chosen, and a length has a unit",
    "the server does it, without a script; a wrong zone or unit is refused",
    limit=90,
)
def comfort(desk):
    browser = start(desk, "administrator")
    browser.open("/console/administrators")
    browser.press("th:nth-of-type(1) a")
    first = browser.texts("tbody td:nth-of-type(1)")
    browser.press("th:nth-of-type(1) a")
    must(browser.texts("tbody td:nth-of-type(1)") == first[::-1] and first == sorted(first), f"sorted as {first}")
    visitor = desk.signed_in("administrator")
    must(visitor.post("/console/about/zone", offset="540").status == 303, "the zone was refused")
    page = visitor.get("/console/about").text
    must('data-zone="chosen"' in page and "Times are in UTC+09:00" in page, "the zone is not used")
    must(visitor.post("/console/about/zone", offset="900").status == 400, "a zone that does not exist")
    made = visitor.post("/console/tokens/add", name="hours", role="auditor", lifetime="2", lifetimeUnit="hours")
    must(made.status == 200, f"a token of two hours: {made.status}")
    for number, unit in (("2", "weeks"), ("99999999999999999", "days"), ("0", "hours")):
        wrong = visitor.post("/console/tokens/add", name="wrong", role="auditor", lifetime=number, lifetimeUnit=unit)
        must(wrong.status == 400, f"{number} {unit}: {wrong.status}")
    must("in 1 hour" in visitor.get("/console/tokens?sort=4").text, "the length is not two hours")
    must(visitor.get("/console/tokens?sort=-99").status == 200, "a column that does not exist")
    return f"{len(first)} rows sorted"


@row(
    "T9", "how large the pages, the style sheet and the script are", "at most 64 KiB each, and no other file is loaded", limit=60
)
def sizes(desk):
    visitor = desk.signed_in("administrator")
    paths = ("", "/people", "/machines", "/audit", "/person?name=operator", "/style-5.css", "/comfort-1.js")
    found = {path or "/": len(visitor.get(f"/console{path}").text.encode()) for path in paths}
    must(max(found.values()) <= 64 << 10, f"{found}")
    browser = start(desk, "auditor")
    loaded = {name.rpartition("/")[2] for name in browser.loaded()}
    must(loaded <= {"style-5.css", "comfort-1.js", "favicon.ico"}, f"it has loaded {loaded}")
    return ", ".join(f"{path} {size / 1024:.1f} KiB" for path, size in found.items())
