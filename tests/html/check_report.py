# Opens the report page of `ortool bench --format html` in headless Chromium and checks the plots.
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import browser as browsers

# Plots with invalid coordinates, and texts outside their plot.
_CHECK_PLOTS = """(() => {
  const wrong = [];
  const plots = [...document.querySelectorAll('svg')];
  for (const plot of plots) {
    const label = plot.getAttribute('aria-label');
    if (/NaN|undefined|Infinity/.test(plot.innerHTML)) wrong.push('no place in: ' + label);
    const frame = plot.getBoundingClientRect();
    for (const text of plot.querySelectorAll('text')) {
      const box = text.getBoundingClientRect();
      if (box.left < frame.left - 2 || box.right > frame.right + 24 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2)
        wrong.push(`outside of ${label}: ${text.textContent}`);
    }
  }
  return { wrong: wrong.slice(0, 5), labels: plots.map((plot) => plot.getAttribute('aria-label')) };
})()"""

_HOSTILE = "<img src=x onerror=alert(1)>&amp;.onnx"
_ALL_PLOTS = ["Medians with intervals", "Block medians over time", "Cumulative distribution of run times", "Ratios with intervals",
              "Time of nodes", "Roofline", "Time of nodes", "Roofline"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--digits", required=True)
    parser.add_argument("--screenshots", help="a folder for screenshots, to look at")
    arguments = parser.parse_args()
    program = browsers.find_browser()
    if program is None:
        print("SKIPPED: there is no chromium here; apps/install_packages.sh --with-browser installs it")
        return 77
    failures = []

    def expect(what, found, wanted):
        if found != wanted:
            failures.append(f"{what}: found {found!r}, expected {wanted!r}")

    with tempfile.TemporaryDirectory() as folder, browsers.Browser(program) as page:
        model, path = os.path.join(folder, _HOSTILE), os.path.join(folder, "report.html")
        shutil.copy(arguments.digits, model)
        with open(path, "wb") as file:
            subprocess.run([arguments.program, "bench", model, "--threads", "1", "--reference", arguments.digits,
                            "--max-regression", "900%", "--iterations", "300", "--profile", "--trace",
                            os.path.join(folder, "trace.json"), "--format", "html"],
                           check=True, stdout=file, stderr=subprocess.DEVNULL, timeout=120)
        for theme in ("light", "dark"):
            page.open(path)
            page.wait_until_idle()
            is_dark = page.run("document.documentElement.classList.contains('dark')")
            if is_dark != (theme == "dark"):
                page.run("document.getElementById('theme').click()")
            expect("theme", page.run("document.documentElement.classList.contains('dark')"), theme == "dark")
            plots = page.run(_CHECK_PLOTS)
            expect(f"{theme}: drawing", plots["wrong"], [])
            expect(f"{theme}: plots", plots["labels"], _ALL_PLOTS)
            expect(f"{theme}: errors on the console", page.errors, [])
            expect(f"{theme}: requests", [one for one in page.requests if not one.startswith("file://")], [])
            expect(f"{theme}: images injected by names", page.run("document.querySelectorAll('img').length"), 0)
            expect(f"{theme}: the name is shown", page.run("document.body.textContent").count(_HOSTILE) > 0, True)
            expect(f"{theme}: verdicts", page.run("[...document.querySelectorAll('.verdict')].map((one) => one.textContent)"),
                   ["pass"])
            if arguments.screenshots:
                page.screenshot(os.path.join(arguments.screenshots, f"bench-{theme}.png"))
    for failure in failures:
        print("FAILED:", failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
