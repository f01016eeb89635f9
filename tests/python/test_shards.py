# Shards through Python: parts join into what one process gives, and lost ones are named.
import filecmp

import pytest

import ortool


def test_shards_are_named_as_the_command_line_has_them():
    assert ortool.shard_names(3) == ["1/3", "2/3", "3/3"]


def test_calibrations_of_shards_join_into_that_of_one_process(root, digits_path, tmp_path):
    data = root / "testdata" / "digits" / "evaluation.npz"
    parts = []
    for number, shard in enumerate(ortool.shard_names(3)):
        parts.append(tmp_path / f"{number}.part")
        ortool.calibrate(digits_path, parts[-1], data, shard=shard)
    merged = ortool.merge(parts, tmp_path / "merged")
    assert merged["kind"] == "calibration" and merged["items"] == 539
    ortool.calibrate(digits_path, tmp_path / "one", data)
    assert filecmp.cmp(tmp_path / "merged", tmp_path / "one", shallow=False)


def test_evaluations_of_shards_join_into_the_report_of_one_process(root, digits_path, tmp_path):
    data = root / "testdata" / "digits" / "evaluation.npz"
    parts = [tmp_path / f"{number}.part" for number in range(2)]
    for part, shard in zip(parts, ortool.shard_names(2)):
        ortool.evaluate(digits_path, data, part, shard=shard, metric="top5")
    assert ortool.merge(parts)["result"]["dataset"] == ortool.evaluate(digits_path, data, metric="top5")["dataset"]
    with pytest.raises(ortool.Error, match="a shard is missing: 2/2"):
        ortool.merge(parts[:1])
