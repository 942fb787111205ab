# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0

"""What a fast span holds, and how it reads and changes.

Fields that most spans never use are class attributes until they are needed: events, links, the
status, the `SpanContext` and the bounded attributes. Anything beyond plain attributes within the
limits is left to the SDK's own classes, which makes their rules ours.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from opentelemetry.attributes import BoundedAttributes
from opentelemetry.sdk.trace import Span
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode

from nemo.lens.fork_safety import run_in_forked_child
from nemo.lens.spans.no_span import refuse_decoration

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager
    from contextvars import Token
    from types import TracebackType

    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import SpanLimits
    from opentelemetry.trace import TraceFlags, TraceState

SCALARS = frozenset((str, bool, int, float))
"""Types of values that the SDK keeps as they are, while no length limit is set."""

_STRIPES = 64
_locks = [threading.RLock() for _ in range(_STRIPES)]


class Nothing(dict[str, Any]):
    """The attributes of every span without attributes; refuses to hold any."""

    def __setitem__(self, key: str, value: Any) -> NoReturn:
        raise TypeError("these attributes are shared by all spans without attributes")


NOTHING = Nothing()
NOT_ATTACHED = "this block attached no context"
LEFT = "the block was left"


class FastSpan(Span):
    """An SDK span that is its own context manager; subclasses are made for each tracer.

    What every span sets is a slot: setting ten of them costs a tenth of setting attributes in the
    dictionary of a new object.

    The class attributes in capital letters and those that `opening` sets describe the tracer.
    """

    __slots__ = (
        "_attributes",
        "_begun",
        "_end_time",
        "_is_odd",
        "_name",
        "_parent_id",
        "_place",
        "_span_id",
        "_start_time",
        "_token",
        "_trace_id",
    )

    PLAIN_LIMIT: ClassVar[int] = 0
    """Most attributes that a plain dictionary may hold here; -1 when values have a length limit."""

    _name: str
    _trace_id: int
    _span_id: int
    _parent_id: int
    _begun: int
    _place: int
    """Where the black box has it; not set without a black box."""

    _start_time: int
    _end_time: int | None
    _attributes: Any
    _is_odd: bool
    """Whether flags or trace state differ from those of a new trace of this tracer."""

    _token: Token[Context] | str | None
    """None before the block, the token of the attached context inside it, then a text."""

    _flags: TraceFlags
    _state: TraceState
    _limits: SpanLimits
    _given_attributes: Mapping[str, Any] | None = None
    _events: Any = ()
    _links: Any = ()
    _kind = SpanKind.INTERNAL
    _status = Status(StatusCode.UNSET)
    _parent_context: SpanContext | None = None
    _own_context: SpanContext | None = None
    _enclosing: tuple[Any, Any] | None = None
    _delegate: AbstractContextManager[Any] | None = None

    _trace_config = None
    _record_exception = True
    _set_status_on_exception = True
    _record_end_metrics = None

    __call__ = staticmethod(refuse_decoration)

    @property
    def _context(self) -> SpanContext:  # type: ignore[override]
        context = self._own_context
        if context is None:
            context = self._own_context = SpanContext(
                self._trace_id,
                self._span_id,
                is_remote=False,
                trace_flags=self._flags,
                trace_state=self._state,
            )
        return context

    @property
    def _parent(self) -> SpanContext | None:  # type: ignore[override]
        if self._parent_context is not None or not self._parent_id:
            return self._parent_context
        return SpanContext(
            self._trace_id,
            self._parent_id,
            is_remote=False,
            trace_flags=self._flags,
            trace_state=self._state,
        )

    def wire_contexts(self) -> tuple[tuple[int, int, TraceState], tuple[int, bool] | None]:
        """The ids of the span and its parent, for encoders; see `_otel_private.wire_contexts`."""
        ids = self._trace_id, self._span_id, self._state
        parent = self._parent_context
        if parent is not None:
            return ids, (parent.span_id, parent.is_remote)
        return ids, (self._parent_id, False) if self._parent_id else None

    @property
    def _lock(self) -> threading.RLock:  # type: ignore[override]
        """One of a few re-entrant locks: a lock for each span would cost more than the span."""
        return _locks[id(self) // 64 % _STRIPES]

    def set_attribute(self, key: str, value: Any) -> None:
        """Set one attribute, as every span does."""
        with self._lock:
            if self._end_time is None and self._set_plainly(key, value):
                return
            self._bound_attributes()
        super().set_attribute(key, value)

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        """Set attributes, as every span does."""
        with self._lock:
            self._bound_attributes()
        super().set_attributes(attributes)

    def _add_event(self, event: Any) -> None:
        with self._lock:
            if self._events == ():
                self._events = self._new_events()  # type: ignore[no-untyped-call]
            super()._add_event(event)

    def _add_link(self, link: Any) -> None:
        with self._lock:
            if self._links == ():
                self._links = self._new_links(())
            super()._add_link(link)

    def _set_plainly(self, key: Any, value: Any) -> bool:
        """Set an attribute that needs no cleaning and no limit; say whether that was possible."""
        if type(value) not in SCALARS or type(key) is not str or not key:
            return False
        attributes: Any = self._attributes
        if attributes is NOTHING:
            if self.PLAIN_LIMIT < 1:
                return False
            self._attributes = {key: value}
            return True
        if type(attributes) is not dict:
            return False
        if key in attributes:
            del attributes[key]  # the SDK moves it to the end as well
        elif len(attributes) >= self.PLAIN_LIMIT:  # pyright: ignore[reportUnknownArgumentType]
            return False
        attributes[key] = value
        return True

    def _bound_attributes(self) -> None:
        """Go over to the attributes of the SDK, which clean and limit what they are given."""
        attributes = self._attributes
        if not isinstance(attributes, BoundedAttributes):
            self._attributes = self.bounded(attributes)

    @classmethod
    def bounded(cls, attributes: Mapping[str, Any]) -> BoundedAttributes:
        """Return `attributes` as the SDK keeps them under the limits of this tracer."""
        return BoundedAttributes(
            cls._limits.max_span_attributes,
            attributes,
            immutable=False,
            max_value_len=cls._limits.max_span_attribute_length,
        )

    @classmethod
    def follow_change(cls) -> None:
        """Take note that the tracer or its processors have changed; subclasses say what follows."""

    def _enter_again(self) -> FastSpan:
        """Serve `with span:` inside its own block, which ends the span and attaches nothing."""
        self._enclosing = (self._token, self._enclosing)
        self._token = NOT_ATTACHED
        return self

    def _leave_oddly(
        self,
        exc_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        """Leave a block that attached nothing itself; say whether there was one."""
        if self._delegate is not None:
            delegate, self._delegate = self._delegate, None
            delegate.__exit__(exc_type, error, traceback)
            return True
        if self._enclosing is not None:
            self._token, self._enclosing = self._enclosing
            Span.__exit__(self, exc_type, error, traceback)
            return True
        return False


@run_in_forked_child
def _renew_locks() -> None:
    """Forget who held the locks: another thread of the parent does not exist in the child."""
    _locks[:] = [threading.RLock() for _ in range(_STRIPES)]
