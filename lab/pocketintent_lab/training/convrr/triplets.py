"""The triplet loss, with mining of hard and semi-hard triplets within a batch.

Sources: Cakaloglu and Xu 2019, equation 8; Hermans, Beyer and Leibe 2017, "In Defense of the
Triplet Loss for Person Re-Identification" (hard); Schroff, Kalenichenko and Philbin 2015, "FaceNet"
(semi-hard).
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

_EPSILON = 1e-12
"""Added to squared distances, whose root has no gradient at 0."""


def distances(first: Tensor, second: Tensor) -> Tensor:
    """Euclidean distances of unit vectors [n, dim] and [m, dim], float32 [n, m]."""
    return ((2 - 2 * first @ second.T).clamp_min(0) + _EPSILON).sqrt()


def hard_triplet_loss(
    distance: Tensor, is_positive: Tensor, is_negative: Tensor, margin: float
) -> tuple[Tensor, int]:
    """The loss of each query with its farthest positive and its nearest negative.

    Args:
        distance: Distances of queries and answers, float32 [num_queries, num_answers].
        is_positive: Whether an answer is of the query's group, bool, same shape.
        is_negative: Whether it is of another group, bool, same shape.
        margin: The margin of equation 8.

    Returns:
        The sum of ``max(0, margin + d(q, p) - d(q, n))``, and the number of queries that have a
        positive and a negative.
    """
    usable = is_positive.any(1) & is_negative.any(1)
    positive = distance.masked_fill(~is_positive, -torch.inf).amax(1)[usable]
    negative = distance.masked_fill(~is_negative, torch.inf).amin(1)[usable]
    return functional.relu(margin + positive - negative).sum(), int(usable.sum())


def semi_hard_triplet_loss(
    distance: Tensor, is_positive: Tensor, is_negative: Tensor, margin: float
) -> tuple[Tensor, int]:
    """The loss of each pair of a query and a positive, with a semi-hard negative.

    The negative is the nearest that is farther than the positive; where all are nearer, the
    farthest. See :func:`hard_triplet_loss` for the arguments and the result; the number is that of
    the pairs.
    """
    queries, answers = torch.nonzero(is_positive & is_negative.any(1, keepdim=True), as_tuple=True)
    positive = distance[queries, answers]
    rows, negatives = distance[queries], is_negative[queries]
    farther = negatives & (rows > positive.unsqueeze(1))
    nearest = rows.masked_fill(~farther, torch.inf).amin(1)
    farthest = rows.masked_fill(~negatives, -torch.inf).amax(1)
    negative = torch.where(farther.any(1), nearest, farthest)
    return functional.relu(margin + positive - negative).sum(), len(queries)


LOSSES = {"hard": hard_triplet_loss, "semi-hard": semi_hard_triplet_loss}
"""The losses by the name of their mining."""
