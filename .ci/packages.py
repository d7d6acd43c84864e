#!/usr/bin/env python3
"""Checks that a build uses nothing beyond app/packages.txt and what those packages depend on.

    packages.py BUILD_FOLDER...

Reads from each Ninja build folder which headers were included, which libraries the programs load and which tools the
cache names, asks dpkg which package each file came from, and fails on a package that is neither listed nor (however
indirectly) a dependency of a listed one. Where there is no dpkg nothing can be
checked, which fails, too.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def output(*command, check=True):
    return subprocess.run(command, check=check, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def listed():
    lines = (line.split("#")[0].split() for line in (ROOT / "app/packages.txt").read_text().splitlines())
    return {words[0] for words in lines if words}


def installed():
    """Name -> (names it depends on, each a list of alternatives), and virtual name -> providers."""
    depends, provides = {}, {}
    separator = "\x1f"
    fields = ["Package", "Pre-Depends", "Depends", "Provides"]
    text = output("dpkg-query", "-W", "-f", separator.join("${%s}" % field for field in fields) + "\n")
    name_of = lambda relation: re.split(r"[ (:]", relation.strip())[0]
    for line in text.splitlines():
        package, before, after, provided = line.split(separator)
        relations = [relation for relation in (before + "," + after).split(",") if relation.strip()]
        depends[package] = [name_of(choice) for relation in relations for choice in relation.split("|")]
        for virtual in filter(None, map(name_of, provided.split(","))):
            provides.setdefault(virtual, set()).add(package)
    return depends, provides


def closure(packages, depends, provides):
    seen, todo = set(), list(packages)
    while todo:
        package = todo.pop()
        if package not in seen:
            seen.add(package)
            todo += depends.get(package, [])
            todo += provides.get(package, ())
    return seen


def files_used(build):
    headers = {line.strip() for line in output("ninja", "-C", str(build), "-t", "deps").splitlines() if line.startswith("    ")}
    programs = [path for path in (build / "bin").iterdir() if path.is_file() and os.access(path, os.X_OK)]
    programs += (build / "python").glob("*/*.so")
    programs += (build / "lib" / "tessera").glob("*.so")
    libraries = set(re.findall(r"=> (/\S+)", "".join(output("ldd", str(path), check=False) for path in programs)))
    linked = set(re.findall(r"(?<=\s)/\S+\.(?:so|a)\b\S*", (build / "build.ninja").read_text()))
    cache = (build / "CMakeCache.txt").read_text()
    tools = set(re.findall(r"^(?:CMAKE_CXX_COMPILER|CMAKE_MAKE_PROGRAM|CMAKE_COMMAND|CCACHE):\w+=(/.+)$", cache, re.M))
    return headers | libraries | linked | tools


def packages_of(files):
    """File -> package, for files outside of the project; None where no package owns the file."""
    spellings = {}  # merged /usr: dpkg may know /lib/x where the build says /usr/lib/x
    for file in files:
        if not os.path.isabs(file) or str(ROOT) in file or not os.path.exists(file):
            continue
        real = os.path.realpath(file)
        if not real.startswith(str(ROOT) + os.sep):
            spellings[file] = {file, real, re.sub("^/usr(?=/lib|/bin|/sbin)", "", real), os.path.normpath(file)}
    names = sorted(set().union(*spellings.values())) if spellings else []
    owner = {}
    for start in range(0, len(names), 500):
        for line in output("dpkg", "-S", *names[start:start + 500], check=False).splitlines():
            owners, _, path = line.partition(": ")
            owner[path] = owners.split(",")[0].split(":")[0]
    return {file: next((owner[name] for name in sorted(spelt) if name in owner), None) for file, spelt in spellings.items()}


def main(builds):
    if not shutil.which("dpkg"):
        print("error: no dpkg on this system, so that what the build uses cannot be checked against app/packages.txt")
        return 1
    depends, provides = installed()
    allowed = closure(listed(), depends, provides)
    used = {}
    for build in builds:
        if not (build / "build.ninja").exists():
            print(f"{build} is not a Ninja build folder")
            return 1
        inside = str(build.resolve()) + os.sep
        used.update(packages_of({file for file in files_used(build) if not os.path.realpath(file).startswith(inside)}))
    wrong = sorted((package or "no package", file) for file, package in used.items() if package not in allowed)
    for package, file in wrong[:40]:
        print(f"{file} is of {package}; expected a file of what app/packages.txt lists or depends on")
    print(f"{len(used)} files of {len(set(used.values()))} packages were used; {len(wrong)} are not covered by app/packages.txt")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main([Path(argument).resolve() for argument in sys.argv[1:]]))
