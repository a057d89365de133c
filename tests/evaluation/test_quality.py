from pocketintent.evaluation.quality import quality_change


def test_changes_are_differences_of_all_figures() -> None:
    before = {"sts": {"pearson": 0.75, "pairs": 10}, "intents": {"a": {"accuracy": {"5": 0.5}}}}
    after = {"sts": {"pearson": 0.5, "pairs": 10}, "intents": {"a": {"accuracy": {"5": 0.75}}}}
    assert quality_change(before, after) == {
        "sts": {"pearson": -0.25},
        "intents": {"a": {"accuracy": {"5": 0.25}}},
    }
