#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each model of an object store holds, by module: a line of JSON a model, on many machines.

    tools/recipes/object_store.py s3://hub s3://hub-modules --workers 4
    tools/recipes/object_store.py gs://hub gs://hub-modules --scheduler tcp://head:8786

Addresses are those of fsspec (s3, gs, abfs, hf, file, ...). Of each model only its graph is read,
never its weights. A batch is one object, OUT/BATCH.jsonl, which is written whole when all of its
models are done, and named after what is in it: a batch whose worker is killed is done by another
one, under the same name, and one that is there is not done again. So there is exactly one line for
each model, however often workers die. Exit code: 0, or 2 if a model failed.

`describe` is what other engines run, too:

    ray.data.from_items(names).map_batches(lambda batch: describe(batch["item"]))   # Ray Data
    frame.mapInPandas(lambda parts: (pandas.DataFrame(describe(part["name"]))
                                     for part in parts), schema)                  # Spark
"""

import argparse
import hashlib
import json
import os
import sys

import fsspec

RETRIES = 3
COLUMNS = ("model", "nodes", "modules", "parameters", "bytes", "unsure", "by_module", "error")


def describe(names):
    """Columns, with an item for each model: its figures, and those of its modules."""
    import onnx_hier

    columns = {column: [] for column in COLUMNS}
    for name in names:
        row = dict.fromkeys(COLUMNS)
        try:
            with fsspec.open(name, "rb", cache_type="none") as file:
                h = onnx_hier.hierarchy(file)
            row.update(nodes=len(h.nodes), modules=len(h), parameters=h.root.parameter_count,
                       bytes=h.root.parameter_bytes,
                       unsure=sum(node.confidence < 0.5 for node in h.nodes),
                       by_module={m.path: [m.node_count, m.parameter_count] for m in h})
        except (OSError, ValueError) as error:
            row.update(error=str(error))
        row.update(model=str(name))
        for column in COLUMNS:
            columns[column].append(row[column])
    return columns


def batch_name(names, out):
    """Of these models, whoever does them."""
    return f"{out.rstrip('/')}/{hashlib.sha256(chr(0).join(names).encode()).hexdigest()[:24]}.jsonl"


def do_batch(names, out):
    """How many of the models failed."""
    path = batch_name(names, out)
    files, place = fsspec.core.url_to_fs(path)
    if files.exists(place):
        with files.open(place, "rb") as done:
            return sum(json.loads(line)["error"] is not None for line in done)
    columns = describe(names)
    lines = [json.dumps(dict(zip(columns, row))) + "\n" for row in zip(*columns.values())]
    # An object is there when it is whole; a file takes its name then.
    files.makedirs(files._parent(place), exist_ok=True)
    beside = f"{place}.{os.getpid()}.part"
    files.pipe_file(beside, "".join(lines).encode())
    files.mv(beside, place)
    return sum(error is not None for error in columns["error"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("hub")
    parser.add_argument("out")
    parser.add_argument("--models", type=int, default=100, help="in one batch")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="on this machine")
    parser.add_argument("--scheduler", help="address of a cluster that runs already")
    options = parser.parse_args()
    from distributed import Client, LocalCluster, as_completed

    files, hub = fsspec.core.url_to_fs(options.hub)
    names = sorted(files.unstrip_protocol(name) for name in files.find(hub)
                   if name.endswith(".onnx"))
    if not names:
        parser.error(f"{options.hub}: there is no model")
    failed = 0
    with (
        LocalCluster(options.workers, threads_per_worker=1, dashboard_address=None)
        if not options.scheduler
        else Client(options.scheduler)
    ) as cluster, Client(cluster) if not options.scheduler else cluster as client:
        tasks = [client.submit(do_batch, names[i : i + options.models], options.out, pure=False,
                               retries=RETRIES)
                 for i in range(0, len(names), options.models)]
        for task in as_completed(tasks):
            if task.exception():
                print(task.exception(), file=sys.stderr)
                failed += 1
            else:
                failed += task.result()
    print(f"{len(names)} models in {len(tasks)} batches, {failed} failed")
    return 2 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
