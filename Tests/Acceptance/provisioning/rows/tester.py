"""Somebody else's checks of RFC 7643 and RFC 7644: scim2-tester, with scim2-client."""

import ssl

from lab.table import Skip, must, row
from provisioning.desk import ENGINES

# What the checks expect, and this server does not do; docs/provisioning.md says why.
KNOWN = {
    # To remove `active` is refused: it would say nothing about whether the person may log in.
    ("check_remove_attribute", "User", "active"),
}


def urn(result):
    return result.data.get("urn") if isinstance(result.data, dict) else None


def checked(server):
    try:
        from httpx2 import Client
        from scim2_client.engines.httpx2 import SyncSCIMClient
        from scim2_tester import Status, check_server
    except ImportError as reason:
        raise Skip(f"scim2-tester could not be installed: {reason}") from None
    program = server.client()
    trust = ssl.create_default_context(cafile=str(server.authority))
    headers = {"Authorization": f"Bearer {program.token}"}
    with Client(base_url=program.base, headers=headers, verify=trust, timeout=60) as client:
        results = check_server(SyncSCIMClient(client))
    done = [result for result in results if result.status == Status.SUCCESS]
    failed = [result for result in results if result.status not in (Status.SUCCESS, Status.SKIPPED)]
    skipped = [result for result in results if result.status == Status.SKIPPED]
    unknown = [result for result in failed if (result.title, result.resource_type, urn(result)) not in KNOWN]
    must(not unknown, "; ".join(f"{r.title} {r.resource_type} {urn(r)}: {r.reason[:200]}" for r in unknown[:4]))
    missing = KNOWN - {(result.title, result.resource_type, urn(result)) for result in failed}
    must(not missing, f"a check that is known to fail has passed: {sorted(missing)}")
    must(len(done) > 50, f"only {len(done)} checks were made")
    text = f"{len(done)} checks passed, {len(failed)} failed as documented"
    return text + "".join(f"; left out: {result.title} ({result.reason[:80]})" for result in skipped)


for number, (engine, shown) in enumerate(ENGINES.items(), 1):

    @row(f"T{number}", f"scim2-tester against {shown}", "every check passes, except the documented one")
    def tester(lab, engine=engine):
        return checked(lab.server(engine))
