"""The lines of uafctl, and what is not one."""

import unittest

from expected import AGAIN, NEW, PASSCODE, challenges, line, of
from uafctl_gui.messages import Challenge, Challenges, Ending, LineReader, Notice, Unreadable, json_object, message


class MessageTests(unittest.TestCase):
    def test_reads_each_kind_of_line(self):
        self.assertEqual(message(challenges({})), Challenges((Challenge("passcode", "current", False, "Passcode: "),)))
        self.assertEqual(message(line(type="info", text="Hello.")), Notice("Hello.", False))
        self.assertEqual(message(line(type="error", text="Wrong.")), Notice("Wrong.", True))
        done = line(type="success", result=7110, name="CHANGED", pamCode=0, text="Changed.", nextStep="Go on.")
        self.assertEqual(message(done), Ending(True, 7110, "Changed.", "Go on."))
        self.assertEqual(message(line(type="failure", result=999, name="X", text="No.")), Ending(False, 999, "No."))

    def test_reads_a_new_value_and_its_repetition_as_one_form(self):
        read = of(Challenges, message(challenges(NEW, AGAIN)))
        self.assertEqual([each.step for each in read.challenges], ["new", "newAgain"])

    def test_reads_all_members_of_a_challenge(self):
        more = {"check": "choice", "options": ["a", "b"], "remainingAttempts": 2, "errorMessage": "No."}
        read = of(Challenges, message(challenges(more))).challenges[0]
        self.assertEqual((read.options, read.remaining_attempts, read.error), (("a", "b"), 2, "No."))
        self.assertEqual(of(Challenges, message(challenges({"entryLength": 4}))).challenges[0].entry_length, 4)

    def test_ignores_members_that_a_newer_version_adds(self):
        self.assertEqual(message(line(type="info", text="Hello.", colour="red")), Notice("Hello.", False))

    def test_refuses_a_line_that_is_not_one_object(self):
        for text in (b"", b"[]", b'"x"', b"7", b"null", b'{"type":"info"', b'{"type":"info","text":"a"} x', b"\xff", b"{'a':1}"):
            with self.subTest(text), self.assertRaises(Unreadable):
                message(text)

    def test_refuses_a_name_twice_and_numbers_that_are_none(self):
        for text in (b'{"type":"info","text":"a","text":"b"}', b'{"type":"info","text":"a","x":NaN}', b'{"x":Infinity}'):
            with self.subTest(text), self.assertRaises(Unreadable):
                message(text)

    def test_refuses_a_depth_that_would_exhaust_the_reader(self):
        with self.assertRaises(Unreadable):
            json_object(b'{"a":' + b"[" * 60_000 + b"]" * 60_000 + b"}")

    def test_refuses_a_number_with_a_hundred_thousand_digits(self):
        with self.assertRaises(Unreadable):
            json_object(b'{"a":' + b"9" * 100_000 + b"}")

    def test_refuses_a_type_or_a_question_that_is_not_known(self):
        for text in (
            line(text="Hello."), line(type="challenge", **PASSCODE), line(type="ready", result=10, name="READY"),
            line(type=["info"], text="a"), line(type="exec", text="a"), challenges({"check": "password"}),
            challenges({"step": "first"}), challenges({"echo": 1}), challenges({"text": 7}), challenges({"text": None}),
            challenges({"check": ["passcode"]}),
        ):  # fmt: skip
            with self.subTest(text), self.assertRaises(Unreadable):
                message(text)

    def test_refuses_two_challenges_that_are_not_one_form(self):
        for pair in (({}, {}), (AGAIN, NEW), (NEW, NEW), (NEW, AGAIN | {"check": "pattern"}), (NEW, AGAIN, AGAIN), ()):
            with self.subTest(pair), self.assertRaises(Unreadable):
                message(challenges(*pair))

    def test_refuses_a_choice_without_options_and_options_without_a_choice(self):
        for change in (
            {"check": "choice"}, {"check": "choice", "options": []}, {"options": ["a"]}, {"check": "choice", "options": [1]},
            {"check": "choice", "options": ["a"] * 33}, {"check": "choice", "options": "ab"},
        ):  # fmt: skip
            with self.subTest(change), self.assertRaises(Unreadable):
                message(challenges(change))

    def test_refuses_numbers_out_of_range(self):
        for change in ({"remainingAttempts": -1}, {"remainingAttempts": True}, {"remainingAttempts": 1.5}, {"entryLength": 0},
                       {"entryLength": 2000}, {"entryLength": "4"}):  # fmt: skip
            with self.subTest(change), self.assertRaises(Unreadable):
                message(challenges(change))

    def test_never_repeats_a_line_in_an_error(self):
        try:
            message(b'{"type":"marmalade7","text":"marmalade7"}')
        except Unreadable as error:
            self.assertNotIn("marmalade7", str(error))


class LineReaderTests(unittest.TestCase):
    def test_gives_lines_as_they_are_completed(self):
        reader = LineReader()
        self.assertEqual(list(reader.lines(b'{"a"')), [])
        self.assertFalse(reader.is_between_lines)
        self.assertEqual(list(reader.lines(b":1}\n{}\n")), [b'{"a":1}', b"{}"])
        self.assertTrue(reader.is_between_lines)

    def test_refuses_a_line_that_is_too_long_before_it_ends(self):
        reader = LineReader(10)
        self.assertEqual(list(reader.lines(b"12345")), [])
        with self.assertRaises(Unreadable):
            list(reader.lines(b"678901"))
        with self.assertRaises(Unreadable):
            list(LineReader().lines(b"a" * 1_000_000))


if __name__ == "__main__":
    unittest.main()
