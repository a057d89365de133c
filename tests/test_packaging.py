import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # a dependency of pytest on Python 3.10

REPOSITORY = Path(__file__).resolve().parent.parent

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))


def test_the_wheel_has_the_packages_and_the_template_sets_and_nothing_of_the_laboratory() -> None:
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert {Path(folder).name for folder in wheel["packages"]} == {
        "pocketintent",
        "pocketintent_demo",
        "pocketintent_export",
    }
    assert wheel["force-include"] == {"templates": "pocketintent/templates"}
    assert all((REPOSITORY / folder / "__init__.py").is_file() for folder in wheel["packages"])


def test_the_runtime_has_four_small_dependencies() -> None:
    names = [re.split("[<>=]", entry)[0] for entry in PROJECT["project"]["dependencies"]]
    assert names == ["numpy", "orjson", "safetensors", "threadpoolctl"]


def test_no_extra_allows_a_torch_without_the_arguments_that_training_uses() -> None:
    # `torch.cuda.is_bf16_supported(including_emulation=...)`, for the precision, is new in 2.4.
    extras = PROJECT["project"]["optional-dependencies"].values()
    bounds = [entry for extra in extras for entry in extra if re.match("torch[^a-z-]", entry)]
    oldest = [tuple(map(int, re.findall(r"\d+", entry)[:2])) for entry in bounds]
    assert oldest and all(entry.startswith("torch>=") for entry in bounds)
    assert min(oldest) >= (2, 4)


def test_every_direct_dependency_has_one_exact_version() -> None:
    constraints = [
        line
        for name in ("constraints.txt", "constraints-tflite.txt")
        for line in (REPOSITORY / name).read_text("utf-8").splitlines()
    ]
    pinned = [re.split("==", line)[0] for line in constraints if "==" in line]
    direct = PROJECT["project"]["dependencies"] + [
        entry for extra in PROJECT["project"]["optional-dependencies"].values() for entry in extra
    ]
    names = {re.split(r"[\[<>=;]", entry)[0].replace("_", "-").lower() for entry in direct}
    assert names - {"pocketintent", "pocketintent-native"} <= set(pinned)
    assert "torch==2.13.0" in constraints
