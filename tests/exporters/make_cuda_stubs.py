# Stub libraries for CUDA's, so that PyPI's build of torch loads without 2 GB of GPU packages.
"""usage: make_cuda_stubs.py FOLDER   (site-packages/torch/lib; needs cc, nm and readelf)

Makes each library that torch's libraries link against and that is neither in FOLDER nor in the dynamic linker's path,
with the functions they import from it. All functions return 35, which is CUDA's cudaErrorInsufficientDriver.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

_GPU_LIBRARY = re.compile(r"lib(cu|nccl|nv)")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def needed_libraries(files):
    found = set()
    for file in files:
        found.update(re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", file)))
    return sorted(name for name in found if _GPU_LIBRARY.match(name))


def symbols(file, kind):
    """Names with their versions; unversioned symbols have an empty version."""
    for line in output_of("nm", "-D", kind, "--with-symbol-versions", file).splitlines():
        name, _, version = line.split()[-1].partition("@")
        yield name, version.lstrip("@")


def undefined_symbols(files):
    """Names and versions of symbols that no library of torch defines and that are named like those of GPU libraries."""
    defined = {name for file in files for name, _ in symbols(file, "--defined-only")}
    wanted = {(name, version) for file in files for name, version in symbols(file, "--undefined-only")}
    return sorted((name, version) for name, version in wanted
                  if name not in defined and re.match(r"(cu|nccl|nvrtc|nvshmem|nvJit|_+cuda)", name))


def owners_of_versions(files):
    """For each symbol version the library it is expected in."""
    owners = {}
    for file in files:
        owner = ""
        for line in output_of("readelf", "-V", "-W", file).splitlines():
            is_library = re.search(r"Version: 1 +File: (\S+)", line)
            is_version = re.search(r"Name: (\S+) +Flags: ", line)
            if is_library:
                owner = is_library.group(1)
            elif is_version:
                owners[is_version.group(1)] = owner
    return owners


def make_stub(folder, soname, functions, version):
    with tempfile.TemporaryDirectory() as scratch:
        source, script = os.path.join(scratch, "stub.c"), os.path.join(scratch, "stub.map")
        with open(source, "w", encoding="utf-8") as file:
            for name in functions:
                # Functions whose result torch uses in error messages return a string.
                is_text = name.endswith(("GetErrorString", "GetErrorName"))
                kind, value = ("const char*", '"a stub of CUDA"') if is_text else ("int", "35")
                file.write(f"{kind} {name}(void) {{ return {value}; }}\n")
        command = ["cc", "-shared", "-fPIC", "-w", "-fno-builtin", f"-Wl,-soname,{soname}", source,
                   "-o", os.path.join(folder, soname)]
        if version:
            with open(script, "w", encoding="utf-8") as file:
                file.write(f"{version} {{ global: *; }};\n")
            command.append(f"-Wl,--version-script={script}")
        subprocess.run(command, check=True)


def main():
    folder = sys.argv[1]
    files = sorted(glob.glob(os.path.join(folder, "lib*.so")))
    sonames = [name for name in needed_libraries(files) if not os.path.exists(os.path.join(folder, name))]
    owners = owners_of_versions(files)
    functions = {soname: [] for soname in sonames}
    versions = {soname: "" for soname in sonames}
    for name, version in undefined_symbols(files):
        # An unversioned symbol may come from any library; not all of them are loaded together.
        for soname in [owners[version]] if version in owners else set(sonames) - set(owners.values()):
            if soname in functions:
                functions[soname].append(name)
                versions[soname] = version
    for soname in sonames:
        make_stub(folder, soname, functions[soname], versions[soname])
    print(f"cuda stubs: {len(sonames)} libraries with {sum(map(len, functions.values()))} functions in {folder}")


if __name__ == "__main__":
    main()
