"""Every rule of `docs/semantics.md` has a test, and every test names a rule."""

from __future__ import annotations

import re

from tests.semantics.rules import DOCUMENT, documented_rules, linked_rules, rules_with_tests


def test_every_rule_has_a_test() -> None:
    tested = rules_with_tests()
    assert [rule for rule in documented_rules() if rule not in tested] == []


def test_every_test_names_a_rule_of_the_document() -> None:
    rules = set(documented_rules())
    assert {rule: tests for rule, tests in rules_with_tests().items() if rule not in rules} == {}


def test_names_are_unique() -> None:
    rules = documented_rules()
    assert sorted(rules) == sorted(set(rules))


def test_links_lead_somewhere() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    headings = {
        re.sub(r"[^a-z0-9 -]", "", heading.lower()).strip().replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }
    assert linked_rules() <= set(documented_rules()) | headings


def test_differences_from_triton_are_listed() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    body, _, listed = text.partition("\n## Differences from Triton\n")
    differing = {
        rule
        for rule, sentences in re.findall(r'<a id="([a-z0-9-]+)"></a>(.*?)(?=\n- <a|\n#|\Z)', body, re.DOTALL)
        if "*Triton*" in sentences
    }
    assert differing == set(re.findall(r"\]\(#([a-z0-9-]+)\)", listed))
