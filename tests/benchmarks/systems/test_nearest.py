from pathlib import Path

from benchmarks.systems.nearest import NearestByProduct
from pocketintent.runtime.encoders.static import StaticEncoder


def test_the_template_with_the_nearest_vector_decides(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    def build(cache: Path) -> None:
        (cache / "weights").write_bytes(b"1234")

    system = NearestByProduct(build, lambda _: tiny_encoder, lambda cache: [cache / "weights"])
    system.build(tmp_path, [], [])
    system.load(tmp_path)
    system.teach(["turn on the lights", "order a pizza"], ["lights_on", "food"])

    assert system.match("switch the lamp on") == "lights_on"
    assert system.match("hungry pasta") == "food"
    assert system.size(tmp_path) == 4
