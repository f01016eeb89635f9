# Opens HTML pages of `ortool inspect --format html` in headless Chromium and operates them like a user.
import argparse
import os
import subprocess
import sys
import tempfile
import time

import browser as browsers
import sample_models

# Invariants of every drawing: nothing overlaps, children lie inside, every line has finite coordinates.
_CHECK_LAYOUT = """(() => {
  const wrong = [];
  const open = [viewer.state.root];
  let boxes = 0;
  while (open.length) {
    const group = open.pop();
    if (!group.isOpen) continue;
    const rows = group.children.slice().sort((a, b) => a.y - b.y);
    rows.forEach((one, place) => {
      ++boxes;
      if (![one.x, one.y, one.w, one.h].every(Number.isFinite)) wrong.push('no place: ' + one.title);
      if (one.x < -0.5 || one.y < -0.5 || one.x + one.w > group.w + 0.5 || one.y + one.h > group.h + 0.5) wrong.push('outside: ' + one.title);
      for (let next = place + 1; next < rows.length && rows[next].y < one.y + one.h - 0.5; ++next) {
        const other = rows[next];
        if (one.x < other.x + other.w - 0.5 && other.x < one.x + one.w - 0.5) wrong.push(`overlap: ${one.title} and ${other.title}`);
      }
    });
    for (const edge of group.edges) if (!edge.points.flat().every(Number.isFinite)) wrong.push('a line without place');
    open.push(...group.children);
  }
  return { wrong: wrong.slice(0, 5), boxes };
})()"""

# Drawn nodes, and constants that are drawn as a part of their consumers.
_COUNT_NODES = """(() => {
  let drawn = 0;
  const open = [...viewer.graphs.map((graph) => viewer.treeOf(graph))];
  while (open.length) {
    const item = open.pop();
    if (item.node) ++drawn;
    open.push(...(item.children || []));
  }
  return drawn + viewer.model.nodes.filter((node) => node.isFolded).length;
})()"""


class Checker:
    def __init__(self, program, folder, page):
        self.program = program
        self.folder = folder
        self.page = page
        self.failures = []
        self.label = ""

    def expect(self, what, found, wanted):
        if found != wanted:
            self.failures.append(f"{self.label}: {what}: found {found!r}, expected {wanted!r}")

    def expect_true(self, what, found):
        if not found:
            self.failures.append(f"{self.label}: {what}: found {found!r}")

    def open(self, label, model_path):
        """Writes the page of a model and opens it; returns the script's result after start."""
        self.label = label
        page_path = os.path.join(self.folder, label.replace("/", "_") + ".html")
        started = time.monotonic()
        with open(page_path, "wb") as file:
            subprocess.run([self.program, "inspect", model_path, "--format", "html"], stdout=file, stderr=subprocess.DEVNULL,
                           check=True, timeout=300)
        written = time.monotonic() - started
        started = time.monotonic()
        self.page.open(page_path)
        self.page.wait_until_idle()
        loaded = time.monotonic() - started
        self.expect("the page's own requests", [one for one in self.page.requests if not one.startswith("file://")], [])
        self.expect("files read", len(self.page.requests), 1)
        return written, loaded

    def quiet(self):
        self.expect("errors on the console", self.page.errors, [])

    def layout(self):
        self.page.wait_until_idle()
        found = self.page.run(_CHECK_LAYOUT)
        self.expect("drawing", found["wrong"], [])
        return found["boxes"]

    def place(self, name):
        """The center of a node's box in the window."""
        return self.page.run(f"""(() => {{
          const node = viewer.model.nodes.find((one) => one.name === {name!r});
          const [x, y] = viewer.placeOf(node.item);
          const box = viewer.canvas.getBoundingClientRect();
          return [box.left + viewer.state.x + (x + node.item.w / 2) * viewer.state.scale,
                  box.top + viewer.state.y + (y + Math.min(node.item.h / 2, 14)) * viewer.state.scale];
        }})()""")

    def panel(self):
        return self.page.run("document.getElementById('panel').innerText")


def check_counts(checker):
    checker.expect("nodes drawn", checker.page.run(_COUNT_NODES), checker.page.run("viewer.model.document.summary.node_count"))


def check_hostile(checker):
    path = sample_models.save(sample_models.hostile_model(), os.path.join(checker.folder, "<img src=x onerror=hacked=5>&.onnx"))
    checker.open("hostile names", path)
    page = checker.page
    page.run("viewer.setAll(true)")
    checker.layout()
    page.run("viewer.search('elu')")
    for number in range(len(sample_models.HOSTILE) + 1):
        page.run(f"viewer.reveal(viewer.model.nodes[{number}])")
        page.wait_until_idle()
    checker.expect_true("names are shown as they are", sample_models.HOSTILE[0] in checker.panel())
    page.run("viewer.select(null)")
    page.run("viewer.select(viewer.state.root.children[1])")
    checker.expect("scripts in the page", page.run("document.scripts.length"), 1)
    checker.expect("images in the page", page.run("document.images.length"), 0)
    checker.expect("hacked", page.run("typeof window.hacked"), "undefined")
    check_counts(checker)
    checker.quiet()
    # Even if a name became markup, the page's content security policy would not let it run.
    page.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hacked = 6\">')")
    page.run("""{ const script = document.createElement('script'); script.textContent = 'window.hacked = 7'; document.body.append(script); }""")
    page.run("new Promise((done) => setTimeout(done, 300))")
    checker.expect("hacked in spite of the policy", page.run("typeof window.hacked"), "undefined")
    checker.expect_true("the policy reports violations", page.errors)


def check_use(checker, model_path):
    checker.open("use", model_path)
    page = checker.page
    check_counts(checker)
    checker.layout()
    checker.expect_true("the panel shows the model's figures", "Parameters" in checker.panel() and "INPUTS" in checker.panel().upper())
    # Type to search, and go to the result.
    page.key("/")
    page.type("conv")
    checker.expect_true("found", "2 found" in checker.panel())
    page.key("Enter")
    page.wait_until_idle()
    checker.expect("selected", page.run("viewer.state.selected.node.op"), "Conv")
    for word in ("ATTRIBUTES", "kernel_shape", "INPUTS", "OUTPUTS", "min "):
        checker.expect_true(f"details show {word}", word in checker.panel() or word.lower() in checker.panel().lower())
    page.key("Escape")
    # Follow edges with the keyboard.
    page.run("viewer.canvas.focus()")
    page.key("ArrowDown")
    checker.expect_true("the next node", page.run("viewer.state.selected.node.op") in ("Relu", "Add"))
    page.key("ArrowUp")
    checker.expect("and back", page.run("viewer.state.selected.node.op"), "Conv")
    # The mouse: a click selects, the wheel zooms, a drag moves.
    page.key("f")
    name = page.run("viewer.model.nodes.filter((node) => node.op === 'Relu')[0].name")
    x, y = checker.place(name)
    page.click(x, y)
    checker.expect("clicked", page.run("viewer.state.selected.node.name"), name)
    scale = page.run("viewer.state.scale")
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-240)
    checker.expect_true("the wheel zooms", page.run("viewer.state.scale") > scale * 1.2)
    left = page.run("viewer.state.x")
    page.mouse("mousePressed", 30, 300, button="left", clickCount=1)
    page.mouse("mouseMoved", 90, 340, button="left", buttons=1)
    page.mouse("mouseReleased", 90, 340, button="left", clickCount=1)
    checker.expect_true("dragging moves", abs(page.run("viewer.state.x") - left - 60) < 2)
    page.run("viewer.state.x = -1e6; viewer.state.y = 1e6; viewer.schedule()")
    page.wait_until_idle()
    checker.expect_true("the graph stays in sight", page.run("viewer.painter.drawnItems > 0"))
    checker.expect_true("and can be dragged back", page.run("viewer.state.x > -1e5 && viewer.state.y < 1e5"))
    page.key("f")
    # Colors by cost; light and dark theme.
    colors = page.run("viewer.painter.shades(viewer.model.nodes.find((node) => node.op === 'Conv').item).fill")
    page.key("o")
    checker.expect("overlay", page.run("document.getElementById('overlay').value"), "macs")
    checker.expect_true("the overlay colors", page.run("viewer.painter.shades(viewer.model.nodes.find((node) => node.op === 'Conv').item).fill") != colors)
    checker.expect("legend", page.run("document.getElementById('legend').hidden"), False)
    page.key("t")
    checker.expect("dark", page.run("document.documentElement.classList.contains('dark')"), True)
    page.key("Escape")
    checker.expect("nothing selected", page.run("viewer.state.selected"), None)
    page.key("?")
    checker.expect("keys are shown", page.run("document.getElementById('keys').open"), True)
    page.key("Escape")
    checker.quiet()


def check_control(checker):
    path = sample_models.save(sample_models.control_model(), os.path.join(checker.folder, "control.onnx"))
    checker.open("control flow", path)
    page = checker.page
    check_counts(checker)
    page.run("viewer.setAll(false)")
    page.wait_until_idle()
    checker.expect("closed", page.run("viewer.model.nodes.find((node) => node.name === 'repeat').item.isOpen"), False)
    x, y = checker.place("repeat")
    page.click(x, y, count=2)
    page.wait_until_idle()
    checker.expect("opened by a double click", page.run("viewer.model.nodes.find((node) => node.name === 'repeat').item.isOpen"), True)
    page.run("viewer.reveal(viewer.model.nodes.find((node) => node.name === 'in_then'))")
    checker.expect("opened on the way", page.run("viewer.model.nodes.find((node) => node.name === 'choose').item.isOpen"), True)
    page.run("viewer.setAll(true)")
    boxes = checker.layout()
    checker.expect_true("subgraphs are drawn", boxes >= 12)
    # A captured value reaches the branches: its line passes through every enclosing box.
    checker.expect("what the Loop captures", page.run("[...viewer.model.nodes.find((node) => node.name === 'repeat').item.reads].some((value) => value.name === 'bias')"), True)
    checker.expect("what the Loop passes on", page.run("viewer.model.nodes.find((node) => node.name === 'repeat').item.children[0].edges.some((edge) => edge.values.some((value) => value.name === 'x') && edge.to.title === 'carried')"), True)
    checker.expect("functions", page.run("viewer.model.functions.length"), 1)
    page.run("viewer.openGraph(viewer.model.functions[0])")
    checker.layout()
    checker.quiet()


def check_long(checker, count, has_scopes, most_start_s, most_expand_s):
    label = f"{count} nodes{' in scopes' if has_scopes else ''}"
    path = sample_models.save(sample_models.long_model(count, has_scopes), os.path.join(checker.folder, "long.onnx"))
    written, loaded = checker.open(label, path)
    page = checker.page
    check_counts(checker)
    seen = checker.layout()
    checker.expect_true("opens with few boxes", seen <= 150)
    started = time.monotonic()
    page.key("e")
    page.wait_until_idle()
    expanded = time.monotonic() - started
    boxes = checker.layout()
    checker.expect_true("everything is open", boxes >= count)
    page.key("a")
    page.wait_until_idle()
    paint = page.run("(() => { const from = performance.now(); viewer.painter.paint(viewer.state); return performance.now() - from; })()")
    page.run("viewer.reveal(viewer.model.nodes[Math.floor(viewer.model.nodes.length / 2)])")
    page.key("c")
    page.wait_until_idle()
    print(f"{label}: written in {written:.1f} s, shown after {loaded:.1f} s (at most {most_start_s}), all opened in {expanded:.1f} s "
          f"(at most {most_expand_s}), painted whole in {paint:.0f} ms")
    checker.expect_true("time to start", loaded < most_start_s)
    checker.expect_true("time to open all", expanded < most_expand_s)
    checker.expect_true("time to paint", paint < 1000)
    checker.quiet()


def check_real(checker, folder, screenshots):
    for name in ("mnist-cnn", "squeezenet-imagenet-fp32", "vit-mnist-opset17", "mobilenetv2-imagenet-int8-qdq", "stories260k-llama-kv",
                 "silero-vad", "tinybert-tribuo", "ppocr-en-number-rec", "stories260k-greedy-loop", "qlstm-scan"):
        path = os.path.join(folder, name, "model.onnx")
        if not os.path.exists(path):
            print(f"SKIPPED: {name}: there is no {folder}/{name}")
            continue
        checker.open(name, path)
        check_counts(checker)
        checker.layout()
        if screenshots:
            for is_dark in (False, True):
                checker.page.emulate_dark(is_dark)
                checker.page.screenshot(os.path.join(screenshots, f"{name}{'-dark' if is_dark else ''}.png"))
        checker.page.run("viewer.setAll(true)")
        checker.layout()
        checker.quiet()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--digits", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--screenshots", help="a folder for screenshots, to look at")
    arguments = parser.parse_args()
    program = browsers.find_browser()
    if program is None:
        print("SKIPPED: there is no chromium here; apps/install_packages.sh --with-browser installs it")
        return 77
    with tempfile.TemporaryDirectory() as folder, browsers.Browser(program) as page:
        checker = Checker(arguments.program, folder, page)
        check_use(checker, arguments.digits)
        check_hostile(checker)
        check_control(checker)
        check_long(checker, 5000, False, 10, 10)
        check_long(checker, 5000, True, 10, 10)
        check_long(checker, 50000, False, 60, 60)
        check_real(checker, arguments.models, arguments.screenshots)
    for failure in checker.failures:
        print("FAILED:", failure)
    print(f"{len(checker.failures)} failures")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
