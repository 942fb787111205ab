# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The types of settings: how the text of a variable becomes a value, and back.

Every type offers the same few things, so that parsing, `to_env`, validation and the documentation
are one loop over the table in `nemo.lens.configuration.settings`. One module although it is long:
the types answer the same questions, and are compared with each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from nemo.lens.spans.text import encodable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

INT32_MAX: Final = 2**31 - 1

_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off"})


class ValueType(Protocol):
    """What the table needs of a type.

    Attributes:
        fault: How an error message starts, such as "Invalid boolean".
        accepted: The accepted values, as one phrase.
        keeps_blanks: Whether a text of blanks is a value; it counts as unset otherwise.
        secret: Whether messages must not show a value.
    """

    fault: str
    accepted: str
    keeps_blanks: bool = False
    secret: bool = False

    def parse(self, text: str) -> Any:
        """Give the canonical value that a text means; `ValueError` when it has none."""
        ...

    def accepts(self, value: object) -> bool:
        """Say whether a value set in code is of this type; never raises."""
        ...

    def canonical(self, value: Any) -> Any:
        """Give an accepted value as `parse` would give it; `parse(render(it))` equals it."""
        ...

    def render(self, value: Any) -> str:
        """Give the text of a canonical value, "" for "not set"."""
        ...

    def remains(self, text: str) -> str:
        """Give what can be used of a text that `parse` refuses; "" for nothing."""
        del text
        return ""


class DefaultText(str):
    """A default that equals the plain text but can be told from it: nobody chose it.

    `dataclasses.replace`, `asdict`, `copy` and `pickle` keep the type, so that a service name or an
    export strategy that was chosen explicitly stays told from one that was not, even when both are
    the same text.
    """

    __slots__ = ()


class Boolean(ValueType):
    """On or off, in the spellings that people use; `optional` adds `None` for "decide for me"."""

    fault = "Invalid boolean"
    accepted = "'1'/'0', 'true'/'false', 'yes'/'no' or 'on'/'off', in any case"

    def __init__(self, *, optional: bool = False) -> None:
        self._optional = optional

    def parse(self, text: str) -> bool:
        """Give the truth that `text` spells."""
        word = text.strip().lower()
        if word in _TRUE:
            return True
        if word in _FALSE:
            return False
        raise ValueError(text)

    def accepts(self, value: object) -> bool:
        """Accept booleans and what equals them (0, 1, numpy's booleans), never text."""
        if value is None:
            return self._optional
        return _holds(lambda: value in (True, False))

    def canonical(self, value: Any) -> bool | None:
        """Give a real boolean, or `None`."""
        return None if value is None else bool(value)

    def render(self, value: Any) -> str:
        """Give `1` or `0`, and nothing for `None`."""
        return "" if value is None else str(int(value))


class Integer(ValueType):
    """A whole number in base 10 between two bounds, both included."""

    fault = "Invalid integer"

    def __init__(self, least: int, most: int = INT32_MAX) -> None:
        self._least = least
        self._most = most
        self.accepted = f"a base-10 integer from {least} to {most}"

    def parse(self, text: str) -> int:
        """Give the number that the digits and the sign spell."""
        number = int(_plain_digits(text))
        if not self._least <= number <= self._most:
            raise ValueError(text)
        return number

    def accepts(self, value: Any) -> bool:
        """Accept integers within the bounds (numpy's too), not booleans."""
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            return False
        return _holds(lambda: self._least <= int(value) <= self._most)

    def canonical(self, value: Any) -> int:
        """Give a plain integer."""
        return int(value)

    def render(self, value: Any) -> str:
        """Give the decimal digits."""
        return str(value)


class Real(ValueType):
    """A number between two bounds, both included."""

    fault = "Invalid float"

    def __init__(self, least: float, most: float) -> None:
        self._least = least
        self._most = most
        self.accepted = f"a number in [{least:g}, {most:g}]"

    def parse(self, text: str) -> float:
        """Give the number; NaN and what lies outside the bounds are refused."""
        number = float(_plain_digits(text))
        if not self.accepts(number):
            raise ValueError(text)
        return number

    def accepts(self, value: Any) -> bool:
        """Accept real numbers within the bounds (numpy's too), not booleans and text."""
        if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
            return False
        return _holds(lambda: self._least <= float(value) <= self._most)

    def canonical(self, value: Any) -> float:
        """Give a plain float."""
        return float(value)

    def render(self, value: Any) -> str:
        """Give the shortest digits that read back as the same number."""
        return repr(value)


class Text(ValueType):
    r"""Any text, made fit for export.

    A byte that is not UTF-8 and an unpaired surrogate are written out as `\udc80`, and a NUL
    becomes U+FFFD: one of them in the resource would cost every batch.
    """

    fault = "Invalid text"

    def __init__(self, accepted: str = "any text", *, keeps_blanks: bool = False) -> None:
        self.accepted = accepted
        self.keeps_blanks = keeps_blanks

    def parse(self, text: str) -> str:
        """Give the readable text, without blanks around it where the setting says so."""
        readable = _readable(text)
        return readable if self.keeps_blanks else readable.strip()

    def accepts(self, value: object) -> bool:
        """Accept text, and `None`, which some clients assign, for none."""
        return value is None or isinstance(value, str)

    def canonical(self, value: Any) -> str:
        """Give a plain text; a default that nobody chose stays one."""
        if isinstance(value, DefaultText):
            return value
        return "" if value is None else self.parse("".join(value))

    def render(self, value: Any) -> str:
        """Give the text, nothing for a default that nobody chose."""
        return "" if isinstance(value, DefaultText) else str(value)


class GroupSpec(Text):
    """A span-group specification; commas alone are the empty one, as an empty variable is unset."""

    def parse(self, text: str) -> str:
        """Give the specification, empty when it selects nothing."""
        spec = super().parse(text)
        return spec if spec.replace(",", "").strip() else ""

    def render(self, value: Any) -> str:
        """Give the specification, a comma for the empty one."""
        return super().render(value) or ","


class Words(ValueType):
    """Words out of a closed set, in any case: one, or a comma list of them."""

    def __init__(self, *words: str, fault: str = "Invalid value", several: bool = False) -> None:
        self._words = frozenset(words)
        self._several = several
        self.fault = fault
        spelled = ", ".join(f"'{word}'" for word in words)
        self.accepted = f"a comma list out of {spelled}" if several else f"one of {spelled}"

    def parse(self, text: str) -> str:
        """Give the words in lower case, without blanks and repetitions."""
        parts = text.split(",") if self._several else [text]
        words = dict.fromkeys(part.strip().lower() for part in parts if part.strip())
        if not words or not self._words.issuperset(words):
            raise ValueError(text)
        return ",".join(words)

    def accepts(self, value: object) -> bool:
        """Accept a text that `parse` understands."""
        return isinstance(value, str) and _holds(lambda: self.parse(value))

    def canonical(self, value: Any) -> str:
        """Give the words as `parse` does; a default that nobody chose stays one."""
        return value if isinstance(value, DefaultText) else self.parse(value)

    def render(self, value: Any) -> str:
        """Give the words, nothing for a default that nobody chose."""
        return "" if isinstance(value, DefaultText) else str(value)


class Names(ValueType):
    """A comma list of names, as a tuple."""

    fault = "Invalid list"
    accepted = "names, separated by commas in a variable and in a tuple in code"

    def parse(self, text: str) -> tuple[str, ...]:
        """Give the names in their order, without blanks, empty ones and repetitions."""
        return self.canonical(text.split(","))

    def accepts(self, value: Any) -> bool:
        """Accept a collection of names; a single text in its place is the usual mistake."""
        if not isinstance(value, (tuple, list, set, frozenset)):
            return False
        names = cast("Collection[object]", value)
        if not all(isinstance(name, str) and "," not in name for name in names):
            return False
        try:
            self.canonical(names)
        except ValueError:
            return False
        return True

    def canonical(self, value: Any) -> tuple[str, ...]:
        """Give a tuple, of a set in alphabetical order."""
        names = cast("Collection[str]", value)
        ordered = sorted(names) if isinstance(names, (set, frozenset)) else names
        readable = (_readable("".join(word)).strip() for word in ordered)
        return tuple(dict.fromkeys(self._name(word) for word in readable if word))

    def render(self, value: Any) -> str:
        """Give the names with commas between them."""
        return ",".join(value)

    def _name(self, word: str) -> str:
        return word


class Signals(Names):
    """A comma list of signals that a process can catch, with or without `SIG`, in any case."""

    fault = "Invalid signal"
    accepted = "names of signals such as 'SIGUSR1' or 'USR1', but for SIGKILL and SIGSTOP"

    def _name(self, word: str) -> str:
        import signal

        upper = word.strip().upper()
        full_name = upper if upper.startswith("SIG") else f"SIG{upper}"
        uncatchable = full_name in {"SIGKILL", "SIGSTOP"}
        if uncatchable or full_name not in signal.Signals.__members__:
            raise ValueError(word)
        return full_name


def _plain_digits(text: str) -> str:
    """Refuse the spellings that only Python reads as numbers, such as `1_000`."""
    digits = text.strip()
    if not digits.isascii() or "_" in digits:
        raise ValueError(text)
    return digits


def _readable(text: str) -> str:
    return encodable(text).replace("\0", "\ufffd")


def _holds(check: Callable[[], object]) -> bool:
    """Ask `check`; a value from user code that raises when it is asked is not accepted."""
    try:
        return bool(check())
    except Exception:
        return False
