# Differential test of operators beyond ONNX's own: random cases of each in ortool and in onnxruntime, or by numpy.
"""usage: compare.py PROGRAM [--family F] [--only OP,OP] [--seed N] [--case N] [--jobs N] [--keep DIR] [--verbose]
                  [--write FILE --count N]

Runs the cases of every *_cases.py beside it (case.py says what a case is) with PROGRAM and compares type, shape and
values of the outputs with onnxruntime's CPU provider, without graph optimizations, or with the arrays that the case
expects. Which operands are initializers and which dimensions are symbols is drawn. Where onnxruntime refuses a case
that expects no arrays, nothing is compared. --keep DIR keeps failing cases as models with test data (`PROGRAM run
DIR/CASE --test` repeats one); --write FILE appends N cases of the operators of --only in the format of testdata/ops.
Prints the seed. Exit 1: a difference that known_differences.txt does not explain, or an operator of which nothing could
be compared; 77 if a package is missing.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import importlib.util
import os
import pathlib
import random as python_random
import re
import shutil
import subprocess
import sys
import tempfile
import threading

try:
    import numpy
    import onnx
    from onnx import TensorProto
    import onnxruntime  # noqa: F401, pylint: disable=unused-import
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    sys.exit(77)

_HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent.parent / "support")]
import case as cases  # noqa: E402
import onnxruntime_worker  # noqa: E402

_SECONDS = 60
_INVALID, _UNSUPPORTED = 2, 5
# Outcomes, in the order of the table's columns.
EQUAL, KNOWN, DIFFERENT, REFUSED, NO_PEER, REFUSED_BY_BOTH = (
    "equal", "known", "different", "refused by ortool", "refused by onnxruntime", "refused by both")
_COLUMNS = (EQUAL, KNOWN, DIFFERENT, REFUSED, NO_PEER, REFUSED_BY_BOTH)


@dataclasses.dataclass
class Drawn:
    """A case with what the runner draws for it."""
    family: str
    index: int
    case: cases.Case
    constants: frozenset
    dimensions: dict

    @property
    def name(self):
        return f"{self.family}-{self.index}-{self.case.op}"


@dataclasses.dataclass
class Outcome:
    what: str
    detail: str = ""
    arrays: dict = None  # of the reference, by output


def draw(case, family, index, seed):
    """Initializers and declared dimensions of a case."""
    random = python_random.Random(f"{seed} {family} {index}")
    if case.constants is not None:
        constants = frozenset(each for each in case.constants if case.inputs[each] is not None)
    elif random.random() < 0.4:
        constants = frozenset()
    else:
        constants = frozenset(each for each in case.present() if random.random() < 0.5)
    symbolic = random.choice((0.0, 0.5, 1.0))
    dimensions = {each: [f"d{each}_{axis}" if random.random() < symbolic and each not in case.sized else size
                         for axis, size in enumerate(case.inputs[each].shape)] for each in case.present()}
    return Drawn(family, index, case, constants, dimensions)


def load_family(path, seed):
    """The drawn cases of one file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    family = path.stem.removesuffix("_cases")
    return [draw(case, family, index, seed) for index, case in enumerate(module.cases(cases.Random(f"{seed} {family}")))]


def read_known():
    """(pattern, reason) of each line."""
    path = _HERE / "known_differences.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [(re.compile(pattern), reason) for pattern, reason in
            (line.split("  ", 1) for line in lines if line.strip() and not line.startswith("#"))]


def write_tensor(path, array, name):
    path.write_bytes(cases.to_tensor(array, name).SerializeToString())


def write_case(folder, drawn):
    """Model and inputs: `ortool run FOLDER --test` takes them."""
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    onnx.save(cases.build_model(drawn.case, drawn.constants, drawn.dimensions), folder / "model.onnx")
    for position, index in enumerate(each for each in drawn.case.present() if each not in drawn.constants):
        write_tensor(data / f"input_{position}.pb", drawn.case.inputs[index], f"x{index}")
    return data


def run_program(program, folder, drawn):
    """The exit code, and the outputs by index or the message."""
    found = folder / "found"
    command = [program, "run", str(folder / "model.onnx"), "--output-dir", str(found), "--output-format", "pb", "-q"]
    if any((folder / "test_data_set_0").iterdir()):
        command += ["--input-dir", str(folder / "test_data_set_0")]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return -1, f"does not end within {_SECONDS} s"
    if done.returncode != 0:
        return done.returncode, " ".join(done.stderr.decode(errors="replace").split())
    arrays = {}
    for position, index in enumerate(drawn.case.wanted()):
        arrays[index] = cases.to_array(onnx.load_tensor(str(found / f"output_{position}.pb")))
    return 0, arrays


def run_peer(worker, folder, drawn, found):
    """onnxruntime's outputs by index. Raises PeerError. Other initializers are tried if it refuses those drawn; types that
    its Python interface lacks enter as initializers and leave through a Cast to float32."""
    case = drawn.case
    odd = {each for each in case.present() if not cases.is_known_to_onnxruntime(cases.element_type(case.inputs[each]))}
    casts = {index: TensorProto.FLOAT for index, array in found.items()
             if not cases.is_known_to_onnxruntime(cases.element_type(array))}
    problem = None
    for constants in dict.fromkeys((drawn.constants | odd, frozenset(case.present()), frozenset(odd))):
        model = cases.build_model(case, constants, drawn.dimensions, casts)
        path = folder / "peer.onnx"
        onnx.save(model, path)
        feeds = {f"x{each}": case.inputs[each] for each in case.present() if each not in constants}
        try:
            results = worker.run(path, [feeds])[0]
        except onnxruntime_worker.PeerError as error:
            problem = problem or error
            continue
        arrays = {}
        for index in case.wanted():
            array = numpy.asarray(results[f"y{index}_cast" if index in casts else f"y{index}"])
            arrays[index] = array.astype(found[index].dtype) if index in casts else array
        return arrays
    raise problem


def difference(case, found, expected):
    """What differs first between two arrays, or None."""
    if cases.element_type(found) != cases.element_type(expected) or found.shape != expected.shape:
        return (f"{cases.type_name(cases.element_type(found))}{list(found.shape)} where "
                f"{cases.type_name(cases.element_type(expected))}{list(expected.shape)} is expected")
    if cases.element_type(found) == TensorProto.STRING:
        wrong = numpy.array([str(a) != str(b) for a, b in zip(found.ravel(), expected.ravel())], dtype=bool)
        a, b = found.ravel(), expected.ravel()
    else:
        rtol, atol = cases.tolerance_of(case, cases.element_type(found))
        is_integer = not cases.is_float(cases.element_type(found))
        wide = object if is_integer and found.dtype.itemsize == 8 else numpy.int64 if is_integer else numpy.float64
        a, b = found.astype(wide).ravel(), expected.astype(wide).ravel()
        if is_integer:
            wrong = numpy.array(abs(a - b) > atol, dtype=bool)
        else:
            with numpy.errstate(invalid="ignore"):
                is_near = (a == b) | (numpy.isnan(a) & numpy.isnan(b)) | (abs(a - b) <= atol + rtol * abs(b))
            wrong = ~is_near | (numpy.isinf(a) != numpy.isinf(b))
    if not wrong.any():
        return None
    first = int(numpy.argmax(wrong))
    place = [int(each) for each in numpy.unravel_index(first, found.shape)]
    return f"{int(wrong.sum())} of {wrong.size} elements, the first at {place}: {a[first]!r} where {b[first]!r} is expected"


def judge(worker, program, folder, drawn):
    """The outcome of one case."""
    data = write_case(folder, drawn)
    code, found = run_program(program, folder, drawn)
    try:
        if drawn.case.expected is not None:
            expected = drawn.case.expected_arrays()
        else:
            expected = run_peer(worker, folder, drawn, found if code == 0 else {})
    except onnxruntime_worker.PeerError as error:
        if code == 0:
            return Outcome(NO_PEER, str(error))
        return Outcome(REFUSED_BY_BOTH if code in (_INVALID, _UNSUPPORTED) else REFUSED, f"exit {code}: {found}; onnxruntime: {error}")
    for position, index in enumerate(drawn.case.wanted()):
        write_tensor(data / f"output_{position}.pb", expected[index], f"y{index}")
    if code != 0:
        return Outcome(REFUSED, f"exit {code}: {found}", expected)
    for index, mask in (drawn.case.left_open(found) if drawn.case.left_open else {}).items():
        if found[index].shape == expected[index].shape:
            expected[index] = numpy.where(mask, found[index], expected[index])
    for index in drawn.case.wanted():
        what = difference(drawn.case, found[index], expected[index])
        if what:
            return Outcome(DIFFERENT, f"output {index}: {what}", expected)
    return Outcome(EQUAL, arrays=expected)


class Runner:
    def __init__(self, options):
        self.options = options
        self.known = read_known()
        self.used = collections.defaultdict(list)  # outcomes of the cases that a line of known_differences.txt matches
        self._local = threading.local()
        self._workers = []

    def run(self, drawn):
        if not hasattr(self._local, "worker"):
            self._local.worker = onnxruntime_worker.OnnxRuntimeWorker(optimize=False)
            self._workers.append(self._local.worker)
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "case"
            outcome = judge(self._local.worker, self.options.program, folder, drawn)
            if self.options.keep and outcome.what in (DIFFERENT, REFUSED):
                shutil.copytree(folder, pathlib.Path(self.options.keep) / drawn.name, dirs_exist_ok=True)
        text = drawn.case.describe(drawn.constants)
        for index, (pattern, _) in enumerate(self.known):
            if pattern.search(text):
                self.used[index].append(outcome.what)
                if outcome.what in (DIFFERENT, REFUSED):
                    outcome.what = KNOWN
        return outcome

    def run_all(self, drawn):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            yield from zip(drawn, pool.map(self.run, drawn))
        for worker in self._workers:
            worker.close()


def write_text(options, results):
    """Appends the smallest cases, those first that differ in more than values and sizes."""
    good = sorted((each for each in results if each[1].arrays is not None), key=lambda each: each[0].case.size())
    kinds, first, rest = set(), [], []
    for each in good:
        (rest if each[0].case.kind() in kinds else first).append(each)
        kinds.add(each[0].case.kind())
    with open(options.write, "a", encoding="utf-8") as file:
        for number, (drawn, outcome) in enumerate((first + rest)[:options.count], 1):
            file.write("\n" + cases.to_text(drawn.case, drawn.case.name or f"drawn {number}", outcome.arrays))


def print_table(tally):
    width = max(len(op) for op in tally)
    print(f"\n{'':{width}} {'cases':>6}" + "".join(f"{column:>{max(len(column), 6) + 2}}" for column in _COLUMNS))
    for op, counts in sorted(tally.items()):
        print(f"{op:{width}} {sum(counts.values()):6}" + "".join(f"{counts[column]:>{max(len(column), 6) + 2}}" for column in _COLUMNS))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--family", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=python_random.SystemRandom().randrange(10**6))
    parser.add_argument("--case", type=int, help="only the case of this number in its family")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep")
    parser.add_argument("--write")
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--verbose", action="store_true", help="also say why onnxruntime refuses cases")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    ops = [op for op in options.only.split(",") if op]
    families = [path for path in sorted(_HERE.glob("*_cases.py")) if not options.family or path.stem == f"{options.family}_cases"]
    drawn = [each for path in families for each in load_family(path, options.seed)
             if (not ops or each.case.op in ops) and options.case in (None, each.index)]
    if not drawn:
        print("no cases: is the name of the family or operator right?")
        return 1
    runner, tally, results = Runner(options), collections.defaultdict(collections.Counter), []
    for each, outcome in runner.run_all(drawn):
        results.append((each, outcome))
        tally[each.case.op][outcome.what] += 1
        if outcome.what in (DIFFERENT, REFUSED) or options.verbose and outcome.what in (NO_PEER, REFUSED_BY_BOTH):
            print(f"{each.name}: {each.case.describe(each.constants)}\n    {outcome.what}: {outcome.detail[:600]}", flush=True)
    if options.write:
        write_text(options, results)
    print_table(tally)
    wrong = sum(counts[DIFFERENT] + counts[REFUSED] for counts in tally.values())
    for op, counts in tally.items():
        if not counts[EQUAL] + counts[KNOWN] + counts[DIFFERENT] + counts[REFUSED]:
            print(f"{op}: nothing to compare with: onnxruntime refuses every case")
            wrong += 1
    for index, outcomes in runner.used.items():
        if len(outcomes) >= 10 and DIFFERENT not in outcomes and REFUSED not in outcomes:
            print(f"known_differences.txt: {runner.known[index][0].pattern!r}: none of {len(outcomes)} cases differs")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
