# Checks the groups and the layout of the page for files of different exporters: scopes, cycles, wide rows, crossings.
import argparse
import os
import sys
import tempfile

import browser as browsers
import sample_models
import scoped_models
from check_page import Checker, check_counts

_HERE = os.path.dirname(os.path.abspath(__file__))

# Crossings of the drawings, as opened and with everything open. Limits leave room for other fonts, nothing else.
_LIMITS = {
    "fastestdet-coco": (0, 2), "yunet-dynamic": (11, 11), "silero-vad": (4, 30), "stories260k-llama-kv": (25, 230),
    "stories260k-llama-kv-dynamic-int8": (25, 230), "decoder-cross-attn-vespa": (0, 75), "squeezenet-imagenet-int8-qdq": (0, 0),
    "magika-v3_3": (3, 8), "dnsmos": (0, 0), "oww-melspectrogram": (0, 0), "facemesh-192": (0, 3), "ppocrv3-det": (3, 3),
    "lgbm-classifier-tensor": (0, 8), "tinybert-tribuo": (2, 2), "ultraface-rfb320": (2, 8), "squeezenet-imagenet-fp32": (0, 0)}


def groups_of(page):
    """Titles of all groups with the titles of the groups around them, and why they are groups."""
    return page.run("""(() => {
      const found = [];
      const open = [viewer.state.root];
      while (open.length) {
        const item = open.pop();
        if (item.kind === 'group') found.push([viewer.panelPath(item).join(' > '), item.reason]);
        open.push(...(item.children || []));
      }
      return found;
    })()""")


def measure(page):
    with open(os.path.join(_HERE, "drawing.js"), encoding="utf-8") as file:
        return page.run(file.read())


def open_sample(checker, label, model):
    path = sample_models.save(model, os.path.join(checker.folder, "sample.onnx"))
    checker.open(label, path)
    check_counts(checker)
    checker.layout()
    return groups_of(checker.page)


def check_drawing(checker):
    checker.layout()
    found = measure(checker.page)
    checker.expect("edges over boxes", found["overBoxes"], 0)
    checker.expect("edges on top of others", found["onTop"], 0)
    return found


def check_scopes(checker):
    groups = open_sample(checker, "values named onnx::", scoped_models.value_names_model())
    checker.expect("scopes from values' names", [title for title, reason in groups if reason == "scope"], [])
    checker.expect_true("repeated blocks", sum(reason == "block" for _, reason in groups) >= 4)
    checker.expect("back edges", check_drawing(checker)["back"], 0)
    for key in ("pkg.torch.onnx.name_scopes", "namespace"):
        groups = open_sample(checker, key, scoped_models.metadata_model(key))
        checker.expect("scopes from metadata", sorted(title for title, reason in groups if reason == "scope"),
                       [f"layer.{layer} (Layer)" for layer in range(3)])
    groups = open_sample(checker, "dequantized weights", scoped_models.unscoped_weights_model())
    checker.expect("nodes beside the scopes", checker.page.run("viewer.state.root.children.filter((item) => item.node).length"), 0)
    checker.quiet()


def check_cycles(checker):
    groups = open_sample(checker, "a module run twice", scoped_models.visits_model(2))
    checker.expect("a group for each visit", sorted(title for title, reason in groups if reason == "scope"),
                   ["other", "shared · 1 of 2", "shared · 2 of 2"] if len(groups) == 4 else
                   ["other · 1 of 2", "other · 2 of 2", "shared · 1 of 2", "shared · 2 of 2"])
    checker.expect("back edges", check_drawing(checker)["back"], 0)
    groups = open_sample(checker, "a module run ten times", scoped_models.visits_model(10))
    checker.expect("scopes stay whole", sorted(title for title, reason in groups if reason == "scope"), ["other", "shared"])
    for is_open in ("false", "true"):
        checker.page.run(f"viewer.setAll({is_open})")
        found = check_drawing(checker)
        checker.expect_true("back edges", found["back"] >= 1)
        checker.expect("what runs first is above", checker.page.run("""(() => {
          const y = (title) => viewer.state.root.children.find((item) => item.title === title).y;
          return y('shared') < y('other');
        })()"""), True)
    checker.quiet()


def check_wide(checker):
    open_sample(checker, "parallel branches", scoped_models.wide_model(100))
    checker.page.run("viewer.setAll(true)")
    check_drawing(checker)
    width, height = checker.page.run("[viewer.state.root.w, viewer.state.root.h]")
    print(f"100 parallel branches: {width:.0f} x {height:.0f}")
    checker.expect_true("width", width < 9000)
    checker.quiet()


def check_real(checker, folder, screenshots, dagre):
    sums = {"ours": 0, "dagre": 0}
    for name, limits in _LIMITS.items():
        path = os.path.join(folder, name, "model.onnx")
        if not os.path.exists(path):
            print(f"SKIPPED: {name}: there is no {folder}/{name}")
            continue
        checker.open(name, path)
        for is_all, limit in enumerate(limits):
            if is_all:
                checker.page.run("viewer.setAll(true)")
                checker.page.run("viewer.fitAll()")
            elif dagre:
                checker.page.run(dagre)
            found = check_drawing(checker)
            checker.expect("back edges", found["back"], 0)
            checker.expect_true(f"crossings {found['crossings']} of {limit}", found["crossings"] <= limit)
            note = f", dagre {found['dagre']}" if dagre else ""
            print(f"{name} {'all open' if is_all else 'as opened'}: {found['edges']} edges, {found['crossings']} crossings{note}")
            sums["ours"] += 0 if is_all else found["crossings"]
            sums["dagre"] += 0 if is_all else found["dagre"]
            if screenshots:
                checker.page.screenshot(os.path.join(screenshots, f"{name}-{'all' if is_all else 'open'}.png"))
        checker.quiet()
    if dagre:
        print(f"as opened: {sums['ours']} crossings, with dagre's layout of the same boxes {sums['dagre']}")
        checker.expect_true("fewer crossings than dagre", sums["ours"] < sums["dagre"])


def check_size(checker, count, most_open_s):
    """Thousands of nodes, all of them laid out and measured."""
    groups = open_sample(checker, f"{count} nodes in scopes", sample_models.long_model(count, True))
    checker.expect_true("scopes", any(reason == "scope" for _, reason in groups))
    took = checker.page.run("(() => { viewer.setAll(true); return viewer.lastLayoutMs; })()") / 1000
    found = check_drawing(checker)
    print(f"{count} nodes: all open in {took:.2f} s (at most {most_open_s}), {found['edges']} edges, {found['crossings']} crossings")
    checker.expect_true("time to open all", took < most_open_s)
    checker.expect("crossings", found["crossings"], 0)
    checker.quiet()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--screenshots", help="a folder for screenshots, to look at")
    parser.add_argument("--dagre", help="dagre.js of Netron, to compare crossings with")
    arguments = parser.parse_args()
    program = browsers.find_browser()
    if program is None:
        print("SKIPPED: there is no chromium here; apps/install_packages.sh --with-browser installs it")
        return 77
    dagre = None
    if arguments.dagre:
        with open(arguments.dagre, encoding="utf-8") as file:
            text = file.read()
        dagre = "(() => {" + text[:text.rindex("export ")] + "window.dagreLayout = dagre.layout; })()"
    with tempfile.TemporaryDirectory() as folder, browsers.Browser(program) as page:
        checker = Checker(arguments.program, folder, page)
        check_scopes(checker)
        check_cycles(checker)
        check_wide(checker)
        check_size(checker, 2000, 5)
        check_real(checker, arguments.models, arguments.screenshots, dagre)
    for failure in checker.failures:
        print("FAILED:", failure)
    print(f"{len(checker.failures)} failures")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
