"""What an administrator wants to do, counted in clicks, and how large the pages are.

Typing and the Enter key are no clicks. The numbers of the console before its menu had places are in each row's title.
"""

import re

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
    # In the second in which it was made, the token ends in two hours, and a moment later in one and some minutes.
    ends = visitor.get("/console/tokens?sort=4").text
    must("in 1 hour" in ends or "in 2 hours" in ends, "the length is not two hours")
    must(visitor.get("/console/tokens?sort=-99").status == 200, "a column that does not exist")
    return f"{len(first)} rows sorted"


@row(
    "T9", "how large the pages, the style sheet and the script are", "at most 64 KiB each, and no other file is loaded", limit=60
)
def sizes(desk):
    visitor = desk.signed_in("administrator")
    paths = ("", "/people", "/machines", "/audit", "/person?name=operator", "/style-6.css", "/comfort-2.js")
    found = {path or "/": len(visitor.get(f"/console{path}").text.encode()) for path in paths}
    must(max(found.values()) <= 64 << 10, f"{found}")
    browser = start(desk, "auditor")
    loaded = {name.rpartition("/")[2] for name in browser.loaded()}
    must(loaded <= {"style-6.css", "comfort-2.js", "favicon.ico"}, f"it has loaded {loaded}")
    return ", ".join(f"{path} {size / 1024:.1f} KiB" for path, size in found.items())


@row(
    "T10",
    "a group of people is found from a person, renamed and removed",
    "9 clicks; a name that another group has is refused; an auditor has no button; the person stays",
    limit=90,
)
def group(desk):
    for name, groups in (("t10-one", "T10 Labs|T10 Sales"), ("t10-two", "T10 Labs")):
        desk.run("enrol", name)
        desk.run("person", name, *[part for group in groups.split("|") for part in ("--group", group)])
    browser = start(desk, "operator")
    browser.enter("#anywhere", "t10-one")
    browser.press("tbody a[href*='person?name=t10-one']")
    browser.press("dd .several a[href*='T10%20Labs']")
    must("2 members" in browser.text("main"), f"the page of the group: {browser.text('main')}")
    browser.examine("group")
    browser.press(".steps a.button")
    browser.fill_in("[name=name]", "t10 sales")
    browser.press("form[action='/console/groups/rename'] button")
    must("T10 Sales" in browser.text("main"), f"a name that is taken: {browser.text('main')}")
    browser.open("/console/groups/group?name=t10%20labs")
    browser.press(".steps a.button")
    browser.fill_in("[name=name]", "T10 연구소")
    browser.press("form[action='/console/groups/rename'] button")
    must(browser.text("h1") == "T10 연구소", f"it is called {browser.text('h1')}")
    browser.click("details.more summary")
    browser.press("details.more .danger a")
    must("T10 연구소" in browser.text("main p:nth-of-type(2)"), f"it says {browser.text('main')}")
    browser.examine("group-remove")
    browser.press("form[action='/console/groups/remove'] button")
    must(browser.path == "/console/groups" and "T10 연구소" not in browser.text("main"), "the group is still there")
    browser.examine("groups")
    must("t10-two" in desk.run("users"), "an account of a member is gone")
    auditor = start(desk, "auditor")
    auditor.open("/console/groups/group?name=T10%20Sales")
    must(not auditor.texts(".steps a"), "an auditor has a button")
    return needed(browser, 9)


@row(
    "T11",
    "machines are sorted and searched over the whole list, and the list says how many there are",
    "the order continues on the next page; chips keep search and order; a wrong order or place is refused",
    limit=120,
)
def machines(desk):
    for number in range(52):
        # The last one in the order of the ids is the first one by name.
        desk.person(f"t11-person-{number}", deviceID=f"t11-{number:02d}", deviceName=f"t11 desk {99 - number}")
    browser = start(desk, "auditor")
    browser.open("/console/machines?words=t11")
    must("1–50 of 52" in browser.text(".count"), f"it counts {browser.text('.count')}")
    browser.press("th:nth-of-type(1) a")
    names = browser.texts("tbody td[data-column=Name] a")
    must(names[0] == "t11 desk 48" and names == sorted(names) and len(names) == 50, f"sorted as {names}")
    browser.examine("machines-sorted")
    browser.press("a[rel=next]")
    rest = browser.texts("tbody td[data-column=Name] a")
    must(rest == ["t11 desk 98", "t11 desk 99"], f"the next page has {rest}")
    must("51–52 of 52 · page 2 of 2" in browser.text(".count"), f"it counts {browser.text('.count')}")
    browser.press(".chips a[href*='state=notJoined']")
    kept = ("words=t11", "state=notJoined", "sort=name")
    must(all(part in browser.path for part in kept), f"the chip leads to {browser.path}")
    must("1–50 of 52" in browser.text(".count"), f"it counts {browser.text('.count')}")
    visitor = desk.signed_in("auditor")
    for wrong in ("sort=tired", "sort=1", "sort=name&after=t11-49", "state=tired"):
        answer = visitor.get(f"/console/machines?{wrong}")
        must(answer.status == 400, f"{wrong}: {answer.status}")
    return f"{len(names) + len(rest)} machines"


@row(
    "T12",
    "the login name that is the text leads a search, and a list of people says how many there are",
    "first the name, then those that begin with it, then the others; with 60 people two pages",
    limit=90,
)
def first(desk):
    operator = desk.signed_in("operator")
    for name in ("in.t12kim", "t12kimberley", "t12kim"):
        operator.post("/console/people/add", name=name)
    for number in range(60):
        operator.post("/console/people/add", name=f"t12-many-{number:02d}")
    browser = start(desk, "helpdesk")
    browser.enter("#anywhere", "t12kim")
    names = browser.texts("tbody td[data-column=Account] a")
    must(names == ["t12kim", "t12kimberley", "in.t12kim"], f"found {names}")
    browser.open("/console/people?prefix=t12-many-")
    must(browser.text(".count") == "1–50 of 60 · page 1 of 2", f"it counts {browser.text('.count')}")
    browser.press("a[rel=next]")
    must(browser.text(".count") == "51–60 of 60 · page 2 of 2", f"it counts {browser.text('.count')}")
    browser.examine("people-second")
    browser.press(".turn a:not([rel])")
    must(browser.text(".count") == "1–50 of 60 · page 1 of 2", f"the first page counts {browser.text('.count')}")
    browser.press("th:nth-of-type(2) a")
    browser.press("th:nth-of-type(2) a")
    must(browser.texts("tbody td[data-column=Account] a")[0] == "t12-many-59", "the whole list is not reversed")
    return names


@row(
    "T5",
    "twenty people are enrolled from a spreadsheet's CSV: Korean headings and names, semicolons, a byte order mark",
    "4 clicks; each code's sheet has the person's name; the accounts have names and departments",
    limit=60,
)
def csv(desk):
    names = [f"{family}{given}" for family in "김이박최" for given in ("민수", "지우", "서연", "도윤", "하은")]
    lines = [f"t5-{number:02d};{name};{'개발팀' if number % 2 else '인사팀'}" for number, name in enumerate(names)]
    file = desk.state / "t5.csv"
    file.write_bytes(("\ufeff아이디;이름;부서\r\n" + "\r\n".join(lines) + "\r\n").encode())
    file.chmod(0o644)
    browser = start(desk, language="ko")
    browser.press(".places a[href='/console/people']")
    browser.press(".pages a[href='/console/enrol-list']")
    browser.fill("list", str(file))
    browser.press("form[action='/console/enrol-list/check'] button")
    must(browser.texts("main dd")[:2] == ["20", "0"], f"right and wrong lines: {browser.texts('main dd')}")
    browser.choose("form", "sheets")
    browser.press("form[action='/console/enrol-list/issue'] button")
    must(browser.texts(".sheet h2") == [f"{name} 등록" for name in names], f"sheets: {browser.texts('.sheet h2')}")
    must(len(set(browser.texts(".typed"))) == 20, "not a code for each person")
    done = browser.clicks
    browser.enter("#anywhere", "서연")
    found = browser.texts("tbody td[data-column='표시 이름']")
    must(sorted(found) == sorted(f"{family}서연" for family in "김이박최"), f"a search by a Korean name finds {found}")
    browser.clicks = done
    return needed(browser, 4)


@row("T13", "which machines lack the coming key", "1 click; the list has a title and a total of its own", limit=90)
def lacking(desk):
    key = desk.coming_key()
    line = desk.join_line(3)
    for number in range(3):
        desk.joined(f"t13-{number}", line)
    for language, title in (("en", f"Machines without the verdict key {key}"), ("ko", f"서명 키 {key}")):
        browser = start(desk, "auditor", language)
        browser.press(f".notes a[href*='lacks={key}']")
        clicks = needed(browser, 1)
        must(title in browser.text("h1"), f"the title is {browser.text('h1')}")
        rows = browser.texts("tbody td:first-of-type a")
        must({f"t13-{number}" for number in range(3)} <= set(rows), f"the list has {rows}")
        must(browser.text(".count").startswith(str(len(rows))), f"it counts {browser.text('.count')}")
        browser.examine("machines-lacking")
        browser.open("/console/machines?lacks=zz")
        must("zz" in browser.text("main") and not browser.texts("tbody"), f"no such key: {browser.text('main')}")
        browser.examine("machines-lacking-nothing")
    return clicks


@row(
    "T14",
    "a code, a line and a KeyID are copied",
    "1 click each; the page's own buttons come before; without a script there is no such button",
    limit=90,
)
def copies(desk):
    desk.person("t14-one")
    visitor = desk.visit()
    visitor.post("/console/sign-in", name="operator")
    shown = visitor.get("/console/sign-in").text
    must('class="copy plain"' in shown and re.findall(r'class="copy plain"[^>]* hidden>', shown), "a button that does nothing")
    browser = start(desk)
    browser.open("/console/person/enrol?name=t14-one")
    browser.press("form[action='/console/person/enrol'] button")
    for number, text in enumerate(browser.texts("pre"), 1):
        browser.clicks = 0
        browser.click(f".code:nth-of-type({number}) button.copy")
        must(browser.clipboard() == text, f"{text} is copied as {browser.clipboard()}")
        must(browser.text(f".code:nth-of-type({number}) button.copy") == "Copied", "the button does not say so")
    browser.open("/console/person?name=t14-one")
    browser.click("td .id button.copy")
    key = browser.look_up("document.querySelector('td .id code').textContent")
    must(browser.clipboard() == key and len(key) == 43, f"{key} is copied as {browser.clipboard()}")
    browser.open("/console/person/delete?name=t14-one")
    browser.press("form[action='/console/person/delete'] button")
    words = [text for text in browser.texts("main button") if text]
    must(words[-1] == "Copy" and words.count("Copy") == 1 and "I have confirmed" in words[:-1], f"the buttons are {words}")
    return ", ".join(words)


@row(
    "T15",
    "people and machines are found while somebody types",
    "no click and no Enter; a step back leads to the list before the search; without a script, Enter searches",
    limit=120,
)
def typed(desk):
    operator = desk.signed_in("operator")
    for name, shown in (("t15-kim", "김나래"), ("t15-kimber", "T15 Kimber"), ("t15-lee", "이나래")):
        operator.post("/console/people/add", name=name)
        operator.post("/console/person/change", name=name, displayName=shown)
    desk.person("t15-machine", deviceID="t15-machine", deviceName="t15 desk")
    cells = "tbody td[data-column=Account] a"
    browser = start(desk, "auditor")
    browser.open("/console/people")
    entries = browser.look_up("history.length")
    box = "main input[type=search]"
    browser.type(box, "t15-k")
    browser.shows(cells, ["t15-kim", "t15-kimber"])
    browser.type(box, "imb")
    browser.shows(cells, ["t15-kimber"])
    must("search=t15-kimb" in browser.path, f"the address is {browser.path}")
    must(browser.look_up("document.activeElement.value") == "t15-kimb", "the box has lost the cursor or the text")
    must(browser.look_up("history.length") == entries + 1, "more than one entry of the history for one search")
    must(browser.text("main [role=status]") == browser.text(".count"), "nothing is said about the new list")
    must(not browser.look_up("[...document.querySelectorAll('time small')].some(e => !e.textContent)"), "a time is not told")
    browser.examine("people-typed")
    browser.type(box, "x")
    browser.shows("main .empty", ["No account matches this search. Choose fewer conditions."])
    browser.fill_in(box, "나래")
    browser.shows("tbody td[data-column='Display name']", ["김나래", "이나래"])
    browser.press(".chips a[href*='state=active']")
    must("state=active" in browser.path and len(browser.texts(cells)) == 2, f"the chip leads to {browser.path}")
    browser.back()
    browser.shows(cells, ["t15-kim", "t15-lee"])
    browser.back()
    browser.shows("h1", ["People"])
    must(browser.path == "/console/people" and len(browser.texts(cells)) > 3, f"a step back leads to {browser.path}")
    must(browser.clicks == 1, f"{browser.clicks} clicks")
    browser.open("/console/machines?sort=name")
    browser.type(box, "t15 d")
    browser.shows("tbody td[data-column=Name] a", ["t15 desk"])
    must("sort=name" in browser.path, f"the order is lost: {browser.path}")
    browser.scripts(are_on=False)
    browser.open("/console/people")
    browser.enter(box, "t15-l")
    browser.scripts(are_on=True)
    must(browser.texts(cells) == ["t15-lee"], f"without a script: {browser.texts(cells)}")
    return "found by 5 letters"


@row(
    "T16",
    "two people are put into a group that does not exist yet",
    "4 clicks; the page says how many; they stay in their other groups; a role below operator has no button",
    limit=60,
)
def grouped(desk):
    for name in ("t16-one", "t16-two"):
        desk.run("enrol", name)
    desk.run("person", "t16-one", "--group", "T16 Sales")
    browser = start(desk, "operator", "ko")
    browser.enter("#anywhere", "t16-")
    for place in (1, 2):
        browser.click(f"tbody tr:nth-of-type({place}) td.pick input")
    browser.press("button[formaction$='selected/group']")
    must("2명" in browser.text("main"), f"it says {browser.text('main')}")
    browser.examine("bulk-group")
    browser.fill("name", "T16 연구소")
    browser.press("form[action='/console/people/selected/group'] button")
    must(browser.text("h1") == "T16 연구소" and "구성원 2명" in browser.text("main"), f"it shows {browser.text('main')}")
    done = needed(browser, 4)
    browser.open("/console/person?name=t16-one")
    must(browser.texts("dd .several a") == ["T16 Sales", "T16 연구소"], f"the groups are {browser.texts('dd .several a')}")
    helpdesk = start(desk, "helpdesk")
    helpdesk.open("/console/people")
    must(not helpdesk.texts("button[formaction$='selected/group']"), "the helpdesk has a button")
    return done
