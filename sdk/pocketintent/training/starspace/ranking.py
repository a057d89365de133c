"""The two losses of StarSpace (Wu et al. 2018) with their gradients, over groups of examples.

The gradients are written out, because autograd would make a dozen temporaries of the size of
the batch; the tests compare them with autograd.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

_TINY = 1e-8


@dataclass
class RankingGradients:
    """Loss and gradients of one batch.

    The gradient of the right sides is ``base * right_scale``; as two factors, it can be added
    to a sum without a temporary.
    """

    loss: Tensor  # summed over the batch's examples, scalar
    left: Tensor  # gradient of the left sides, [groups, examples, dim]
    negatives: Tensor  # gradient of the negatives, [groups, negatives, dim]
    base: Tensor  # first factor of the right sides' gradient, [groups, examples, dim]
    right_scale: Tensor  # second factor of the right sides' gradient, [groups, examples, 1]
    negative_scale: Tensor
    """Factors of the negatives' gradient: each example adds ``base`` times its factor to each
    negative, [groups, examples, negatives]."""

    def squares(self) -> tuple[Tensor, Tensor, Tensor]:
        """The squared lengths of single examples' gradients: left, right, [groups, examples, 1].

        Those of the negatives are summed over the examples of a group, [groups, negatives, 1].
        """
        base = self.base.square().sum(-1, keepdim=True)
        return (
            self.left.square().sum(-1, keepdim=True),
            self.right_scale.square() * base,
            self.negative_scale.square().transpose(1, 2) @ base,
        )


def margin_cosine(
    left: Tensor,
    right: Tensor,
    negatives: Tensor,
    allowed: Tensor,
    margin: float,
    *,
    mean: bool = False,
) -> RankingGradients:
    """Margin ranking loss over cosine: ``sum max(0, margin - cos(l, r) + cos(l, n))``.

    As in the original program, the gradient of the unit vectors is applied to the vectors
    themselves, without the projection that the derivative of normalising would add. This
    matters: a word whose pushes and pulls cancel out stays short, so that norms come to show how
    informative a word is; with the full derivative, norms only grow.

    ``left`` sides, float32 [groups, examples, dim], are overwritten; ``right`` are of the same
    shape, and ``negatives`` the wrong right sides of all left sides of a group, [groups, negatives,
    dim]. ``allowed`` is 1 where example and negative may be compared, 0 where the negative is the
    right side itself or the example is padding, [groups, examples, negatives]. With ``mean`` an
    example's loss is divided by the number of negatives within the margin.
    """
    left_unit = left.div_(_norm(left))
    right_norm = _norm(right)
    negative_unit = negatives / _norm(negatives)
    positive = (left_unit * right).sum(-1, keepdim=True).div_(right_norm)
    negative = left_unit @ negative_unit.transpose(1, 2)
    hinge = negative.sub_(positive).add_(margin).clamp_min_(0).mul_(allowed)
    active = (hinge > 0).to(left.dtype)
    count = active.sum(-1, keepdim=True)
    if mean:
        share = count.clamp_min(1).reciprocal_()
        hinge, active, count = hinge.mul_(share), active.mul_(share), count.clamp_max_(1)
    d_left = (active @ negative_unit).addcmul_(right, count / right_norm, value=-1)
    d_negatives = active.transpose(1, 2) @ left_unit
    return RankingGradients(hinge.sum(), d_left, d_negatives, left_unit, -count, active)


def softmax_dot(
    left: Tensor, right: Tensor, negatives: Tensor, allowed: Tensor
) -> RankingGradients:
    """Negative log-likelihood of the right side under a softmax over dot products.

    Takes and returns the same as :func:`margin_cosine`, but overwrites nothing.
    """
    positive = (left * right).sum(-1, keepdim=True)
    negative = (left @ negatives.transpose(1, 2)).masked_fill_(allowed == 0, float("-inf"))
    logits = positive.new_empty((*positive.shape[:2], 1 + negative.shape[-1]))
    logits[..., :1], logits[..., 1:] = positive, negative
    log_likelihood = logits.log_softmax(-1)
    real = allowed.amax(-1, keepdim=True)  # 0 for padding
    share = log_likelihood.exp() * real
    d_positive, d_negative = share[..., :1] - real, share[..., 1:]
    return RankingGradients(
        -(log_likelihood[..., :1] * real).sum(),
        (d_negative @ negatives).addcmul_(right, d_positive),
        d_negative.transpose(1, 2) @ left,
        left,
        d_positive,
        d_negative,
    )


def _norm(vectors: Tensor) -> Tensor:
    norms: Tensor = vectors.norm(dim=-1, keepdim=True)
    return norms.clamp_min_(_TINY)
