# Shared libraries of ELF files: which are needed, where the dynamic loader finds them, and which Debian package has them.
import functools
import os
import re
import subprocess


# Needs what libortool loads at the first call (cmake/OrtoolDelayLoad.cmake), and is in no package itself.
DELAYED = "libortool_delayed.so"


class PackagingError(Exception):
    """What keeps packages from being made: a sentence, and what to do."""

    def __init__(self, message, hint):
        super().__init__(message)
        self.hint = hint


def run(*command, **options):
    """Standard output of a command, which must succeed."""
    try:
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8", **options).stdout
    except FileNotFoundError as error:
        raise PackagingError(f"{command[0]} is missing", "run apps/install_packages.sh, on Debian") from error
    except subprocess.CalledProcessError as error:
        raise PackagingError(f"{' '.join(command)} ended with {error.returncode}", "see its messages above") from error


def needed_libraries(path):
    """The names of the libraries that a file asks for itself."""
    return re.findall(r"^\s+NEEDED\s+(\S+)$", run("objdump", "--private-headers", path), re.MULTILINE)


def loaded_libraries(path):
    """{name: path} of all libraries that are loaded with a file, the dynamic loader among them."""
    text = run("ldd", path)
    missing = re.findall(r"^\s*(\S+) => not found$", text, re.MULTILINE)
    if missing:
        raise PackagingError(f"{path} needs {', '.join(missing)}, which the system does not have", "install what it needs")
    found = dict(re.findall(r"^\s*(\S+) => (/\S+) \(0x", text, re.MULTILINE))
    for loader in re.findall(r"^\s*(/\S+) \(0x", text, re.MULTILINE):
        found[os.path.basename(loader)] = loader
    return found


class DebianPackage:
    """An installed Debian package: name, version, and the source package that it was built from."""

    def __init__(self, name):
        fields = run("dpkg-query", "--show", "--showformat",
                     "${Package}\\n${Version}\\n${source:Package}\\n${source:Version}\\n${Architecture}\\n", name)
        self.name, self.version, self.source, self.source_version, self.architecture = fields.split("\n")[:5]

    @property
    def copyright_file(self):
        path = f"/usr/share/doc/{self.name}/copyright"
        if not os.path.exists(path):
            raise PackagingError(f"{path} does not exist, so the licenses cannot be collected",
                                 f"install {self.name} again without excluding documentation (path-exclude of dpkg)")
        return path


@functools.lru_cache(maxsize=None)
def package_of(path):
    """The Debian package that a library belongs to."""
    real = os.path.realpath(path)
    # /lib is a link to /usr/lib, and dpkg knows each file by one of the two names.
    for candidate in (path, real, re.sub("^/usr/lib", "/lib", real), re.sub("^/lib", "/usr/lib", path)):
        answer = subprocess.run(["dpkg-query", "--search", candidate], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                encoding="utf-8", check=False)
        if answer.returncode == 0:
            return DebianPackage(answer.stdout.split(": ")[0].split(",")[0])
    raise PackagingError(f"{path} belongs to no Debian package", "link libraries of Debian's packages only")
