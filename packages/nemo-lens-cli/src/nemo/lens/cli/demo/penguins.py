# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The demo's data: 342 penguins, four measurements each, three species (source: `DATA.md`)."""

from __future__ import annotations

import random
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

T = TypeVar("T")

SPECIES = ("Adelie", "Chinstrap", "Gentoo")
FEATURES = 4

# Mean and standard deviation of each column, so that every rank standardises alike without talking.
_MEANS = (43.92, 17.15, 200.9, 4202.0)
_DEVIATIONS = (5.46, 1.97, 14.1, 802.0)
_SPLIT_SEED = 2014
_HELD_OUT_EVERY = 5


class Example(NamedTuple):
    """One penguin: standardised measurements, and the index of its species in `SPECIES`."""

    features: tuple[float, ...]
    label: int


def read_records() -> list[str]:
    """The undecoded lines of the data set, in a fixed shuffled order.

    Returns:
        One comma-separated line for each penguin, the same order in every process.
    """
    text = (
        resources.files("nemo.lens.cli.demo").joinpath("penguins.csv").read_text(encoding="utf-8")
    )
    records = text.splitlines()[1:]
    random.Random(_SPLIT_SEED).shuffle(records)  # noqa: S311 - a reproducible split, no secret
    return records


def training_records(records: Sequence[str]) -> list[str]:
    """The four fifths of ``records`` that a model may learn from."""
    return [record for index, record in enumerate(records) if index % _HELD_OUT_EVERY]


def held_out_records(records: Sequence[str]) -> list[str]:
    """The fifth of ``records`` that is kept for measuring accuracy."""
    return list(records[::_HELD_OUT_EVERY])


def shard(items: Sequence[T], rank: int, world_size: int) -> list[T]:
    """The part of ``items`` that belongs to ``rank``; the parts are disjoint and cover all."""
    return list(items[rank::world_size])


def join_shards(shards: Sequence[Sequence[T]]) -> list[T]:
    """Put together what `shard` took apart, given in the order of the ranks."""
    joined: dict[int, T] = {}
    for rank, part in enumerate(shards):
        joined.update(zip(range(rank, len(part) * len(shards), len(shards)), part, strict=False))
    return [joined[index] for index in sorted(joined)]


def decode(record: str) -> Example:
    """Parse one line and standardise its measurements.

    Args:
        record: A line as `read_records` returns it.

    Returns:
        The penguin as numbers of mean about 0 and deviation about 1.
    """
    species, *measurements = record.split(",")
    features = tuple(
        (float(value) - mean) / deviation
        for value, mean, deviation in zip(measurements, _MEANS, _DEVIATIONS, strict=True)
    )
    return Example(features, SPECIES.index(species))


def batches(records: Sequence[str], batch_size: int, seed: int) -> Iterator[list[Example]]:
    """Endless batches of decoded examples, reshuffled at every pass over ``records``.

    Args:
        records: The lines of this rank's shard; not empty.
        batch_size: Examples in each batch; may exceed the number of records.
        seed: Makes the order reproducible; give each rank its own.
    """
    order = random.Random(seed)  # noqa: S311 - a reproducible order, no secret
    pending: list[str] = []
    while True:
        while len(pending) < batch_size:
            pending.extend(order.sample(records, len(records)))
        yield [decode(record) for record in pending[:batch_size]]
        del pending[:batch_size]
