# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Collective operations between the demo's ranks, over pipes: reduce to rank 0, then broadcast."""

from __future__ import annotations

import multiprocessing
from array import array
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, NoReturn, cast

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection

    Link = Connection[bytes, bytes]

# A dead rank is noticed at once; this is for a stuck one. 64 ranks on two busy cores need two
# minutes until the last one has started.
PEER_TIMEOUT_S = 180.0


class PeerLostError(RuntimeError):
    """Another rank, or the launcher, went away in the middle of a collective operation."""


def connect(world_size: int) -> list[list[Link]]:
    """The pipes of a star with rank 0 in its centre.

    Args:
        world_size: Number of ranks.

    Returns:
        For each rank its own ends: rank 0 has one for each other rank in order, the others have
        one, to rank 0. Close the caller's copies once the ranks run, or a dead rank is not noticed.
    """
    pairs = [multiprocessing.Pipe() for _ in range(1, world_size)]
    centre = [cast("Link", near) for near, _ in pairs]
    return [centre, *([cast("Link", far)] for _, far in pairs)]


class ProcessGroup:
    """One rank's side of the collectives; every rank must call the same ones in the same order.

    Args:
        rank: This process.
        links: This rank's entry of `connect`.
    """

    def __init__(self, rank: int, links: Sequence[Link]) -> None:
        self._rank = rank
        self._links = links
        launcher = multiprocessing.parent_process()
        self._launcher = [] if launcher is None else [launcher.sentinel]

    def all_reduce_sum(self, values: array[float]) -> array[float]:
        """Add up ``values`` over all ranks; returns when every rank has contributed.

        Args:
            values: This rank's addends; the same length on each rank.

        Returns:
            The sums, identical on every rank.

        Raises:
            PeerLostError: A rank or the launcher ended, or did not arrive in time.
        """
        if self._rank:
            self._send(self._links[0], values, peer=0)
            return self._receive(self._links[0], peer=0)
        total = values
        for peer, link in enumerate(self._links, start=1):
            addends = self._receive(link, peer)
            total = array("d", [a + b for a, b in zip(total, addends, strict=True)])
        return self.broadcast(total)

    def broadcast(self, values: array[float]) -> array[float]:
        """Give every rank the ``values`` of rank 0.

        Args:
            values: What to send; used on rank 0 only.

        Returns:
            Rank 0's values.

        Raises:
            PeerLostError: A rank or the launcher ended, or did not arrive in time.
        """
        if self._rank:
            return self._receive(self._links[0], peer=0)
        for peer, link in enumerate(self._links, start=1):
            self._send(link, values, peer)
        return values

    def hang(self) -> NoReturn:
        """Wait for nothing, as a rank that hangs, for as long as there is a launcher to end it.

        Raises:
            PeerLostError: The launcher has ended.
        """
        wait(self._launcher)
        raise PeerLostError("the launching process has ended")

    def _send(self, link: Link, values: array[float], peer: int) -> None:
        try:
            link.send_bytes(values.tobytes())
        except OSError as error:
            raise PeerLostError(f"rank {peer} has ended") from error

    def _receive(self, link: Link, peer: int) -> array[float]:
        ready = wait([link, *self._launcher], timeout=PEER_TIMEOUT_S)
        if not ready:
            raise PeerLostError(f"rank {peer} did not arrive within {PEER_TIMEOUT_S:.0f} s")
        if link not in ready:
            raise PeerLostError("the launching process has ended")
        try:
            return array("d", link.recv_bytes())
        except (EOFError, OSError) as error:
            raise PeerLostError(f"rank {peer} has ended") from error
