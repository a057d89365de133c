import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
from pocketintent.training.starspace.ranking import RankingGradients, margin_cosine, softmax_dot  # noqa: E402

Batch = tuple["torch.Tensor", "torch.Tensor", "torch.Tensor", "torch.Tensor"]


@st.composite
def batches(draw: st.DrawFn) -> Batch:
    groups, examples = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    negatives, dim = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))

    def vectors(count: int) -> torch.Tensor:
        return torch.randn(groups, count, dim, generator=generator, dtype=torch.float64)

    allowed = torch.rand(groups, examples, negatives, generator=generator) < draw(
        st.sampled_from([0.0, 0.5, 1.0])
    )
    return vectors(examples), vectors(examples), vectors(negatives), allowed.double()


def gradients_of(ranking: RankingGradients) -> list["torch.Tensor"]:
    return [ranking.left, ranking.base * ranking.right_scale, ranking.negatives]


def unit(vectors: "torch.Tensor") -> "torch.Tensor":
    return vectors / vectors.norm(dim=-1, keepdim=True)


# Without a margin, vectors of one number lie on the kink of the loss, where it has no gradient.
@given(batches(), st.floats(0.01, 1.5))
@settings(max_examples=80)
def test_margin_gradients_equal_autograd_at_the_unit_vectors(batch: Batch, margin: float) -> None:
    left, right, negatives, allowed = batch
    units = [unit(part).requires_grad_() for part in (left, right, negatives)]
    positive = (units[0] * units[1]).sum(-1, keepdim=True)
    negative = units[0] @ units[2].transpose(1, 2)
    loss = ((margin - positive + negative).clamp(min=0) * allowed).sum()
    loss.backward()
    ranking = margin_cosine(left.clone(), right, negatives, allowed, margin)
    torch.testing.assert_close(ranking.loss, loss.detach())
    for gradient, of_unit in zip(gradients_of(ranking), units, strict=True):
        torch.testing.assert_close(gradient, of_unit.grad)


@given(batches())
@settings(max_examples=80)
def test_softmax_gradients_equal_autograd(batch: Batch) -> None:
    *vectors, allowed = batch
    left, right, negatives = parts = [part.clone().requires_grad_() for part in vectors]
    loss = torch.zeros((), dtype=torch.float64)
    for group in range(len(left)):
        for example in range(left.shape[1]):
            wrong = negatives[group][allowed[group, example] == 1]
            if len(wrong):
                rivals = torch.cat([right[group, example].unsqueeze(0), wrong])
                loss = loss - (rivals @ left[group, example]).log_softmax(0)[0]
    ranking = softmax_dot(*(part.detach() for part in parts), allowed)
    torch.testing.assert_close(ranking.loss, loss.detach())
    if loss.requires_grad:
        loss.backward()
    for gradient, part in zip(gradients_of(ranking), parts, strict=True):
        expected = torch.zeros_like(part) if part.grad is None else part.grad
        torch.testing.assert_close(gradient, expected)


@pytest.mark.parametrize("loss", ["margin", "softmax"])
def test_padding_and_forbidden_negatives_have_no_effect(loss: str) -> None:
    generator = torch.Generator().manual_seed(1)
    left, right = torch.randn(2, 1, 3, 4, generator=generator)
    negatives = torch.randn(1, 2, 4, generator=generator)
    allowed = torch.ones(1, 3, 2)
    allowed[0, 1] = 0  # padding
    allowed[0, :, 1] = 0  # a negative that no example may use

    def rank(negatives: "torch.Tensor", right: "torch.Tensor") -> RankingGradients:
        if loss == "margin":
            return margin_cosine(left.clone(), right, negatives, allowed, 2.5)
        return softmax_dot(left, right, negatives, allowed)

    ranking = rank(negatives, right)
    left_gradient, right_gradient, negative_gradient = gradients_of(ranking)
    for gradient in (left_gradient, right_gradient):
        assert not gradient[0, 1].any()
        assert gradient[0, [0, 2]].any(-1).all()
    assert not negative_gradient[0, 1].any()
    assert negative_gradient[0, 0].any()
    changed = negatives.clone()
    changed[0, 1] *= -3
    other_right = right.clone()
    other_right[0, 1] *= -3
    again = rank(changed, other_right)
    assert again.loss == ranking.loss
    torch.testing.assert_close(again.left, ranking.left)


def test_vectors_of_zero_length_give_finite_gradients() -> None:
    zeros = torch.zeros(1, 2, 3)
    for ranking in (
        margin_cosine(zeros.clone(), zeros, zeros[:, :1], torch.ones(1, 2, 1), 0.05),
        softmax_dot(zeros, zeros, zeros[:, :1], torch.ones(1, 2, 1)),
    ):
        assert torch.isfinite(ranking.loss)
        assert all(gradient.isfinite().all() for gradient in gradients_of(ranking))
