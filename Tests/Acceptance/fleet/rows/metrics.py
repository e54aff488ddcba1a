"""An instance's metrics, checked by Prometheus' own tool."""

import contextlib
import json
import re
import shutil
import subprocess
import urllib.error
import urllib.request

from fleet.client import Refused
from fleet.programs import write
from fleet.server import UNLIMITED
from fleet.single import Single
from lab.machine import ROOT
from lab.table import Broken, Skip, must, row
from lab.waiting import until

PLACE = "127.0.6.1:9180"
ALERTS = ROOT / "examples/uaf-server-alerts.yml"
DASHBOARD = ROOT / "examples/uaf-server-dashboard.json"
ACCEPTED = 'uaf_requests_total{route="respond",operation="Auth",result="accepted"}'
REFUSED = 'uaf_requests_total{route="respond",operation="Auth",result="refused"}'


def fetch(path, status=200):
    try:
        with urllib.request.urlopen(f"http://{PLACE}{path}", timeout=10) as answer:
            found, text = answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        found, text = error.code, error.read().decode()
    must(found == status, f"{path}: {found} in place of {status}")
    return text


def is_ready():
    """Whether the server is ready, which takes a moment, because it checks its store first."""
    try:
        return fetch("/readyz") == "ok\n"
    except (OSError, Broken):
        return False


def is_hidden(channel):
    """Whether the login port does not serve the page."""
    try:
        channel.read("/metrics")
    except Broken as reason:
        return "HTTP 404" in str(reason)
    return False


def values(page):
    lines = (line.rsplit(" ", 1) for line in page.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in lines}


def promtool(*arguments, text=None):
    """Runs promtool; a finding breaks the row."""
    if shutil.which("promtool") is None:
        raise Skip("Debian's prometheus is not there")
    ended = subprocess.run(["promtool", *arguments], input=text, text=True, capture_output=True, timeout=60, check=False)
    must(ended.returncode == 0 and not (text and ended.stderr), f"promtool {arguments}: {ended.stdout}{ended.stderr}")


def expressions():
    """The dashboard's queries, with its variables filled in."""
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel["targets"]:
            yield target["expr"].replace("$__rate_interval", "5m").replace("$instance", ".*")


def rules_of_dashboard():
    """The dashboard's expressions as rules, since the tool checks rules."""
    rules = [{"record": f"dashboard:panel{number}", "expr": text} for number, text in enumerate(expressions())]
    return json.dumps({"groups": [{"name": "dashboard", "rules": rules}]})


def must_exist(page):
    """Alerts and dashboard use only metrics that the page has."""
    families = set(re.findall(r"^# TYPE (\S+)", page, re.MULTILINE))
    asked = set(re.findall(r"\b(?:uaf|process)_[a-z_]+\b", ALERTS.read_text() + "\n".join(expressions())))
    missing = {name for name in asked if re.sub(r"_bucket$", "", name) not in families}
    must(not missing, f"no such metric: {missing}")


@row(
    "F21",
    "metrics of an instance: logins, a refusal, a database that goes away and comes back; alerts and dashboard of examples/",
    "promtool finds no fault; the counts are those of the clients; the port for logins does not serve the metrics",
    causes=("the machine",),
    limit=180,
)
def metrics(lab):
    single = Single(lab)
    instance = single.instance(limits=(*UNLIMITED, "--metrics-listen", PLACE))
    instance.start()
    until(is_ready, "the instance to be ready")
    channel, person = lab.channel(instance), lab.person(instance)
    before = values(fetch("/metrics"))
    for _ in range(5):
        person.login(channel)
    signed = person.sign(channel)
    person.send(channel, signed)
    with contextlib.suppress(Refused):
        person.send(channel, signed)
    page = fetch("/metrics")
    after = values(page)
    counts = {name: after[name] - before[name] for name in (ACCEPTED, REFUSED)}
    must(counts == {ACCEPTED: 6, REFUSED: 1}, f"counted {counts}")
    reasons = sum(after[name] - before[name] for name in after if name.startswith('uaf_refusals_total{route="respond"'))
    must(reasons == 1, f"{reasons} reasons of one refusal")
    promtool("check", "metrics", text=page)
    promtool("check", "rules", str(ALERTS))
    promtool("test", "rules", str(ROOT / "Tests/Acceptance/fleet/alerts-test.yml"))
    promtool("check", "rules", str(write("/srv/dashboard.yml", rules_of_dashboard(), 0o644)))
    must_exist(page)
    must(person.name not in page, "the page names a person")
    must(is_hidden(channel), "the port of logins tells the metrics")
    single.down()
    until(lambda: values(fetch("/metrics"))["uaf_store_up"] == 0, "the page to say that the store is away")
    must(fetch("/readyz", 503) == "store\n" and fetch("/livez") == "ok\n", "livez and readyz")
    single.up()
    until(lambda: values(fetch("/metrics"))["uaf_store_up"] == 1, "the page to say that the store is back")
    return f"{len(after)} values; 6 accepted, 1 refused; promtool found nothing; store away and back seen"
