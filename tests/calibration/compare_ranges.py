# Compares the ranges of all calibration methods with numpy, which uses the values instead of a histogram.
"""usage: compare_ranges.py PROGRAM"""
import os
import subprocess
import sys
import tempfile

import numpy as np

_BIN = 1 / 256  # the relative width of a histogram bin
_TYPES = {
    "uint8": (0, 255), "int8": (-128, 127), "int8-symmetric": (-127, 127), "uint8-symmetric": (1, 255),
    "uint8-reduced": (0, 127), "int8-symmetric-reduced": (-64, 64), "int16-symmetric": (-32767, 32767),
    "int4-symmetric": (-7, 7),
}


def made_values(random):
    """Arrays [samples, elements] from many distributions."""
    normal = random.standard_normal((50, 400)).astype(np.float32)
    relu = np.maximum(normal, 0)
    outlier = normal.copy()
    outlier[17, 5] = 60
    return {
        "normal": normal,
        "relu": relu,
        "outlier": outlier,
        "laplace": random.laplace(size=(40, 500)).astype(np.float32) * 3,
        "uniform": random.uniform(-1, 3, (30, 300)).astype(np.float32),
        "negative": -np.abs(normal) * 0.01 - 0.5,
        "skewed": (random.gamma(1.5, 2, (50, 300)) - 0.7).astype(np.float32),
        "heavy": (random.standard_t(2.5, (60, 400)) * 1e-4).astype(np.float32),
        "spread": np.exp(random.standard_normal((50, 400)) * 2).astype(np.float32),
    }


def scale_of(low, high, kind):
    """Scale, zero point and codes as the operators of the ONNX standard define them."""
    lowest, highest = _TYPES[kind]
    low, high = min(low, 0.0), max(high, 0.0)
    middle = (lowest + highest) // 2
    if "symmetric" in kind:
        return np.float32(2 * max(-low, high) / (highest - lowest)), middle, lowest, highest
    scale = np.float32((high - low) / (highest - lowest))
    zero = int(np.clip(np.rint(lowest - low / np.float64(scale)), lowest, highest))
    return scale, zero, lowest, highest


def errors_of(values, low, high, kind):
    """Mean squares of the rounding error and of the clipping error."""
    scale, zero, lowest, highest = scale_of(low, high, kind)
    levels = np.rint(values / scale).astype(np.float64) + zero
    back = (np.clip(levels, lowest, highest) - zero) * np.float64(scale)
    squares = (back - values) ** 2
    least, most = (lowest - zero) * np.float64(scale), (highest - zero) * np.float64(scale)
    is_clipped = (values < least) | (values > most)
    return squares[~is_clipped].sum() / values.size, squares[is_clipped].sum() / values.size


def best_mse(values, kind):
    """The minimum error over a grid of both range limits."""
    low, high = min(values.min(), 0), max(values.max(), 0)
    shares = 2.0 ** -np.arange(0, 4, 1 / 12)
    if "symmetric" in kind:
        reach = max(-low, high)
        return min(sum(errors_of(values, -reach * share, reach * share, kind)) for share in shares)
    lows = [low * share for share in shares] if low < 0 else [0]
    highs = [high * share for share in shares] if high > 0 else [0]
    return min(sum(errors_of(values, a, b, kind)) for a in lows for b in highs)


def divergence_of(values, reach, kind):
    """Kullback-Leibler divergence for magnitudes clipped at `reach`, from a histogram of 2048 bins."""
    lowest, highest = _TYPES[kind]
    one_sided = "symmetric" not in kind and (values.min() >= 0 or values.max() <= 0)
    levels = (highest - lowest) // (1 if one_sided else 2)
    magnitudes = np.abs(values[values != 0]).astype(np.float64)
    counts, _ = np.histogram(magnitudes, 2048, (0, magnitudes.max()))
    kept = int(round(reach / magnitudes.max() * 2048))
    if kept < levels:
        return np.inf
    truth = counts[:kept].astype(np.float64)
    inside = truth.sum()
    if inside == 0:
        return np.inf
    found = np.zeros(kept)
    edges = [kept * level // levels for level in range(levels + 1)]
    for first, last in zip(edges[:-1], edges[1:]):
        filled = truth[first:last] > 0
        if filled.any():
            found[first:last][filled] = truth[first:last].sum() / filled.sum()
    truth[-1] += counts[kept:].sum()
    found[(truth > 0) & (found == 0)] = 1
    used = truth > 0
    p = truth[used] / truth.sum()
    return float((p * np.log(p / (found[used] / inside))).sum())


class Checks:
    def __init__(self):
        self.failures = 0
        self.count = 0

    def that(self, is_true, *what):
        self.count += 1
        if not is_true:
            self.failures += 1
            print("WRONG:", *what)


def check_value(checks, name, kind, values, found, percentile):
    """All methods for one value; `found` holds (method, low, high, scale, zero, clipped, mse) by requested method."""
    what = (name, kind)
    flat = values.ravel()
    low, high = float(flat.min()), float(flat.max())
    _, got_low, got_high, *_ = found["minmax"]
    checks.that((got_low, got_high) == (min(low, 0), max(high, 0)), *what, "minmax", got_low, got_high)

    average = np.array([values[0].min(), values[0].max()], np.float64)
    for row in values[1:]:
        average += 0.01 * (np.array([row.min(), row.max()], np.float64) - average)
    _, got_low, got_high, *_ = found["moving-average"]
    checks.that(np.allclose([got_low, got_high], [min(average[0], 0), max(average[1], 0)], 1e-9, 0), *what,
                "moving average", got_low, got_high, average)

    ordered = np.sort(flat)
    outside = int((1 - percentile / 100) / 2 * flat.size + 1e-9)
    true_low, true_high = min(ordered[outside], 0), max(ordered[-1 - outside], 0)
    _, got_low, got_high, *_ = found["percentile"]
    checks.that(true_low * (1 + _BIN) - 1e-12 <= got_low <= true_low and
                true_high <= got_high <= true_high * (1 + _BIN) + 1e-12,
                *what, "percentile", (got_low, got_high), (true_low, true_high))

    for method, (_, got_low, got_high, scale, zero, clipped, error) in found.items():
        true_scale, true_zero, *_ = scale_of(got_low, got_high, kind)
        checks.that((np.float32(scale), zero) == (true_scale, true_zero), *what, method, "scale", scale, zero)
        true_clipped = ((flat < got_low) | (flat > got_high)).mean()
        checks.that(abs(clipped - true_clipped) <= 0.1 * true_clipped + 3 / flat.size, *what, method, "clipped",
                    clipped, true_clipped)
        true_error = sum(errors_of(flat, got_low, got_high, kind))
        # Positions within a bin are unknown; with 16 bits, clipping may cut off a part of a bin.
        share = 0.35 if "16" in kind else 0.06
        checks.that(abs(error - true_error) <= share * true_error + 1e-14, *what, method, "error", error, true_error)

    if kind == "uint8" or "symmetric" in kind and "16" not in kind:
        _, got_low, got_high, *_ = found["mse"]
        mine, best = sum(errors_of(flat, got_low, got_high, kind)), best_mse(flat, kind)
        checks.that(mine <= 1.03 * best, *what, "mse", mine, best)

    _, got_low, got_high, *_ = found["entropy"]
    reach = max(-got_low, got_high)
    most = np.abs(flat).max()
    reaches = [most * kept / 2048 for kept in range(2048, 0, -16)]
    least = min(divergence_of(flat, each, kind) for each in reaches)
    mine = divergence_of(flat, reach, kind)
    if "16" not in kind:
        checks.that(mine <= 1.1 * least + 2e-3, *what, "entropy", (reach, mine), (least, most))

    weighted = {}
    for method in ("minmax", "percentile", "entropy", "mse"):
        rounding, clipping = errors_of(flat, found[method][1], found[method][2], kind)
        weighted[method] = rounding + 4 * clipping
    chosen = found["auto"][0]
    checks.that(weighted[chosen] <= 1.05 * min(weighted.values()), *what, "auto", chosen, weighted)


def main():
    program = sys.argv[1]
    seed = 11
    print("seed", seed)
    values = made_values(np.random.default_rng(seed))
    checks = Checks()
    percentile = 99.9
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "values.npz")
        np.savez(path, **values)
        for kind in _TYPES:
            found = {name: {} for name in values}
            for method in ("minmax", "moving-average", "percentile", "entropy", "mse", "auto"):
                lines = subprocess.run([program, "ranges", path, method, kind, str(percentile)], check=True,
                                       capture_output=True, text=True).stdout.splitlines()
                for line in lines:
                    name, chosen, *numbers = line.split()
                    low, high, scale, zero, clipped, error = map(float, numbers)
                    found[name][method] = (chosen, low, high, scale, int(zero), clipped, error)
            for name, array in values.items():
                check_value(checks, name, kind, array, found[name], percentile)
    print(checks.count, "checks,", checks.failures, "wrong")
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
