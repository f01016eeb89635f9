# Memory of run --compare: it finds the first different node without keeping values, in the memory of two runs.
"""usage: compare_memory.py PROGRAM SHARED"""
import json
import os
import subprocess
import sys


def main():
    program, shared = sys.argv[1:]
    model = os.path.join(shared, "models", "resnet20-cifar10-fp32")
    if not os.path.isdir(model):
        print("SKIPPED: the model is not next to this tree")
        return 77

    def run(*options):
        done = subprocess.run([program, "run", model, "-q", "--json", "--dim", "N=256", *options],
                              capture_output=True, check=False)
        return done.returncode, json.loads(done.stdout)

    _, alone = run()
    code, compared = run("--compare", "optimize=none,isa=baseline", "--rtol", "0", "--atol", "0")
    arena = alone["memory"]["arena_bytes"]
    more = compared["memory"]["peak_rss_bytes"] - alone["memory"]["peak_rss_bytes"]
    print(f"arena {arena / 1e6:.0f} MB, {more / 1e6:.0f} MB more than alone; exit code {code}; "
          f"first different: {compared.get('first_divergence')}")
    # All values together take about 600 MB.
    is_right = code == 1 and compared["first_divergence"]["node"] and more < 2.5 * arena + 30e6
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
