import numpy as np
import pytest

from index_rows import index_of, make_groups, make_query
from pocketintent.compression.codebooks import fit_quantizer
from pocketintent.runtime.arrays import unit_rows


@pytest.mark.parametrize("codebook_size", [16, 256, 300])
@pytest.mark.parametrize("num_templates", [1, 511, 513, 1100])
def test_sums_of_look_ups_equal_dot_products_with_decoded_templates(
    codebook_size: int, num_templates: int
) -> None:
    groups = make_groups([num_templates, 2])
    quantizer = fit_quantizer(
        np.concatenate(groups), sub_dim=4, codebook_size=codebook_size, normalised=False
    )
    codes = [quantizer.assign(group) for group in groups]
    decoded = [unit_rows(quantizer.decode_codes(group)) for group in codes]
    rows = np.concatenate([decoded[0][:-1], decoded[1][:-1], decoded[0][-1:], decoded[1][-1:]])

    scores = index_of(codes, quantizer, 0).scores(make_query())

    np.testing.assert_allclose(scores, rows @ make_query(), atol=1e-5)
    np.testing.assert_allclose(scores, index_of(codes, quantizer).scores(make_query()), atol=1e-5)
