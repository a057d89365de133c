import numpy as np
import pytest

torch = pytest.importorskip("torch")
from pocketintent.training.teachers.distillation import contrast  # noqa: E402
from pocketintent.training.teachers.paraphrases import ALONE  # noqa: E402


def unit(rows: np.ndarray) -> torch.Tensor:
    return torch.nn.functional.normalize(torch.tensor(rows), dim=1)


def test_the_contrast_is_the_mean_cross_entropy_of_finding_paraphrases() -> None:
    vectors = unit(np.random.default_rng(0).standard_normal((6, 4)))
    labels = [0, 1, 0, ALONE, 0, 1]
    scores = (vectors @ vectors.T / 0.1).numpy()
    losses = []
    for i, label in enumerate(labels):
        others = [j for j in range(6) if j != i]
        total = np.log(sum(np.exp(scores[i, j]) for j in others))
        same = [total - scores[i, j] for j in others if labels[j] == label != ALONE]
        if same:
            losses.append(np.mean(same))
    assert len(losses) == 5
    found = contrast(vectors, torch.tensor(labels), 0.1)
    assert float(found) == pytest.approx(np.mean(losses), rel=1e-6)


def test_texts_without_a_paraphrase_give_no_contrast() -> None:
    vectors = unit(np.eye(3)).requires_grad_()
    loss = contrast(vectors, torch.tensor([0, 1, ALONE]), 0.1)
    loss.backward()
    assert float(loss.detach()) == 0.0
