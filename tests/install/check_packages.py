"""Makes the packages of a build by cpack and checks them: files, control fields, lintian, SBOM, and that the archive's program runs.

Exit code 77 where the tools that cpack needs are missing.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

_HERE = pathlib.Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]
_TOOLS = ["dpkg-shlibdeps", "dpkg-gencontrol", "dpkg-deb", "dpkg-query", "objdump", "strip", "xz"]
_DIGITS = _ROOT / "testdata/digits"


def run(*command, **options):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                          errors="replace", check=False, stdin=subprocess.DEVNULL, **options)


class Checks:
    """Failures, and what could not be checked."""

    def __init__(self):
        self.failures = []

    def expect(self, is_right, message):
        if not is_right:
            self.failures.append(message)
            print(f"FAILED: {message}")

    def output_of(self, *command, **options):
        answer = run(*command, **options)
        self.expect(answer.returncode == 0, f"{' '.join(map(str, command))} ended with {answer.returncode}:\n{answer.stdout}")
        return answer.stdout


def read_expected(build):
    """{package: [pattern]} of package_files.txt, without the module cuda in builds that have none."""
    has_cuda = (build / "lib/ortool/providers/libortool_cuda.so").exists()
    if not has_cuda:
        print("SKIPPED: libortool_cuda.so is not expected in packages, since the build has none (nvcc was not found)")
    expected = {}
    for line in (_HERE / "package_files.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#") and (has_cuda or not line.endswith("/libortool_cuda.so")):
            package, pattern = line.split()
            expected.setdefault(package, []).append(pattern)
    return expected


def check_files(checks, name, files, patterns):
    """Each file matches a line of the list, and each line a file."""
    missing = set(patterns)
    for file in files:
        matching = [pattern for pattern in patterns if fnmatch.fnmatchcase(file, pattern)]
        checks.expect(matching, f"{name} contains {file}, which package_files.txt does not expect")
        missing -= set(matching)
    checks.expect(not missing, f"{name} contains nothing for {sorted(missing)}")


def check_paths(checks, name, folder, build):
    """No file names the folder of the source or of the build."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            for place in (str(_ROOT), str(build)):
                checks.expect(place.encode() not in content, f"{name}: {path.relative_to(folder)} contains the path {place}")


def check_debian(checks, packages, scratch, expected, build):
    names = set()
    for package in packages:
        fields = dict(re.findall(r"^(\S+): (.*)$", checks.output_of("dpkg-deb", "--field", package), re.MULTILINE))
        name = fields["Package"]
        names.add(name)
        folder = scratch / name
        checks.output_of("dpkg-deb", "--extract", package, folder)
        files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())
        check_files(checks, name, files, expected.get(name, []))
        check_paths(checks, name, folder, build)
        depends = fields.get("Depends", "")
        if name in ("ortool", "libortool-dev", "python3-ortool"):
            checks.expect(f"libortool0 (= {fields['Version']})" in depends, f"{name} depends on '{depends}', not on its libortool0")
        if name in ("ortool", "libortool0", "python3-ortool"):
            checks.expect(re.search(r"\blibc6 \(>= 2\.\d+\)", depends), f"{name}: dpkg-shlibdeps gave '{depends}'")
        if name == "libortool0":
            checks.expect("libre2-9" in depends and "libjpeg62-turbo" in depends, f"libortool0 depends on '{depends}'")
            control = scratch / "control"
            checks.output_of("dpkg-deb", "--control", package, control)
            shlibs = (control / "shlibs").read_text(encoding="utf-8")
            checks.expect(shlibs.startswith("libortool 0 libortool0 (= ") and "\nlibortool_c 0 libortool0 (>= " in shlibs, f"shlibs is {shlibs}")
            checks.expect("ldconfig" in (control / "triggers").read_text(encoding="utf-8"), "libortool0 does not trigger ldconfig")
    checks.expect(names == set(expected) - {"archive"}, f"cpack made {sorted(names)}")


def check_lintian(checks, packages):
    if shutil.which("lintian") is None:
        print("SKIPPED: lintian is not installed")
        return
    answer = run("lintian", "--no-cfg", "--info", "--display-info", "--fail-on=error,warning,info", "--allow-root", *packages)
    checks.expect(answer.returncode == 0, f"lintian ended with {answer.returncode}:\n{answer.stdout}")


def check_documents(checks, documents):
    """Each SBOM is valid SPDX 2.3 and names what libortool links."""
    python = _ROOT / "build/spdx/bin/python"
    if not (_ROOT / "build/spdx/ortool-requirements").exists():
        print("SKIPPED: no build/spdx, because PyPI could not be reached; run tests/install/make_spdx_environment.sh")
        python = None
    for name, path in documents.items():
        document = json.loads(path.read_text(encoding="utf-8"))
        named = {package["name"] for package in document["packages"]}
        if name in ("libortool0", "archive"):
            wanted = {"libfmt-dev", "libjpeg62-turbo", "libtiff6", "libc6", "nlohmann-json3-dev"}
            checks.expect(wanted <= named, f"the SBOM of {name} lacks {sorted(wanted - named)}")
        checks.expect(all(package["licenseDeclared"] != "NOASSERTION" for package in document["packages"]),
                      f"the SBOM of {name} has packages without a license")
    if python is not None:
        # The namespace is the document's identity, so no two may share one.
        answer = run(python, _HERE / "validate_spdx.py", *documents.values())
        checks.expect(answer.returncode == 0, f"invalid SPDX:\n{answer.stdout}")
        answer = run(python, _HERE / "validate_spdx.py", "--broken", next(iter(documents.values())))
        checks.expect(answer.returncode == 1, f"a broken document passes as valid:\n{answer.stdout}")


def expected_modules(expected):
    """{provider: path} of the archive's provider modules."""
    paths = [path for path in expected["archive"] if path.startswith("lib/ortool/providers/")]
    return {re.search(r"libortool_(\w+)\.so$", path).group(1): path for path in paths}


def check_archive(checks, archive, scratch, expected, build):
    folder = scratch / "un packed"
    folder.mkdir()
    checks.output_of("tar", "-C", folder, "-xf", archive)
    (root,) = folder.iterdir()
    files = sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir())
    check_files(checks, "archive", files, expected["archive"])
    check_paths(checks, "archive", root, build)
    document = json.loads((root / "share/doc/ortool/ortool.spdx.json").read_text(encoding="utf-8"))
    contained = {file["fileName"][2:] for file in document["files"]}
    libraries = {file for file in files if file.startswith("lib/") and not re.search(r"/(ortool|libortool\S*)$", file)}
    checks.expect(contained == libraries, f"the archive's SBOM and its libraries differ in {sorted(contained ^ libraries)}")

    program = root / "bin/ortool"
    image = ["--input", f"image={_DIGITS / 'digit-7.png'}", "--top", "1", "--labels", _DIGITS / "labels.txt"]
    for choice in ("", "archive", "system"):
        answer = checks.output_of(program, "run", _DIGITS / "digits.onnx", *image, env={**os.environ, "ORTOOL_RUNTIME": choice})
        checks.expect("1  seven" in answer, f"the archive's program prints '{answer}' with ORTOOL_RUNTIME={choice}")
        # A separate process is started by the launcher's path, or by /proc/self/exe.
        answer = checks.output_of(program, "bench", _DIGITS / "digits.onnx", "--isolate", "--iterations", "3",
                                  env={**os.environ, "ORTOOL_RUNTIME": choice})
        checks.expect("digits.onnx" in answer, f"bench --isolate prints '{answer}' with ORTOOL_RUNTIME={choice}")
    # Modules lie beside the library; that of openvino finds its own library at run time only.
    answer = checks.output_of(program, "providers")
    for name, module in expected_modules(expected).items():
        checks.expect(re.search(rf"^{name} +\S+.* yes$|^{name} .* no: (?!its module)", answer, re.MULTILINE),
                      f"the archive's program does not find {module}:\n{answer}")
        needed = run("objdump", "--private-headers", root / module).stdout
        # The native module cuda links libortool.so, and opens the libraries of CUDA at run time.
        opened = "cu|nv" if name == "cuda" else "openvino|ortool"
        checks.expect(not re.search(rf"NEEDED\s+lib({opened})", needed), f"{module} links what it loads at run time")
    if "xnnpack" in expected_modules(expected):
        answer = checks.output_of(program, "run", _DIGITS / "digits.onnx", *image, "--provider", "xnnpack")
        checks.expect("1  seven" in answer and "warning" not in answer, f"the archive's xnnpack prints '{answer}'")
    # OpenVINO's wheel, with libraries of its own, in a process with the C library of the archive.
    for package in sorted((_ROOT / "build/peers/lib").glob("python3*/site-packages/openvino")):
        answer = checks.output_of(program, "run", _DIGITS / "digits.onnx", *image, "--provider", "openvino",
                                  env={**os.environ, "ORTOOL_OPENVINO_DIR": str(package)})
        checks.expect("1  seven" in answer and "warning" not in answer, f"the archive's openvino prints '{answer}'")
    link = folder / "link"
    link.symlink_to(program)
    checks.output_of(link, "--version")
    maps = run(root / "lib/ortool/runtime/ld-linux-x86-64.so.2", "--library-path", f"{root}/lib/ortool/runtime:{root}/lib/ortool",
               "--list", root / "lib/ortool/ortool").stdout
    foreign = [line for line in maps.splitlines() if "=> /" in line and str(root) not in line]
    checks.expect(not foreign, f"the archive loads libraries of the system:\n{foreign}")

    def fails_with(text, **options):
        answer = run(options.pop("program", program), "--version", **options)
        checks.expect(answer.returncode == 2 and text in answer.stdout and "\nhint: " in answer.stdout,
                      f"expected an error with '{text}', got {answer.returncode}: {answer.stdout}")

    fails_with("ORTOOL_RUNTIME is 'sistem'", env={**os.environ, "ORTOOL_RUNTIME": "sistem"})
    moved = root.rename(folder / "a:b")
    fails_with("':', ';' or '$'", program=moved / "bin/ortool")
    root = moved.rename(root)
    (root / "lib/ortool/runtime/ld-linux-x86-64.so.2").unlink()
    fails_with("No such file")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--cpack", default="cpack")
    options = parser.parse_args()
    build = options.build.resolve()
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if missing:
        print(f"SKIPPED: packages need {', '.join(missing)}")
        return 77
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        # The lowest level of compression, which takes a fifth of the time.
        made = run(options.cpack, "--config", build / "CPackConfig.cmake", "-B", scratch / "made", env={**os.environ, "XZ_OPT": "-1"})
        if made.returncode != 0:
            print(f"cpack ended with {made.returncode}:\n{made.stdout}")
            return 1
        packages = sorted((scratch / "made").glob("*.deb"))
        archives = sorted((scratch / "made").glob("*.tar.xz"))
        expected = read_expected(build)
        checks.expect(len(archives) == 1, f"cpack made {archives}")
        check_debian(checks, packages, scratch, expected, build)
        check_lintian(checks, packages)
        documents = {package: scratch / package / "usr/share/doc" / package / "ortool.spdx.json" for package in expected if package != "archive"}
        checks.output_of("tar", "-C", scratch, "--wildcards", "--strip-components=4", "-xf", archives[0], "*/ortool.spdx.json")
        check_documents(checks, {**documents, "archive": scratch / "ortool.spdx.json"})
        check_archive(checks, archives[0], scratch, expected, build)
    print(f"{len(checks.failures)} failures")
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
