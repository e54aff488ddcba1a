"""The two tables of texts say the same."""

import pathlib
import re
import string
import unittest

from uafctl_gui import english, korean, texts

ROOT = pathlib.Path(__file__).resolve().parents[2]
HANGUL = re.compile("[가-힣]")
# How a sentence ends in the form of the project's other Korean texts.
POLITE = re.compile(r"(니다|십시오|니까)$")
PLAIN = re.compile(r"(세요|해요|예요|이에요|하라|한다|된다|있다|없다)([.?! ]|$)")


def arguments(text):
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)


class TextTests(unittest.TestCase):
    def test_both_tables_have_the_same_identifiers_in_the_same_order(self):
        self.assertEqual(list(english.TEXTS), list(korean.TEXTS))

    def test_both_tables_have_the_same_arguments(self):
        for name, text in english.TEXTS.items():
            self.assertEqual(arguments(text), arguments(korean.TEXTS[name]), name)

    def test_no_text_is_left_in_the_other_language(self):
        for name, text in korean.TEXTS.items():
            self.assertTrue(HANGUL.search(text), name)
            self.assertFalse(HANGUL.search(english.TEXTS[name]), name)

    def test_every_korean_sentence_has_the_polite_form(self):
        for name, text in korean.TEXTS.items():
            self.assertIsNone(PLAIN.search(text), name)
            for sentence in re.split(r"(?<=[.?])\s+", text):
                if sentence.endswith((".", "?")):
                    self.assertRegex(sentence.rstrip(".?"), POLITE, name)

    def test_every_text_is_used_and_every_used_text_exists(self):
        source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "gui/uafctl_gui").glob("*.py"))
        source += (ROOT / "gui/uafctl-gui.in").read_text(encoding="utf-8")
        used = set(re.findall(r'say\(\s*"([a-z_0-9]+)"', source))
        self.assertEqual(used - set(english.TEXTS), set())
        named = set(re.findall(r'["\x27]([a-z_0-9]+)["\x27]', re.sub(r"TEXTS = \{.*?\n\}", "", source, flags=re.DOTALL)))
        made = ("dot_", "done_", "draw_", "ask_title_", "register_", "recover_", "repair_", "change_", "forget_")
        self.assertEqual([name for name in english.TEXTS if name not in named and not name.startswith(made)], [])

    def test_the_locale_chooses_the_language(self):
        for variables, expected in (
            ({"LANG": "ko_KR.UTF-8"}, "ko"), ({"LANG": "ko"}, "ko"), ({"LC_ALL": "C.UTF-8", "LANG": "ko_KR.UTF-8"}, "en"),
            ({"LC_ALL": "", "LC_MESSAGES": "ko_KR.UTF-8", "LANG": "de_DE"}, "ko"), ({"LANG": "kok_IN"}, "en"), ({}, "en"),
        ):  # fmt: skip
            self.assertEqual(texts.language(variables), expected, variables)

    def test_a_time_has_its_two_largest_units(self):
        say = texts.speaker("en")
        self.assertEqual([texts.duration(n, say) for n in (59, 61, 3661)], ["59 s", "1 min 1 s", "1 h 1 min"])


if __name__ == "__main__":
    unittest.main()
