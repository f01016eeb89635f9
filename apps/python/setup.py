# Builds the Python package: the module of native/, and the libraries of the CMake build beside it.
#
# ORTOOL_BUILD names a finished CMake build folder; without it the release preset of the source tree is built.
# ORTOOL_SCRATCH names the folder for intermediate files; by default build/python-package.
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# What setuptools leaves behind belongs to the build folder.
SCRATCH = pathlib.Path(os.environ.get("ORTOOL_SCRATCH", ROOT / "build" / "python-package"))
LIBRARIES = ("libortool.so.0", "libortool_c.so.0")
# Provider modules that need no library of Debian; builds without nvcc have none.
MODULES = ("ortool/providers/libortool_cuda.so",)


def read_version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(ortool VERSION ([\d.]+)", text).group(1)


def find_build():
    """The CMake build folder with the libraries, which are built if ORTOOL_BUILD is not set."""
    given = os.environ.get("ORTOOL_BUILD")
    if given:
        return pathlib.Path(given).resolve()
    subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "ortool_c"], cwd=ROOT, check=True)
    return ROOT / "build" / "release"


class BuildWithLibraries(build_ext):
    """Links the module to libortool_c, and copies the libraries into the package."""

    def run(self):
        folder = find_build() / "lib"
        for library in LIBRARIES:
            if not (folder / library).exists():
                raise FileNotFoundError(f"{folder / library} does not exist: build the target ortool_c")
        for extension in self.extensions:
            extension.extra_objects = [str(folder / LIBRARIES[1])]
        super().run()
        package = pathlib.Path(self.get_ext_fullpath("ortool._native")).parent
        copies = {folder / library: package / library for library in LIBRARIES}
        copies |= {folder / module: package / "providers" / pathlib.Path(module).name for module in MODULES
                   if (folder / module).exists()}
        for built, copied in copies.items():
            copied.parent.mkdir(exist_ok=True)
            shutil.copyfile(built, copied)
            # The build folder's paths are replaced by that of the libraries.
            subprocess.run(["patchelf", "--set-rpath", "$ORIGIN" if copied.parent == package else "$ORIGIN/..", str(copied)],
                           check=True)
            subprocess.run(["strip", "--strip-unneeded", str(copied)], check=True)


class WheelForAll(bdist_wheel):
    """One wheel for every CPython from 3.9 on."""

    def finalize_options(self):
        self.py_limited_api = "cp39"
        super().finalize_options()


SCRATCH.mkdir(parents=True, exist_ok=True)
setup(
    version=read_version(),
    options={"build": {"build_base": str(SCRATCH)}, "egg_info": {"egg_base": str(SCRATCH)}},
    ext_modules=[
        Extension(
            "ortool._native",
            sources=sorted(os.path.relpath(path, HERE) for path in (HERE / "native").glob("*.cpp")),
            include_dirs=[str(ROOT)],
            define_macros=[("Py_LIMITED_API", "0x03090000")],
            extra_compile_args=["-std=c++17", "-O2", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-missing-field-initializers"],
            extra_link_args=["-Wl,-rpath,$ORIGIN"],
            py_limited_api=True,
        )
    ],
    cmdclass={"build_ext": BuildWithLibraries, "bdist_wheel": WheelForAll},
)
