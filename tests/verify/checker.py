#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--check: what onnx's checker passes, refuses, and is too old for."""

from verifying import FLOAT, changed, graph, helper, main, model, node

PLAIN = model(graph([node("Relu", "x", "y")], ["x"], ["y"]))
LINE = "out.onnx: same: 1 node"


def cases(verifying):
    def of(change):
        return changed(PLAIN, change)

    invalid = of(lambda made: made.graph.node[0].input.append("x"))
    newer = of(lambda made: setattr(made, "ir_version", 99))
    operators = of(lambda made: setattr(made.opset_import[0], "version", 99))
    foreign = of(lambda made: made.opset_import.add(domain="com.vendor", version=99))
    lost = model(graph([node("Add", "x w", "y")], ["x"], ["y"], weights=[
        helper.make_tensor("w", FLOAT, [4], b"\0" * 16, raw=True)
    ]))
    lost.graph.initializer[0].ClearField("raw_data")
    lost.graph.initializer[0].data_location = 1
    lost.graph.initializer[0].external_data.add(key="location", value="lost.bin")
    refuses, cannot = "onnx's checker refuses it: ", "cannot be checked: onnx 1.12.0 knows "
    for what, out, code, end, error in [
        ("passed", PLAIN, 0, "; checked", ""),
        ("a vendor's operators", foreign, 0, "; checked", ""),
        ("refused", invalid, 1, "", f"{refuses}Node () has input size 2"),
        ("no data file", lost, 1, "", f"{refuses}Data of TensorProto"),
        ("a newer format", newer, 2, "", f"{cannot}IR versions up to 8, the model has 99"),
        (
            "newer operators",
            operators,
            2,
            "",
            f"{cannot}operators of domain '' up to version 17, the model needs 99",
        ),
    ]:
        names = [verifying.write("in.onnx", out), verifying.write("out.onnx", out)]
        got, text, err = verifying.run("--check", *names)
        verifying.expect(what, (got, text), (code, f"{LINE}{end}\n"))
        start = f"onnx-hier-verify: out.onnx: {error}" if error else ""
        lines = 1 if error else 0
        verifying.expect(f"{what}: why", (err[: len(start)], err.count("\n")), (start, lines))


if __name__ == "__main__":
    main(cases)
