from dataclasses import replace

import pytest

pytest.importorskip("torch")
from lab_benchmarks.contextual_ablation import VARIANTS
from pocketintent.training.contextual.settings import ContextualSettings


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_has_settings_of_its_own(name: str) -> None:
    base = ContextualSettings()
    settings = replace(base, **VARIANTS[name])
    settings.check()
    assert (settings == base) == (name == "base")
    assert len({tuple(sorted(changes.items())) for changes in VARIANTS.values()}) == len(VARIANTS)
