# Makes the Debian packages and the archive of a finished build; cpack runs it. Prints the paths of what it made.
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import archive
import debian_packages
import elf

_SOURCE = pathlib.Path(__file__).resolve().parents[2]


def _git(*arguments):
    answer = subprocess.run(["git", "-C", str(_SOURCE), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            encoding="utf-8", check=False)
    return answer.stdout.strip() if answer.returncode == 0 else ""


def find_epoch():
    """The time in packages: SOURCE_DATE_EPOCH, or that of the commit; without git, that of the changelog in the tree."""
    given = os.environ.get("SOURCE_DATE_EPOCH") or _git("log", "-1", "--format=%ct")
    if given and not given.isdigit():
        raise elf.PackagingError(f"SOURCE_DATE_EPOCH is '{given}'", "set it to seconds since 1970")
    return int(given or os.stat(_SOURCE / "docs/changelog.md").st_mtime)


class Job:
    """A finished build, and where packages of it are made."""

    def __init__(self, options):
        self.source = _SOURCE
        self.build = options.build.resolve()
        self.version = options.version
        self.maintainer = options.maintainer
        self.cmake = options.cmake
        self.scratch = options.scratch.resolve()
        self.output = options.output.resolve()
        self.epoch = find_epoch()
        self.commit = _git("rev-parse", "--short=12", "HEAD") or "unknown"

    def find_built(self, name):
        """A binary in the build folder, where its search path for libraries still leads to the others."""
        for folder in ("bin", "lib", "lib/ortool/providers", "python/ortool"):
            path = self.build / folder / name
            if path.exists():
                return str(path)
        raise elf.PackagingError(f"{self.build} has no {name}", "build everything first: cmake --build --preset release")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--maintainer", required=True)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    job = Job(parser.parse_args())
    # Tools that write times or texts do so the same everywhere.
    os.environ.update(SOURCE_DATE_EPOCH=str(job.epoch), LC_ALL="C.UTF-8", TZ="UTC")
    for folder in (job.scratch, job.output):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    try:
        for name in ("ortool", "libortool.so.0", "libortool_c.so.0", elf.DELAYED):
            job.find_built(name)
        for path in [*debian_packages.DebianBuilder(job).make(), archive.ArchiveBuilder(job).make()]:
            print(path)
    except elf.PackagingError as error:
        print(f"error: {error}\nhint: {error.hint}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
