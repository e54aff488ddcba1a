"""Strokes, keypads, countdowns, the status, texts that are shown, and command lines."""

import json
import pathlib
import random
import unittest

from expected import of
from uafctl_gui import keypad_layout, status, tasks
from uafctl_gui.countdown import Countdown, parts
from uafctl_gui.keypad_layout import Keypad
from uafctl_gui.messages import Challenge, Ending, Unreadable
from uafctl_gui.secret import Secret
from uafctl_gui.shown_text import LIMIT, line, shown
from uafctl_gui.status import Status
from uafctl_gui.stroke import Stroke

ROOT = pathlib.Path(__file__).resolve().parents[2]


def drawn(*nodes):
    stroke = Stroke()
    for node in nodes:
        stroke.add(node)
    return stroke.nodes


class StrokeTests(unittest.TestCase):
    def test_takes_along_the_node_that_a_line_passes_over(self):
        self.assertEqual(drawn(1, 3, 9, 7), [1, 2, 3, 6, 9, 8, 7])
        self.assertEqual(drawn(1, 9), [1, 5, 9])
        self.assertEqual(drawn(1, 6, 7), [1, 6, 7])

    def test_passes_over_a_node_that_was_visited(self):
        self.assertEqual(drawn(2, 1, 3), [2, 1, 3])

    def test_refuses_a_node_twice_and_nodes_that_do_not_exist(self):
        self.assertEqual(drawn(1, 2, 1, 2, 0, 10, -1), [1, 2])

    def test_holds_each_stroke_of_nine_and_no_more(self):
        chance = random.Random(7)
        for _ in range(500):
            nodes = drawn(*(chance.randint(0, 10) for _ in range(40)))
            self.assertEqual(len(nodes), len(set(nodes)))

    def test_takes_back_and_clears(self):
        stroke = Stroke()
        for node in (1, 2, 5):
            stroke.add(node)
        stroke.take_back()
        self.assertEqual(stroke.nodes, [1, 2])
        stroke.clear()
        stroke.take_back()
        self.assertEqual((stroke.nodes, len(stroke)), ([], 0))


def pin(text="PIN (4 digits): ", length=4, check="passcode"):
    return Challenge(check, "current", False, text, entry_length=length)


class KeypadTests(unittest.TestCase):
    def test_each_order_of_the_digits_is_as_likely_as_the_others(self):
        chance = random.Random(11)
        first = [0] * 10
        for _ in range(5000):
            order = of(Keypad, keypad_layout.keypad(pin(), chance.randrange)).order
            self.assertEqual(sorted(order), list(range(10)))
            first[order[0]] += 1
        self.assertTrue(all(400 < count < 600 for count in first), first)

    def test_takes_over_the_layout_of_the_core(self):
        text = "The keys are shuffled: for each digit, press the key below it.\nDigit  0 1 2 3 4 5 6 7 8 9\n"
        keys = of(Keypad, keypad_layout.keypad(pin(text + "Press  3 1 4 5 9 2 6 8 7 0\nPIN (4 digits): ")))
        self.assertEqual(keys.enters, (3, 1, 4, 5, 9, 2, 6, 8, 7, 0))
        self.assertTrue(keys.is_translated)

    def test_refuses_rows_that_are_no_layout(self):
        head = "Digit  0 1 2 3 4 5 6 7 8 9\n"
        for row in (
            "Press  3 1 4 5 9 2 6 8 7 7",
            "Press  3 1 4",
            "Press  3 1 4 5 9 2 6 8 7 10",
            "",
            "Press  ٣ 1 4 5 9 2 6 8 7 0",
        ):
            with self.subTest(row):
                self.assertFalse(of(Keypad, keypad_layout.keypad(pin(head + row))).is_translated)

    def test_is_only_for_a_pin(self):
        for challenge in (pin(length=None), pin(length=12), pin(check="pattern"), pin(check="code")):
            self.assertIsNone(keypad_layout.keypad(challenge))


class CountdownTests(unittest.TestCase):
    def test_counts_down_and_never_up(self):
        clock = Countdown(300, 1000.0)
        self.assertEqual([clock.left(at) for at in (1000.0, 1000.4, 1001.0, 1299.5, 1300.0, 5000.0)], [300, 300, 299, 1, 0, 0])
        self.assertEqual(clock.left(900.0), 300)

    def test_names_hours_minutes_and_seconds(self):
        self.assertEqual(parts(3 * 3600 + 61), (3, 1, 1))


class ShownTextTests(unittest.TestCase):
    def test_names_what_is_invisible_or_moves_other_characters(self):
        self.assertEqual(shown("a\u202eb\u0000\u001b[2Jc\u200b"), "a[U+202E]b[U+0000][U+001B][2Jc[U+200B]")
        self.assertEqual(shown("가\u3164나\ue000"), "가[U+3164]나[U+E000]")

    def test_leaves_markup_and_other_languages_as_they_are(self):
        self.assertEqual(shown("<b>열쇠</b> & “x”\nzwei"), "<b>열쇠</b> & “x”\nzwei")

    def test_shortens_a_text_of_a_million_characters_and_of_many_lines(self):
        self.assertLessEqual(len(shown("a" * 1_000_000)), LIMIT + 1)
        self.assertLessEqual(len(shown("\u202e" * 1_000_000)), LIMIT + 1)
        self.assertLessEqual(shown("x\n" * 100_000).count("\n"), 24)

    def test_drops_accents_that_would_cover_other_lines(self):
        self.assertEqual(len(shown("a" + "\u0301" * 500)), 5)

    def test_makes_one_line(self):
        self.assertEqual(line("a\n b\tc"), "a b c")


def document(**members):
    base = {
        "version": "0.2.0", "keyBinding": "file", "protocol": "UAF", "account": {"uid": 1000, "name": "mina"},
        "availableTypes": 132, "registeredTypes": 4, "lockedTypes": 0, "usableTypes": 4,
        "authenticators": [{"type": "passcode", "state": 3006, "stateName": "REGISTERED", "remainingTries": 5},
                           {"type": "pattern", "state": 3007, "stateName": "NOT_REGISTERED"}],
    }  # fmt: skip
    return json.dumps(base | members).encode()


class StatusTests(unittest.TestCase):
    def test_reads_what_has_a_value(self):
        read = of(Status, status.read(document()))
        self.assertEqual((read.account, read.available), ("mina", ("passcode", "pattern")))
        self.assertEqual([(one.kind, one.is_usable, one.remaining_tries) for one in read.registered], [("passcode", True, 5)])

    def test_reads_a_lock(self):
        locked = [{"type": "passcode", "state": 3013, "stateName": "X", "remainingLockSeconds": 290, "permanent": False}]
        one = of(Status, status.read(document(authenticators=locked, lockedTypes=4, usableTypes=0))).registered[0]
        self.assertEqual((one.is_locked, one.lock_seconds, one.is_permanent, one.is_usable), (True, 290, False, False))

    def test_reads_why_the_command_failed(self):
        failed = json.dumps({"type": "failure", "result": 1006, "name": "X", "text": "No core.", "nextStep": "Ask."}).encode()
        self.assertEqual(status.read(failed), Ending(False, 1006, "No core.", "Ask."))

    def test_refuses_a_document_that_is_none(self):
        for text in (
            b"", b"[]", b"{}", b'{"type":"success","text":"x"}', document(account="mina"), document(account={"name": 7}),
            document(account={"name": "a\0b"}), document(account={"name": ""}), document(account={"name": "x" * 300}),
            document(authenticators="x"), document(registeredTypes="4"), document(usableTypes=-1),
            document(authenticators=[{"type": "passcode"}] * 17),
            document(authenticators=[{"type": "passcode", "remainingLockSeconds": 1.5}]),
        ):  # fmt: skip
            with self.subTest(text[:60]), self.assertRaises(Unreadable):
                status.read(text)

    def test_ignores_a_type_that_is_not_known(self):
        self.assertEqual(
            of(Status, status.read(document(authenticators=[{"type": "face"}, {"type": ["x"]}, "x"]))).registered, ()
        )


class TaskTests(unittest.TestCase):
    def test_no_code_is_an_argument(self):
        task = tasks.Task(tasks.Kind.RECOVER, "mina", "pattern", has_code=True)
        words = ["register", "--json-conversation", "--together", "--code", "-", "--", "mina", "pattern"]
        self.assertEqual(task.arguments, [tasks.UAFCTL, *words])

    def test_a_name_that_looks_like_an_option_is_none(self):
        arguments = tasks.Task(tasks.Kind.FORGET, "--all", "passcode").arguments
        self.assertLess(arguments.index("--"), arguments.index("--all"))

    def test_the_environment_has_only_the_language(self):
        given = {"LANG": "ko_KR.UTF-8", "LD_PRELOAD": "x", "HOME": "/home/mina", "PATH": "/tmp"}
        self.assertEqual(tasks.environment(given), {"PATH": "/usr/bin:/bin", "LANG": "ko_KR.UTF-8"})


class SourceTests(unittest.TestCase):
    def test_what_decides_knows_no_toolkit(self):
        pure = ("answers", "conversation", "countdown", "keypad_layout", "messages", "secret", "shown_text", "status", "stroke",
                "tasks", "texts", "english", "korean")  # fmt: skip
        for name in pure:
            self.assertNotIn("gi.repository", (ROOT / "gui/uafctl_gui" / f"{name}.py").read_text(encoding="utf-8"), name)

    def test_no_module_uses_markup_a_shell_or_the_network(self):
        for path in (ROOT / "gui/uafctl_gui").glob("*.py"):
            text = path.read_text(encoding="utf-8")
            for word in (
                "set_markup",
                "use_markup=True",
                "shell=True",
                "import socket",
                "urllib",
                "http.client",
                "os.system",
                "eval(",
            ):
                self.assertNotIn(word, text, path.name)

    def test_a_secret_of_digits_is_ascii(self):
        with Secret.of_digits([1, 2, 9]) as made:
            self.assertEqual(bytes(made.octets), b"129")
            octets = made.octets
        self.assertEqual(bytes(octets), b"\0\0\0")


if __name__ == "__main__":
    unittest.main()
