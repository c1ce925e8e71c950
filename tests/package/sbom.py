#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The list of what is inside the program is valid SPDX 2.3, and true: sbom.py ONNX-HIER SBOM COPYRIGHT

Strict in what the standard's sections 6 (document), 7 (packages) and 11 (relationships) require.
COPYRIGHT is the file with the licences, which must be of the same packages. ONNX-HIER lies in its build
folder, whose file for ninja tells what is linked.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ID = re.compile(r"SPDXRef-[A-Za-z0-9.-]+")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
CREATOR = re.compile(r"(Person|Organization|Tool): \S.*")
# No fragment: ids are put behind one.
NAMESPACE = re.compile(r"[a-z][a-z0-9+.-]*:[^\s#]+")
PURL = re.compile(r"pkg:[a-z]+/[\w.%-]+/[\w.%-]+@[\w.%~-]+(\?arch=source)?")
# Of those that SPDX lists, the ones that may occur here, with Debian's names.
LICENSES = {"Apache-2.0": "Apache-2.0", "MIT": "Expat", "LGPL-2.1-or-later": "LGPL-2.1+",
            "GPL-3.0-or-later WITH GCC-exception-3.1": "GPL-3+ with GCC-exception-3.1", "Zlib": "Zlib"}
LINKED = re.compile(r"^build tools/onnx-hier/onnx-hier: .*?^  LINK_LIBRARIES = ([^\n]*)$",
                    re.MULTILINE | re.DOTALL)
RELATIONSHIPS = {"DESCRIBES", "CONTAINS", "STATIC_LINK", "DYNAMIC_LINK"}
DOCUMENT_FIELDS = {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace",
                   "creationInfo", "packages", "relationships"}
PACKAGE_FIELDS = {"SPDXID", "name", "versionInfo", "downloadLocation", "filesAnalyzed",
                  "licenseConcluded", "licenseDeclared", "copyrightText"}


def once(pairs):
    """An object none of whose members is given twice."""
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), names
    return dict(pairs)


def check_document(document):
    assert set(document) == DOCUMENT_FIELDS, set(document) ^ DOCUMENT_FIELDS
    assert document["spdxVersion"] == "SPDX-2.3"
    assert document["dataLicense"] == "CC0-1.0"
    assert document["SPDXID"] == "SPDXRef-DOCUMENT"
    assert NAMESPACE.fullmatch(document["documentNamespace"])
    creation = document["creationInfo"]
    assert TIME.fullmatch(creation["created"]), creation
    assert creation["creators"] and all(map(CREATOR.fullmatch, creation["creators"])), creation


def check_package(package):
    assert PACKAGE_FIELDS <= set(package) <= PACKAGE_FIELDS | {"comment", "externalRefs"}, package
    assert ID.fullmatch(package["SPDXID"])
    assert all(package[field] for field in ("name", "versionInfo", "downloadLocation"))
    # Else a code over all files would be required.
    assert package["filesAnalyzed"] is False
    assert package["licenseConcluded"] in LICENSES
    assert package["licenseDeclared"] in LICENSES
    for reference in package.get("externalRefs", []):
        assert reference["referenceCategory"] == "PACKAGE-MANAGER"
        assert reference["referenceType"] == "purl"
        assert PURL.fullmatch(reference["referenceLocator"]), reference


def check_relationships(document):
    ids = [package["SPDXID"] for package in document["packages"]] + ["SPDXRef-DOCUMENT"]
    assert len(ids) == len(set(ids)), ids
    related = set()
    for relationship in document["relationships"]:
        assert relationship["relationshipType"] in RELATIONSHIPS, relationship
        assert relationship["spdxElementId"] in ids, relationship
        assert relationship["relatedSpdxElement"] in ids, relationship
        related.add(relationship["relatedSpdxElement"])
    assert related == set(ids) - {"SPDXRef-DOCUMENT"}, related
    described = [r["relatedSpdxElement"] for r in document["relationships"]
                 if r["relationshipType"] == "DESCRIBES"]
    assert described == ["SPDXRef-onnx-hier"], described


def check_truth(document, program):
    """The versions are those that the program itself was built with."""
    told = json.loads(subprocess.run([program, "--version", "--json"], capture_output=True,
                                     check=True, text=True).stdout)
    versions = {package["name"]: package["versionInfo"] for package in document["packages"]}
    assert versions["onnx-hier"] == told["version"]
    for name, version in told["libraries"].items():
        assert (versions[name] + ".").startswith(version + "."), (name, version)
    assert not [name for name, version in versions.items() if not re.match(r"\d", version)]

    (ours,) = [p for p in document["packages"] if p["SPDXID"] == "SPDXRef-onnx-hier"]
    assert told["revision"] in ours["comment"] and told["compiler"] in ours["comment"]
    needed = subprocess.run(["readelf", "--dynamic", program], capture_output=True, check=True,
                            text=True).stdout
    link = "DYNAMIC_LINK" if "(NEEDED)" in needed else "STATIC_LINK"
    linked = {r["relationshipType"] for r in document["relationships"]} - {"DESCRIBES", "CONTAINS"}
    assert linked == {link}, (linked, link)


def check_licenses(document, text):
    """Each package is in the file with the licences, and nothing else is."""
    stanzas = dict(re.findall(r"^Files: (\S+)/\*\n(?:Copyright:.*\n(?: .*\n)*)License: (.*)$", text,
                              re.MULTILINE))
    packages = {package["name"]: LICENSES[package["licenseConcluded"]]
                for package in document["packages"] if package["name"] != "onnx-hier"}
    assert stanzas == packages, (stanzas, packages)
    told = set(re.findall(r"^License: (.*)\n .", text, re.MULTILINE))
    assert told == {*packages.values()}, told


def check_linked(program):
    """The program is linked to Abseil, zlib and our own libraries alone; compilers add theirs, of
    which Abseil names one.
    """
    (linked,) = LINKED.findall(Path(program).parents[2].joinpath("build.ninja").read_text("utf-8"))
    files = [word for word in linked.split() if re.search(r"^-l|\.(a|so)[.0-9]*$", word)]
    others = [word for word in files if not re.search(r"\blib(absl_\w+|onnx_hier\w*|z)\.(a|so)", word)]
    assert files and set(others) <= {"-latomic"}, others


def main(program, sbom, copyright_file):
    with open(sbom, encoding="utf-8") as file:
        document = json.load(file, object_pairs_hook=once)
    check_document(document)
    for package in document["packages"]:
        check_package(package)
    check_relationships(document)
    check_truth(document, program)
    check_licenses(document, Path(copyright_file).read_text("utf-8"))
    check_linked(program)
    print(f"{len(document['packages'])} packages")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
