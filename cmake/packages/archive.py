# The archive for other distributions: the program, the libraries and the C library that it loads, and their licenses.
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

import elf
import sbom
from debian_packages import compress, set_modes_and_times

# Libraries of the compiler and the C library. They must fit the dynamic loader, and so lie in a folder of their own,
# which the launcher leaves out where it starts the program by the system's loader.
_RUNTIME_SOURCES = ("glibc", "gcc-12")
_NOT_OF_THE_RUNTIME = ("libgomp.so.1",)
# Parts of the C library that the program does not load, but libraries of custom operators may: in older systems these
# functions are not in libc itself, and those of the system would not fit the loader.
_MORE_OF_THE_RUNTIME = ("libdl.so.2", "libmvec.so.1", "libpthread.so.0", "librt.so.1", "libutil.so.1")
_README = """ortool for Linux on 64-bit x86 processors

bin/ortool starts on any distribution. It brings the libraries that it loads in lib/ortool, and the C library and the
C++ library in lib/ortool/runtime, unchanged from Debian's packages. Their licenses are in share/doc/ortool/licenses;
share/doc/ortool/ortool.spdx.json lists the packages, with their versions and the source packages.

The folder may lie anywhere and be moved. ORTOOL_RUNTIME=system takes the C library and the C++ library of the system,
for libraries of custom operators that were built for newer ones.
"""


def _is_of_the_runtime(name, package):
    return package.source in _RUNTIME_SOURCES and name not in _NOT_OF_THE_RUNTIME


class ArchiveBuilder:
    """Makes the archive of one build."""

    def __init__(self, job):
        self.job = job
        self.name = f"ortool-{job.version}-linux-x86_64"
        self.root = job.scratch / self.name

    def copy_binary(self, source, target):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        subprocess.run(["strip", "--remove-section=.comment", "--remove-section=.note", str(target)], check=True)

    def copy_modules(self):
        """Copies the provider modules; returns what they load, {name: path}."""
        loaded = {}
        for module in sorted((self.job.build / "lib/ortool/providers").glob("libortool_*.so")):
            self.copy_binary(module, self.root / "lib/ortool/providers" / module.name)
            loaded |= elf.loaded_libraries(module)
        return loaded

    def copy_libraries(self):
        """Copies what the program loads; returns {path below the root: Debian package}."""
        loaded = elf.loaded_libraries(self.job.find_built("ortool"))
        loaded |= elf.loaded_libraries(self.job.find_built(elf.DELAYED))
        loaded |= self.copy_modules()
        for name in _MORE_OF_THE_RUNTIME:
            loaded.setdefault(name, os.path.join(os.path.dirname(loaded["libc.so.6"]), name))
        contained = {}
        for name, path in sorted(loaded.items()):
            if name.startswith("libortool"):
                self.copy_binary(path, self.root / "lib/ortool" / name)
                continue
            package = elf.package_of(path)
            folder = "lib/ortool/runtime" if _is_of_the_runtime(name, package) else "lib/ortool"
            target = self.root / folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            contained[f"{folder}/{name}"] = package
        return contained

    def copy_licenses(self, packages):
        folder = self.root / "share/doc/ortool/licenses"
        for package in packages:
            (folder / package.name).mkdir(parents=True, exist_ok=True)
            text = pathlib.Path(package.copyright_file).read_bytes()
            (folder / package.name / "copyright").write_bytes(text)
            for name in re.findall(rb"/usr/share/common-licenses/([A-Za-z0-9.-]*[A-Za-z0-9])", text):
                common = pathlib.Path("/usr/share/common-licenses", name.decode())
                if common.is_file():
                    (folder / "common-licenses").mkdir(exist_ok=True)
                    shutil.copyfile(common, folder / "common-licenses" / common.name)
        shutil.copyfile(self.job.source / "LICENSE", self.root / "share/doc/ortool/LICENSE")

    def copy_shared_files(self):
        """Manual pages and completion, as they were staged for the Debian package."""
        staged = self.job.scratch / "debian-source/debian/ortool/usr/share"
        for folder in ("man", "bash-completion", "zsh", "fish"):
            shutil.copytree(staged / folder, self.root / "share" / folder)

    def make(self):
        self.copy_binary(self.job.build / "archive/bin/ortool", self.root / "bin/ortool")
        self.copy_binary(self.job.find_built("ortool"), self.root / "lib/ortool/ortool")
        contained = self.copy_libraries()
        linked = [*sbom.compiled_in(), elf.DebianPackage("libc6-dev")]
        packages = {package.name: package for package in [*contained.values(), *linked]}
        self.copy_licenses(packages.values())
        self.copy_shared_files()
        (self.root / "README").write_text(_README, encoding="utf-8")
        document = sbom.make_document("ortool", self.job.version, self.job.epoch, (), contained, linked, self.root)
        sbom.write_document(self.root / "share/doc/ortool/ortool.spdx.json", document)
        set_modes_and_times(self.root, self.job.epoch)
        return self.pack()

    def pack(self):
        """Sorted, without owners and times; xz splits by size, so the number of threads changes no bit."""
        plain = self.job.output / f"{self.name}.tar"

        def anonymous(entry):
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            entry.mtime = self.job.epoch
            return entry

        with tarfile.open(plain, "w", format=tarfile.GNU_FORMAT) as archive:
            for path in [self.root, *sorted(self.root.rglob("*"))]:
                archive.add(path, arcname=str(path.relative_to(self.root.parent)), recursive=False, filter=anonymous)
        packed = plain.with_name(plain.name + ".xz")
        if packed.exists():
            os.remove(packed)
        subprocess.run(["xz", "--threads=2", "--block-size=16MiB", str(plain)], check=True)
        return packed
