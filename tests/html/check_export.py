# Checks what the page saves and shows of weights: SVG and PNG of the whole graph, histograms and values of tensors.
import argparse
import os
import struct
import sys
import tempfile
import time
import xml.etree.ElementTree

import browser as browsers
import numpy
import sample_models
from check_page import Checker
from onnx import helper, numpy_helper

_SVG = "{http://www.w3.org/2000/svg}"


def wait_for(path):
    deadline = time.monotonic() + 30
    while not os.path.exists(path) and time.monotonic() < deadline:
        time.sleep(0.05)
    with open(path, "rb") as file:
        return file.read()


def check_svg(checker, text):
    """Parses, and every text and shape lies on the sheet; returns all texts."""
    root = xml.etree.ElementTree.fromstring(text)
    checker.expect("root of the SVG", root.tag, _SVG + "svg")
    left, top, width, height = (float(one) for one in root.get("viewBox").split())
    texts = root.findall(_SVG + "text")
    for one in texts:
        if not (left <= float(one.get("x")) <= left + width and top <= float(one.get("y")) <= top + height):
            checker.failures.append(f"{checker.label}: outside of the SVG: {one.text}")
    for one in root.iter():
        for name in ("fill", "stroke"):
            color = one.get(name, "none")
            if color != "none" and not color.startswith("#"):
                checker.failures.append(f"{checker.label}: color {color} in the SVG")
    checker.expect("invalid numbers", [one for one in ("NaN", "undefined", "Infinity") if f"{one} " in text or f'"{one}' in text], [])
    checker.expect("scripts and links", [one.tag for one in root.iter() if one.tag not in {_SVG + name for name in (
        "svg", "title", "rect", "path", "text")}], [])
    return [one.text for one in texts]


def check_saving(checker, model_path):
    checker.open("digits", model_path)
    page = checker.page
    page.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=checker.folder)
    # The whole graph is saved, whatever part of it is visible.
    page.run("viewer.zoom(4)")
    page.run("document.getElementById('svg').click()")
    texts = check_svg(checker, wait_for(os.path.join(checker.folder, "digits.svg")).decode())
    for word in ("image", "Conv", "Relu", "Gemm", "scores"):
        checker.expect_true(f"{word} in the SVG", word in texts)
    checker.expect_true("the page tells that it saved", "digits.svg" in page.run("document.getElementById('message').textContent"))
    page.run("viewer.canvas.focus()")
    page.key("p")
    data = wait_for(os.path.join(checker.folder, "digits.png"))
    checker.expect("signature of the PNG", data[:8], b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    shown = page.run("[viewer.state.root.w, viewer.state.root.h]")
    checker.expect_true("size of the PNG", abs(width - 2 * (shown[0] + 32)) <= 2 and abs(height - 2 * (shown[1] + 32)) <= 2)
    checker.quiet()


def check_hostile(checker):
    path = sample_models.save(sample_models.hostile_model(), os.path.join(checker.folder, "hostile.onnx"))
    checker.open("hostile names", path)
    checker.page.run("viewer.setAll(true)")
    texts = check_svg(checker, checker.page.run("viewer.svgText()"))
    checker.expect_true("names are texts of the SVG", any(text and text.startswith("</script><script>") for text in texts))
    checker.quiet()


def check_large(checker):
    path = sample_models.save(sample_models.long_model(5000, True), os.path.join(checker.folder, "large.onnx"))
    checker.open("5000 nodes", path)
    checker.page.run("viewer.setAll(true)")
    started = time.monotonic()
    texts = check_svg(checker, checker.page.run("viewer.svgText()"))
    print(f"5000 nodes as SVG in {time.monotonic() - started:.1f} s")
    convolutions = checker.page.run("viewer.model.nodes.filter((node) => node.op === 'Conv').length")
    checker.expect("all nodes in the SVG", texts.count("Conv"), convolutions)
    # Half a million pixels high: nothing could be read in the largest image that browsers draw.
    checker.expect("PNG of all", checker.page.run("viewer.pngCanvas()"), None)
    checker.page.run("viewer.savePng()")
    checker.expect_true("what to do instead", "SVG" in checker.page.run("document.getElementById('message').textContent"))
    checker.page.run("viewer.setAll(false)")
    width, height, bytes_count = checker.page.run("""new Promise((done) => {
      const canvas = viewer.pngCanvas();
      canvas.toBlob((blob) => done([canvas.width, canvas.height, blob ? blob.size : 0]));
    })""")
    checker.expect_true("bounds of the PNG", max(width, height) <= 16384 and width * height <= 64e6 and bytes_count > 10000)
    checker.quiet()


def weights_model():
    """A normal weight, a weight with NaN and infinities, a constant, a short shape vector and a scalar."""
    random = numpy.random.RandomState(3)
    odd = numpy.linspace(-1, 1, 64, dtype=numpy.float32).reshape(8, 8)
    odd[0, 0], odd[0, 1] = numpy.nan, numpy.inf
    stored = [numpy_helper.from_array(random.randn(200, 100).astype(numpy.float32), "normal"), numpy_helper.from_array(odd, "odd"),
              numpy_helper.from_array(numpy.array([1, -1, 2 ** 60 + 1], numpy.int64), "shape"),
              numpy_helper.from_array(numpy.array(0.1, numpy.float32), "scale"), numpy_helper.from_array(numpy.full(40, 7, numpy.int8), "equal")]
    table = numpy_helper.from_array(numpy.arange(40, dtype=numpy.float32), "table")
    nodes = [helper.make_node("Constant", [], ["table"], value=table),
             helper.make_node("Mix", ["x", "normal", "odd", "shape", "scale", "equal", "table"], ["y"], name="mix", domain="test")]
    return sample_models.make_model(nodes, [sample_models.value("x")], [sample_models.value("y")], stored)


def check_weights(checker):
    path = sample_models.save(weights_model(), os.path.join(checker.folder, "weights.onnx"))
    checker.open("weights", path)
    page = checker.page
    page.run("viewer.reveal(viewer.model.nodes.find((node) => node.name === 'mix'))")
    checker.expect("histograms before they are opened", page.run("document.querySelectorAll('.histogram').length"), 0)
    page.run("document.querySelectorAll('#panel details').forEach((one) => { one.open = true; })")
    page.wait_until_idle()
    panel = checker.panel()
    for words in ("1, -1, 1152921504606846977", "value 0.1", "First 16 of 40 values", "0, 1, 2, 3", "7, 7, 7", "1 NaN, 1 infinite",
                  "First 16 of 20,000 values"):
        checker.expect_true(f"the panel shows {words}", words in panel)
    heights = page.run("[...document.querySelectorAll('.histogram')].map((one) => [...one.children].map((bar) => bar.getBoundingClientRect().height))")
    # normal, odd and table; all elements of "equal" are the same, and few values are listed themselves.
    checker.expect("histograms", [len(one) for one in heights], [32] * 3)
    if len(heights) == 3:
        checker.expect_true("the normal weight is a bell", max(heights[0]) == max(heights[0][10:22]) and heights[0][0] < 5)
        checker.expect_true("the even weight is flat", min(heights[1]) > 0.3 * max(heights[1]))
    checker.expect("weights of the document", page.run("viewer.model.document.weight_statistics.length"), 6)
    checker.quiet()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--digits", required=True)
    arguments = parser.parse_args()
    program = browsers.find_browser()
    if program is None:
        print("SKIPPED: there is no chromium here; apps/install_packages.sh --with-browser installs it")
        return 77
    with tempfile.TemporaryDirectory() as folder, browsers.Browser(program) as page:
        checker = Checker(arguments.program, folder, page)
        check_saving(checker, arguments.digits)
        check_hostile(checker)
        check_large(checker)
        check_weights(checker)
    for failure in checker.failures:
        print("FAILED:", failure)
    print(f"{len(checker.failures)} failures")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
