"""An attacker between the core and the chip removes the chip, changes its answers, or stays silent."""

import threading

from devices.chip import KEY, SEALED, Between, is_in, refused, sealed, tool, unsealed, use
from lab import hosts
from lab.table import must, row


def commands_of(lab, chip, act):
    """How many commands the chip receives during an action."""
    between = Between(lab, chip)
    use(lab, between.place)
    act()
    must(between.commands, "the chip was not asked")
    return len(between.commands)


@row(
    "D22",
    "the chip ends at each of its commands, while the key is sealed and while a person logs in",
    "refused before any prompt, or completed; the key is either in its file or sealed; let in once the chip is back",
    ("root", "the machine"),
    limit=300,
)
def ends_at_each_command(lab):
    chip, person = unsealed(lab)
    count = commands_of(lab, chip, lambda: lab.run("uafctl", "seal"))
    lab.run("uafctl", "unseal")
    refusals = 0
    for step in range(count):
        use(lab, Between(lab, chip, step=step, does=chip.stop).place)
        is_refused = tool(lab, "seal")[0] != 0
        must(KEY.exists() == is_refused and SEALED.exists() != is_refused, f"half sealed, at command {step}")
        refusals += is_refused
        chip.start()
        use(lab, chip.place)
        is_in(lab, person)
        if not is_refused:
            lab.run("uafctl", "unseal")
    lab.run("uafctl", "seal")
    logins = commands_of(lab, chip, lambda: is_in(lab, person))
    for step in range(logins):
        use(lab, Between(lab, chip, step=step, does=chip.stop).place)
        login = lab.login(person, person.passcode)
        # The core makes the chip forget only after the key is open.
        must(login.is_in or "chip (TPM)" in login.text, f"at command {step}: {login}")
        refusals += not login.is_in
        chip.start()
    use(lab, chip.place)
    is_in(lab, person)
    must(refusals > (count + logins) // 2, f"only {refusals} refused")
    return f"ended at {count} commands of a seal and {logins} of a login: {refusals} refused, and always in afterwards"


@row(
    "D23",
    "somebody between the core and the chip changes a byte of each response, in its middle or at its end",
    "refused before any prompt, or let in if nothing depends on that byte; never anything else",
    ("root", "the machine"),
    limit=300,
)
def changed_responses(lab):
    chip, person = sealed(lab)
    count = commands_of(lab, chip, lambda: is_in(lab, person))
    seen = {hosts.SUCCESS: 0, hosts.SYSTEM_ERR: 0}
    for step in range(count):
        for part in (0.5, 1):

            def change(response, part=part):
                # Never in the size field: the core would then wait for bytes that do not come.
                index = max(6, int(len(response) * part) - 1)
                return response[:index] + bytes([response[index] ^ 1]) + response[index + 1 :]

            use(lab, Between(lab, chip, step=step, changes=change).place)
            login = lab.login(person, person.passcode)
            must(login.code in seen, f"response {step}, at {part}: {login}")
            seen[login.code] += 1
            # Unclosed objects fill a chip that has no kernel resource manager.
            chip.stop()
            chip.start()
    must(seen[hosts.SYSTEM_ERR] > count // 2, f"hardly any was noticed: {seen}")
    use(lab, chip.place)
    is_in(lab, person)
    return f"{count} responses of a login, 2 bytes each: {seen[hosts.SYSTEM_ERR]} refused, {seen[hosts.SUCCESS]} let in"


@row("D24", "the chip stops responding in the middle of a login", "refused after 15 s; the next login works", limit=180)
def silent(lab):
    chip, person = sealed(lab)
    ends = threading.Event()
    lab.after(ends.set)
    use(lab, Between(lab, chip, step=1, does=ends.wait).place)
    refused(lab, person, "disappeared", "lost")
    use(lab, chip.place)
    ends.set()
    is_in(lab, person)
    return "refused with a text of its own"
