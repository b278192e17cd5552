"""Nothing is decided by looking into a sentence.

Sentences are made in `messages`, or raised as errors, and shown. A module that compares one with
something, searches it or cuts it decides on words where it should decide on a value. White space
may be changed for the place where a sentence is shown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import elsewhere

PACKAGE = Path(elsewhere.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
LOOKS = {
    *("count", "endswith", "find", "findall", "finditer", "fullmatch", "index", "match"),
    *("partition", "removeprefix", "removesuffix", "replace", "rfind", "rpartition", "rsplit"),
    *("search", "split", "startswith", "sub"),
}
"""Methods of texts and patterns that look into a text or change it."""
SENTENCE = re.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")
"""A text with three plain words in a row is taken for one."""


def is_sentence(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and SENTENCE.search(node.value) is not None
    )


def called_name(node: ast.AST) -> str:
    """`verdict` of `verdict(…)`, `messages` of `messages.verdict(…)`; empty for anything else."""
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    while isinstance(function, ast.Attribute):
        function = function.value
    return function.id if isinstance(function, ast.Name) else ""


def found_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Where a sentence is looked into: line and source."""
    made_by = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and (
            (node.module or "").startswith("elsewhere.messages")
            or (node.module == "elsewhere" and any(a.name == "messages" for a in node.names))
        )
        for alias in node.names
        if alias.name not in {"Surface", "numbers"}
    }
    scopes = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    for scope in [tree, *scopes]:
        errors = {
            node.name
            for node in ast.walk(scope)
            if isinstance(node, ast.ExceptHandler) and node.name
        }

        def speaks(node: ast.AST, known: set[str], errors: set[str] = errors) -> bool:
            if isinstance(node, ast.Name):
                return node.id in known
            if isinstance(node, ast.Call) and called_name(node) == "str" and node.args:
                text = node.args[0]
                return isinstance(text, ast.Name) and text.id in errors
            return is_sentence(node) or called_name(node) in made_by

        known: set[str] = set()
        for node in ast.walk(scope):
            if not isinstance(node, ast.Assign) or isinstance(node.value, ast.Constant):
                continue
            if speaks(node.value, set()):
                known |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        for node in ast.walk(scope):
            if isinstance(node, ast.Compare):
                if any(speaks(part, known) for part in (node.left, *node.comparators)):
                    yield node.lineno, ast.unparse(node)
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and (node.func.attr in LOOKS or called_name(node) == "re")
            ):
                texts = [
                    n.value
                    for n in node.args
                    if isinstance(n, ast.Constant) and isinstance(n.value, str)
                ]
                white_only = len(texts) == len(node.args) and not "".join(texts).strip("\u00a0 %")
                pattern = called_name(node) == "re"
                parts = [part for part in node.args if pattern or is_sentence(part)]
                parts.append(node.func.value)
                if not white_only and any(speaks(part, known) for part in parts):
                    yield node.lineno, ast.unparse(node)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_sentence_is_looked_into(path: Path) -> None:
    found = dict(found_in(ast.parse(path.read_text("utf-8"))))
    assert not found, "decide on a value instead"


SAMPLES = """
def f(note):
    return note == "nothing needs withholding here"
---
def f(note):
    return "is not among the first" in note
---
def f(note):
    return note.replace("is not among the first", "")
---
import re
WIDE = re.compile("the cell here is ([0-9]+) km across")
---
from elsewhere.messages import verdict
def f(outcome):
    return verdict(outcome).startswith("With")
---
from elsewhere import messages
def f(outcome):
    text = messages.verdict(outcome)
    return "k" in text
---
def f():
    try:
        g()
    except ValueError as error:
        return str(error).replace("a", "b")
---
def f():
    try:
        g()
    except ValueError as error:
        text = str(error)
        return text == "x"
"""


@pytest.mark.parametrize("source", SAMPLES.split("---"))
def test_each_way_to_look_into_one_is_found(source: str) -> None:
    assert list(found_in(ast.parse(source)))
