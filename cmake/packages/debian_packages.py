# Debian packages of a build: staged by the install rules of this folder, and packed by dpkg's own tools.
import email.utils
import os
import pathlib
import re
import shutil
import subprocess

import elf
import sbom

_DEBIAN = pathlib.Path(__file__).resolve().parent / "debian"
# Packages and the components of the install rules, in the order of their dependencies.
COMPONENTS = {"libortool0": "libraries", "ortool": "program", "libortool-dev": "development", "python3-ortool": "python",
              "ortool-provider-xnnpack": "xnnpack"}
_REVISION = "1"


def list_binaries(folder):
    """The ELF files below a folder, without links."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.open("rb").read(4) == b"\x7fELF":
            found.append(path)
    return found


def compress(path):
    """As Debian wants texts: the best compression, and neither name nor time in the file."""
    subprocess.run(["gzip", "-9n", str(path)], check=True)


def set_modes_and_times(folder, epoch):
    """Nothing of the machine's umask or clock remains."""
    for path in [*sorted(folder.rglob("*"), reverse=True), folder]:
        if not path.is_symlink():
            is_executable = path.is_dir() or path.parent.name == "bin" or path.name in ("postinst", "prerm") or \
                path.name.startswith("ld-linux") or path.parts[-3:] == ("lib", "ortool", "ortool")
            path.chmod(0o755 if is_executable else 0o644)
        os.utime(path, (epoch, epoch), follow_symlinks=False)


class DebianBuilder:
    """Makes the packages of one build, in a scratch folder that has the layout of a source package."""

    def __init__(self, job):
        self.job = job
        self.version = f"{job.version}-{_REVISION}"
        self.source = job.scratch / "debian-source"
        self.debian = self.source / "debian"

    def fill_in(self, name):
        values = {"VERSION": self.version, "UPSTREAM": self.job.version, "MAINTAINER": self.job.maintainer,
                  "COMMIT": self.job.commit, "DATE": email.utils.formatdate(self.job.epoch)}
        return re.sub(r"@([A-Z]+)@", lambda match: values[match.group(1)], (_DEBIAN / name).read_text(encoding="utf-8"))

    def stage(self, package):
        root = self.debian / package
        root.mkdir(parents=True)
        subprocess.run([self.job.cmake, "--install", str(self.job.build / "cmake/packages"), "--prefix", "/usr",
                        "--component", COMPONENTS[package]], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "DESTDIR": str(root)})
        for binary in list_binaries(root):
            kind = ["--strip-unneeded"] if ".so" in binary.name else []
            subprocess.run(["strip", "--remove-section=.comment", "--remove-section=.note", *kind, str(binary)], check=True)
        for folder in sorted(root.rglob("*"), reverse=True):
            if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
                folder.rmdir()
        for page in sorted(root.glob("usr/share/man/man1/*")):
            compress(page)
        return root

    def add_documents(self, package, root):
        folder = root / "usr/share/doc" / package
        folder.mkdir(parents=True)
        shutil.copyfile(_DEBIAN / "copyright", folder / "copyright")
        (folder / "changelog.Debian").write_text(self.fill_in("changelog.in"), encoding="utf-8")
        shutil.copyfile(self.job.source / "docs/changelog.md", folder / "changelog")
        compress(folder / "changelog.Debian")
        compress(folder / "changelog")
        sbom.write_document(folder / "ortool.spdx.json", self.describe(package, root))
        overrides = _DEBIAN / f"{package}.lintian-overrides"
        if overrides.exists():
            (root / "usr/share/lintian/overrides").mkdir(parents=True)
            shutil.copyfile(overrides, root / "usr/share/lintian/overrides" / package)

    def describe(self, package, root):
        """What the binaries of a package load by themselves; libraries of ortool come with their own document."""
        binaries = list_binaries(root)
        packages = {}
        examined = [(self.job.find_built(binary.name), str(binary)) for binary in binaries]
        if package == "libortool0":
            examined.append((self.job.find_built(elf.DELAYED),) * 2)
        for built, binary in examined:
            loaded = elf.loaded_libraries(built)
            for name in elf.needed_libraries(binary):
                if not name.startswith("libortool"):
                    found = elf.package_of(loaded[name])
                    packages[found.name] = found
        return sbom.make_document(package, self.version, self.job.epoch, packages.values(),
                                  linked=sbom.compiled_in() if package in ("ortool", "libortool0") else ())

    def add_control(self, package, root):
        control = root / "DEBIAN"
        control.mkdir()
        for name in ("postinst", "prerm", "triggers"):
            given = _DEBIAN / f"{package}.{name}"
            if given.exists():
                shutil.copyfile(given, control / name)
        if (_DEBIAN / f"{package}.shlibs.in").exists():
            (control / "shlibs").write_text(self.fill_in(f"{package}.shlibs.in"), encoding="utf-8")
        sums = [elf.run("md5sum", str(path.relative_to(root)), cwd=root) for path in sorted(root.rglob("*"))
                if path.is_file() and not path.is_symlink() and control not in path.parents]
        (control / "md5sums").write_text("".join(sums), encoding="utf-8")
        binaries = [str(path.relative_to(self.source)) for path in list_binaries(root)]
        if package == "libortool0":
            binaries.append(self.job.find_built(elf.DELAYED))
        substitutions = elf.run("dpkg-shlibdeps", "-O", f"-S{self.debian / 'libortool0'}", *binaries, cwd=self.source) if binaries else ""
        (self.debian / f"{package}.substvars").write_text(substitutions, encoding="utf-8")
        elf.run("dpkg-gencontrol", f"-p{package}", f"-P{root}", f"-T{self.debian / package}.substvars",
                f"-f{self.job.scratch / 'files'}", cwd=self.source)

    def make(self):
        self.debian.mkdir(parents=True)
        (self.debian / "control").write_text(self.fill_in("control.in"), encoding="utf-8")
        (self.debian / "changelog").write_text(self.fill_in("changelog.in"), encoding="utf-8")
        made = []
        for package in COMPONENTS:
            root = self.stage(package)
            if COMPONENTS[package] == "python" and not list_binaries(root):
                raise elf.PackagingError("the build has no Python module", "install python3-dev, and configure and build again")
            if COMPONENTS[package] == "xnnpack" and not list_binaries(root):
                print("without ortool-provider-xnnpack: the build has no XNNPACK")
                shutil.rmtree(root)
                continue
            self.add_documents(package, root)
            self.add_control(package, root)
            set_modes_and_times(root, self.job.epoch)
            elf.run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(root), str(self.job.output))
            made.append(self.job.output / f"{package}_{self.version}_{elf.run('dpkg', '--print-architecture').strip()}.deb")
        return made
