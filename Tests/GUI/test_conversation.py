"""Which action follows which event."""

import json
import random
import unittest

from expected import AGAIN, NEW, challenges, line, of
from uafctl_gui import conversation
from uafctl_gui.conversation import Ask, Cancel, Cause, Conversation, End, Send, Tell
from uafctl_gui.secret import Secret

DONE = line(type="success", result=0, name="SUCCESS", pamCode=0, text="Done.") + b"\n"
FAILED = line(type="failure", result=3012, name="WRONG", pamCode=7, text="Wrong.", nextStep="Try again.") + b"\n"


def secret(text):
    octets = text.encode()
    made = Secret(len(octets))
    made.octets[:] = octets
    return made


def asked(*changes):
    """A conversation that has asked."""
    talk = Conversation()
    (ask,) = talk.received(challenges(*(changes or ({},))) + b"\n")
    assert isinstance(ask, Ask)
    return talk


def causes(actions):
    return [action.outcome.cause for action in actions if isinstance(action, End)]


class ConversationTests(unittest.TestCase):
    def test_asks_sends_and_ends(self):
        talk = asked()
        actions = talk.answered([secret("marmalade7")])
        self.assertEqual([type(action) for action in actions], [Send, Tell])
        self.assertEqual(bytes(of(Send, actions[0]).line.octets), b'{"answers":["marmalade7"]}\n')
        end = of(End, talk.received(DONE)[0])
        self.assertEqual((end.outcome.cause, end.outcome.text), (Cause.SUCCESS, "Done."))
        self.assertTrue(talk.is_over)

    def test_sends_a_new_value_and_its_repetition_in_one_line(self):
        actions = asked(NEW, AGAIN).answered([secret("a"), secret('b"\\\t')])
        self.assertEqual(bytes(of(Send, actions[0]).line.octets), b'{"answers":["a","b\\"\\\\\\u0009"]}\n')
        self.assertEqual(json.loads(bytes(of(Send, actions[0]).line.octets)), {"answers": ["a", 'b"\\\t']})

    def test_shows_what_was_said_before_a_question_and_forgets_it_with_the_answer(self):
        talk = Conversation()
        talk.received(line(type="error", text="Wrong.") + b"\n")
        (ask,) = talk.received(challenges({}) + b"\n")
        self.assertEqual([notice.text for notice in of(Ask, ask).notices], ["Wrong."])
        talk.answered([secret("x")])
        end = of(End, talk.received(FAILED)[0])
        self.assertEqual((end.notices, end.outcome.next_step), ((), "Try again."))

    def test_wipes_an_answer_that_does_not_fit_and_sends_nothing(self):
        for values in ([], ["a", "b"], ["a" * 1025]):
            talk, secrets = asked(), [secret(value) for value in values]
            kept = [each.octets for each in secrets]
            self.assertEqual(talk.answered(secrets), [])
            self.assertFalse(any(any(octets) for octets in kept))

    def test_wipes_an_answer_that_was_sent(self):
        talk, value = asked(), secret("marmalade7")
        octets = value.octets
        talk.answered([value])
        self.assertFalse(any(octets))

    def test_refuses_a_second_answer_to_one_question(self):
        talk = asked()
        talk.answered([secret("a")])
        self.assertEqual(talk.answered([secret("b")]), [])

    def test_a_question_before_the_answer_breaks_the_conversation(self):
        actions = asked().received(challenges({}) + b"\n")
        self.assertEqual([type(action) for action in actions], [Cancel, End])
        self.assertEqual(causes(actions), [Cause.BROKEN])

    def test_after_a_line_that_is_unreadable_nothing_is_sent(self):
        for data in (b"[]\n", b"\xff\n", b"x" * 1_000_000, challenges({"check": "password"}) + b"\n", b"\0\n"):
            with self.subTest(data[:40]):
                talk = asked()
                actions = talk.received(data)
                self.assertEqual(causes(actions), [Cause.BROKEN])
                self.assertEqual(of(End, actions[-1]).outcome.text, "")
                self.assertTrue(of(End, actions[-1]).outcome.detail)
                self.assertEqual(talk.answered([secret("a")]), [])
                self.assertEqual(talk.received(DONE), [])
                self.assertEqual(talk.ended(), [])

    def test_a_flood_of_lines_ends(self):
        talk = Conversation()
        actions = talk.received((line(type="info", text="x") + b"\n") * (conversation.MOST_LINES + 1))
        self.assertEqual(causes(actions), [Cause.BROKEN])
        self.assertTrue(all(len(action.notices) <= conversation.MOST_NOTICES for action in actions if isinstance(action, Tell)))

    def test_an_end_without_a_result_is_no_success(self):
        self.assertEqual(causes(Conversation().ended()), [Cause.BROKEN])
        talk = Conversation()
        talk.received(DONE[:-1])
        self.assertEqual(causes(talk.ended()), [Cause.BROKEN])

    def test_what_follows_the_last_line_is_ignored(self):
        talk = Conversation()
        self.assertEqual(len(talk.received(FAILED + DONE)), 1)
        self.assertEqual(talk.received(DONE), [])

    def test_cancelling_is_told_once_and_asks_nothing_more(self):
        talk = asked()
        self.assertEqual([type(action) for action in talk.cancelled()], [Cancel, Tell])
        self.assertEqual(talk.cancelled(), [])
        self.assertEqual(talk.answered([secret("a")]), [])
        self.assertEqual(talk.received(challenges({}) + b"\n"), [])
        self.assertEqual(causes(talk.received(FAILED)), [Cause.CANCELLED])

    def test_what_was_done_before_the_cancelling_arrived_is_told(self):
        talk = Conversation()
        talk.cancelled()
        self.assertEqual(causes(talk.received(DONE)), [Cause.SUCCESS])

    def test_a_program_that_is_not_there_is_told(self):
        self.assertEqual(causes(Conversation().not_started()), [Cause.ABSENT])

    def test_a_line_that_cannot_be_written_breaks_the_conversation(self):
        talk = asked()
        talk.answered([secret("a")])
        self.assertEqual(causes(talk.not_written()), [Cause.BROKEN])

    def test_every_sequence_of_events_ends_at_most_once_and_sends_only_what_was_asked_for(self):
        chance = random.Random(20261201)
        for _ in range(3000):
            talk, sent, questions, ends = Conversation(), 0, 0, 0
            for _ in range(12):
                event = chance.choice(
                    [
                        lambda: talk.received(challenges(*chance.choice([({},), (NEW, AGAIN)])) + b"\n"),
                        lambda: talk.received(line(type="info", text="x") + b"\n"),
                        lambda: talk.received(chance.choice([DONE, FAILED, b"junk\n", b"{}\n"])),
                        lambda: talk.answered([secret("a")] * chance.randint(1, 2)),
                        talk.cancelled, talk.ended, talk.not_written,
                    ]
                )  # fmt: skip
                actions = event()
                sent += sum(isinstance(action, Send) for action in actions)
                questions += sum(isinstance(action, Ask) for action in actions)
                ends += sum(isinstance(action, End) for action in actions)
                self.assertTrue(sent <= questions and ends <= 1)
                self.assertEqual(talk.is_over, ends == 1)


class AnswerTests(unittest.TestCase):
    def test_a_secret_shows_nothing_of_itself(self):
        self.assertEqual(repr(secret("marmalade7")), "Secret()")

    def test_every_byte_arrives_as_it_was_entered(self):
        text = "".join(chr(number) for number in range(1, 128)) + "열쇠€"
        actions = asked().answered([secret(text)])
        self.assertEqual(json.loads(bytes(of(Send, actions[0]).line.octets)), {"answers": [text]})

    def test_a_code_is_one_line(self):
        from uafctl_gui.answers import code_line

        self.assertEqual(bytes(code_line(secret("ABCD\n{EFGH")).octets), b"ABCD {EFGH\n")


if __name__ == "__main__":
    unittest.main()
