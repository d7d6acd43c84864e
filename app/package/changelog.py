"""Writes the changes of all versions, as CHANGELOG.md lists them, in the form of Debian.

    changelog.py CHANGELOG VERSION MAINTAINER OUT

VERSION is that of the package ("0.1.0-1"). What is unreleased is of that version, unless the version has a section of
its own; its day is $SOURCE_DATE_EPOCH, or today.
"""
import datetime
import email.utils
import os
import re
import sys
import textwrap
import time
from pathlib import Path

WIDTH = 78  # columns; Debian has 80


def sections(text):
    """[(version or "Unreleased", day or None, [(heading, item)])], the newest first."""
    found = []
    heading = ""
    for line in text.splitlines():
        if version := re.match(r"## \[(.+?)\](?: - (\d{4}-\d\d-\d\d))?", line):
            found.append((version[1], version[2], []))
        elif not found:
            continue
        elif line.startswith("### "):
            heading = line[4:].strip()
        elif line.startswith("- "):
            found[-1][2].append((heading, line[2:].strip()))
        elif line.startswith("  ") and found[-1][2]:
            heading_of, item = found[-1][2][-1]
            found[-1][2][-1] = (heading_of, f"{item} {line.strip()}")
    return found


def entry(version, moment, items, maintainer):
    lines = [f"tessera ({version}) unstable; urgency=medium", ""]
    for heading, item in items:
        lines += textwrap.wrap(f"{heading}: {item}", WIDTH, initial_indent="  * ", subsequent_indent="    ",
                               break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines + ["", f" -- {maintainer}  {email.utils.format_datetime(moment)}", ""])


def main(changelog, version, maintainer, out):
    now = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), datetime.timezone.utc)
    upstream = version.rpartition("-")[0]
    all_sections = sections(Path(changelog).read_text(encoding="utf-8"))
    known = {name for name, _, _ in all_sections}
    entries = []
    for name, day, items in all_sections:
        if name == "Unreleased":
            if upstream in known or not items:
                continue
            name = upstream
        moment = datetime.datetime.fromisoformat(day).replace(tzinfo=datetime.timezone.utc) if day else now
        entries.append(entry(version if name == upstream else f"{name}-1", moment, items, maintainer))
    if not any(text.startswith(f"tessera ({version})") for text in entries):
        sys.exit(f"error: {changelog} has no changes of version {upstream}; expected a section '## [{upstream}]' or '## [Unreleased]'")
    Path(out).write_text("\n".join(entries), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
