"""A model of a PAM stack: its lines, and libpam's result for the results of their modules.

`scripts/stacks.py` computes with it.
"""

import re

WORDS = {
    "required": "success=ok new_authtok_reqd=ok ignore=ignore default=bad",
    "requisite": "success=ok new_authtok_reqd=ok ignore=ignore default=die",
    "sufficient": "success=done new_authtok_reqd=done default=ignore",
    "optional": "success=ok new_authtok_reqd=ok default=ignore",
}
LINE = re.compile(r"(auth|account|password)  (\[[^]]*\]|\w+)  (\S+)(?: (.*))?|@include (\S+)")


class Line:
    """One line: its stage, the action for each result, the module, or the name of the included file."""

    def __init__(self, text):
        found = LINE.fullmatch(text)
        if not found:
            raise ValueError(f"not a line as the others are: {text}")
        self.text, self.stage, control, self.module, self.arguments, included = text, *found.groups()
        if included:
            # As Debian writes these files: a failure ends the stack, a success goes on.
            self.stage, control, self.module = included.removeprefix("common-"), "requisite", included
        elif control == "substack":
            # The same, but the end is that of the substack.
            control = "required"
        self.is_bracketed = control.startswith("[")
        control = WORDS.get(control, control.strip("[]"))
        self.actions = dict(action.split("=") for action in control.split())

    def action(self, code):
        return self.actions.get(code, self.actions.get("default", "bad"))


def read(path):
    """The lines, and complaints about lines without an explanation and invalid lines."""
    lines, wrong, comment = [], [], 0
    for text in path.read_text().splitlines():
        if text.startswith("#"):
            comment += 1
        elif text:
            if comment == 0:
                wrong.append(f"no comment above: {text}")
            try:
                lines.append(Line(text))
            except ValueError as reason:
                wrong.append(str(reason))
            comment = 0
        else:
            # The header explains the file, not a line.
            comment = 0
    return lines, wrong


# A line that the service itself has after the lines of pam.d/.
LATER = "of-the-service"


def follow(lines, stage, results, behind):
    """libpam's result for a stage with this many lines of the service after it, and the modules it ran."""
    lines = [line for line in lines if line.stage == stage] + behind * [Line(f"{stage}  required  {LATER}")]
    ran, status, has_failed, at = [], None, False, 0
    while at < len(lines):
        line, at = lines[at], at + 1
        ran.append(line.module)
        code = results.get(line.module, "success")
        action = line.action(code)
        if action in ("ok", "done"):
            if not has_failed:
                status = code if status in (None, "success") else status
                if action == "done":
                    break
        elif action in ("bad", "die"):
            # If the control word makes a success a failure, libpam returns a failure.
            status = status if has_failed else "perm_denied" if code == "success" else code
            has_failed = True
            if action == "die":
                break
        elif action.isdigit():
            at += int(action)
            if at > len(lines):
                return "perm_denied", ran
    return status, ran
