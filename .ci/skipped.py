# SPDX-License-Identifier: Apache-2.0
"""Fails if a test was skipped that is not listed: skipped.py LIST JUNIT_XML. Silent otherwise."""

import sys
import xml.etree.ElementTree as xml


def main(listed, results):
    with open(listed, encoding="utf-8") as lines:
        allowed = {line.split()[0] for line in lines if line.strip() and line[0] != "#"}
    cases = xml.parse(results).getroot().iter("testcase")
    skipped = {case.get("name") for case in cases if case.get("status") == "notrun"}
    for name in sorted(skipped - allowed):
        print(f"{name} was skipped, and {listed} gives no reason for that")
    return 1 if skipped - allowed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
