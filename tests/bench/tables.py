# SPDX-License-Identifier: Apache-2.0
"""Turns measured rows into text, Markdown and JSON."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from measuring import Row


@dataclass(frozen=True)
class Section:
    """Rows measured against each other. `durable_baseline` is what a durable row is fairly
    compared with, where there is such a row."""

    name: str
    subject: str
    rows: list[Row]
    baseline: str
    durable_baseline: str | None = None
    per_file: int = 1  # files a run treats

    def row(self, label: str | None) -> Row | None:
        return next((row for row in self.rows if row.command.label == label and row.runs), None)


def ratios(row: Row, against: Row | None) -> tuple[float, float] | None:
    """How many times as long as `against`, by medians and by minima."""
    if against is None or not row.runs:
        return None
    return (row.wall_median() / against.wall_median(), row.wall_minimum() / against.wall_minimum())


def durable_ratios(section: Section, row: Row) -> tuple[float, float] | None:
    return ratios(row, section.row(section.durable_baseline)) if row.command.durable else None


def milliseconds(value: float) -> str:
    """Three digits that mean something: 0.74, 7.1, 61, 1,387."""
    return f"{value:,.{2 if value < 1 else 1 if value < 100 else 0}f}"


def ratio_text(pair: tuple[float, float] | None) -> str:
    return f"{pair[0]:.2f} / {pair[1]:.2f}" if pair else ""


# ----------------------------------------------------------------------- text


def text_table(section: Section) -> str:
    width = max(len(row.command.label) for row in section.rows) + 2
    durable = f"x {section.durable_baseline}" if section.durable_baseline else ""
    each = "median / minimum"
    lines = [f"{section.name}: {section.subject}",
             f"{'':{width}}{'wall ms':>19}{'CPU ms':>10}{'RSS MB':>9}"
             f"{f'x {section.baseline}':>23}{durable:>19}",
             f"{'':{width}}{each:>19}{'median':>10}{'peak':>9}"
             f"{each:>23}{each if durable else '':>19}"]
    for row in section.rows:
        if row.error:
            lines.append(f"{row.command.label:{width}}failed: {row.error}")
            continue
        wall = f"{milliseconds(row.wall_median())} / {milliseconds(row.wall_minimum())}"
        times = ratio_text(ratios(row, section.row(section.baseline)))
        lines.append(f"{row.command.label:{width}}{wall:>19}{milliseconds(row.cpu_median()):>10}"
                     f"{row.peak_rss():9.1f}{times:>23}"
                     f"{ratio_text(durable_ratios(section, row)):>19}")
    if section.per_file > 1:
        lines.append(f"{'':{width}}({section.per_file} files a run: divide by that for one file)")
    return "\n".join(line.rstrip() for line in lines)


# ------------------------------------------------------------------- Markdown


def markdown_cell(section: Section, row: Row | None) -> str:
    if row is None:
        return "-"
    if not row.runs:
        return "fails"
    cell = f"{milliseconds(row.wall_median())} ms"
    pair = durable_ratios(section, row) or ratios(row, section.row(section.baseline))
    if pair and row.command.label not in (section.baseline, section.durable_baseline):
        cell += f" ({pair[0]:.2f}x)"
    return f"{cell}, {row.peak_rss():.{0 if row.peak_rss() >= 10 else 1}f} MB"


def markdown_tables(sections: Sequence[Section], facts: dict[str, str]) -> str:
    """One table for each kind of section: a line for each subject, a column for each command."""
    tables = []
    for name in dict.fromkeys(section.name for section in sections):
        same = [section for section in sections if section.name == name]
        labels = list(dict.fromkeys(row.command.label for section in same for row in section.rows))
        lines = [f"| {name} | " + " | ".join(labels) + " |", "|---" * (len(labels) + 1) + "|"]
        for section in same:
            rows = {row.command.label: row for row in section.rows}
            cells = [markdown_cell(section, rows.get(label)) for label in labels]
            lines.append(f"| {section.subject} | " + " | ".join(cells) + " |")
        tables.append("\n".join(lines))
    tables.append("Median wall time, in brackets its ratio to `cp` without block sharing (durable "
                  "commands: to `cp + sync` where that is shown), and peak memory.")
    tables.append("; ".join(f"{key}: {value}" for key, value in facts.items()) + ".")
    return "\n\n".join(tables)


# ----------------------------------------------------------------------- JSON


def row_json(section: Section, row: Row) -> dict:
    result: dict = {"command": row.command.label, "argv": list(row.command.argv),
                    "durable": row.command.durable, "error": row.error}
    if not row.runs:
        return result
    for key in ("wall_ms", "cpu_ms", "peak_rss_mb"):
        result[key] = [round(getattr(run, key), 3) for run in row.runs]
    result["wall_ms_median"] = round(row.wall_median(), 3)
    result["wall_ms_minimum"] = round(row.wall_minimum(), 3)
    for key, pair in (("ratio_to_baseline", ratios(row, section.row(section.baseline))),
                      ("ratio_to_durable_baseline", durable_ratios(section, row))):
        result[key] = {"median": round(pair[0], 4), "minimum": round(pair[1], 4)} if pair else None
    return result


def section_json(section: Section) -> dict:
    return {"section": section.name, "subject": section.subject, "baseline": section.baseline,
            "durable_baseline": section.durable_baseline, "files_per_run": section.per_file,
            "rows": [row_json(section, row) for row in section.rows]}


# --------------------------------------------------------------------- system


def file_system(path: Path) -> str:
    """The type of the file system that holds `path`."""
    best, kind = -1, "unknown"
    resolved = os.path.join(path.resolve(), "")
    for line in Path("/proc/self/mounts").read_text(errors="replace").splitlines():
        mount_point, mount_kind = line.split()[1:3]
        root = os.path.join(mount_point.encode().decode("unicode_escape"), "")
        if resolved.startswith(root) and len(root) >= best:
            best, kind = len(root), mount_kind
    return kind


def system_facts(models: Path, work: Path) -> dict[str, str]:
    """What a reader needs to know to compare figures."""
    processor = platform.machine()
    for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
        if line.startswith("model name"):
            processor = line.partition(":")[2].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {"processor": f"{processor}, {os.cpu_count()} cores", "memory": f"{memory:.0f} GiB",
            "kernel": f"{platform.system()} {platform.release()}",
            "models on": file_system(models), "outputs on": file_system(work)}
