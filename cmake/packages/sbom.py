# Software bill of materials of a package, as an SPDX 2.3 document: the libraries that it loads, contains or was compiled with.
import datetime
import hashlib
import json
import os
import re

import elf

# Libraries that are used as headers only: compiled into the binaries, they leave no trace in them.
_COMPILED_IN = ["libcli11-dev", "libfmt-dev", "libspdlog-dev", "nlohmann-json3-dev"]
_PUBLIC_DOMAIN = {
    "licenseId": "LicenseRef-xz-public-domain",
    "name": "XZ Utils public domain",
    "extractedText": "liblzma is in the public domain; see the copyright file of Debian's package liblzma5.",
}


def read_licenses():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "licenses.txt")
    with open(path, encoding="utf-8") as file:
        return dict(line.split(None, 1) for line in file.read().splitlines() if line and not line.startswith("#"))


def _reference(name):
    return "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def _describe_package(package, licenses):
    if package.source not in licenses:
        raise elf.PackagingError(f"cmake/packages/licenses.txt has no license for {package.source} ({package.name})",
                                 f"add the license that {package.copyright_file} names")
    version = re.sub("[^0-9A-Za-z.+~-]", lambda match: f"%{ord(match.group()):02X}", package.version)
    return {
        "SPDXID": _reference(package.name),
        "name": package.name,
        "versionInfo": package.version,
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "sourceInfo": f"Debian's source package {package.source} {package.source_version}",
        "licenseConcluded": licenses[package.source],
        "licenseDeclared": licenses[package.source],
        "copyrightText": "NOASSERTION",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{package.name.replace('+', '%2B')}@{version.replace('+', '%2B')}?arch={package.architecture}",
        }],
    }


def _describe_file(root, path, license_expression):
    with open(os.path.join(root, path), "rb") as file:
        content = file.read()
    return {
        "SPDXID": "SPDXRef-File-" + re.sub(r"[^A-Za-z0-9.-]", "-", path),
        "fileName": "./" + path,
        "fileTypes": ["BINARY"],
        "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(content).hexdigest()},
                      {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()}],
        "licenseConcluded": license_expression,
        "licenseInfoInFiles": ["NOASSERTION"],
        "copyrightText": "NOASSERTION",
    }


def make_document(name, version, epoch, loaded, contained=None, linked=(), root=None):
    """The document of package NAME.

    loaded: Debian packages that its binaries load from the system; contained: {path below root: Debian package} of
    libraries that lie in it; linked: Debian packages that were linked into it, besides those of headers only.
    """
    licenses = read_licenses()
    own = {
        "SPDXID": _reference(name),
        "name": name,
        "versionInfo": version,
        "supplier": "NOASSERTION",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": "APPLICATION",
    }
    packages = {}
    relationships = {("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])}

    def add(package, relation):
        packages[package.name] = _describe_package(package, licenses)
        relationships.add((own["SPDXID"], relation, _reference(package.name)))

    for package in loaded:
        add(package, "DYNAMIC_LINK")
    for package in linked:
        add(package, "STATIC_LINK")
    files = []
    for path, package in sorted((contained or {}).items()):
        add(package, "CONTAINS")
        files.append(_describe_file(root, path, licenses[package.source]))
        relationships.add((files[-1]["SPDXID"], "EXPANDED_FROM_ARCHIVE", _reference(package.name)))
    described = [own] + [packages[key] for key in sorted(packages)]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{version}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: ortool-sbom"],
        },
        "packages": described,
        "relationships": [{"spdxElementId": subject, "relationshipType": relation, "relatedSpdxElement": target}
                          for subject, relation, target in sorted(relationships)],
    }
    if files:
        document["files"] = files
    if any(_PUBLIC_DOMAIN["licenseId"] in package["licenseDeclared"] for package in described):
        document["hasExtractedLicensingInfos"] = [_PUBLIC_DOMAIN]
    # The namespace is the document's identity: another content, another one.
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    document["documentNamespace"] = f"https://spdx.org/spdxdocs/{name}-{version}-{digest[:32]}"
    return document


def write_document(path, document):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1, sort_keys=True)
        file.write("\n")
    os.chmod(path, 0o644)


def compiled_in():
    return [elf.DebianPackage(name) for name in _COMPILED_IN]
