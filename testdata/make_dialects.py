#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the models dialect_*.onnx of this folder: make_dialects.py FOLDER

A few nodes each, with names as one tool writes them; README.md says which. They need not run.
"""

import sys
from pathlib import Path

from onnx import TensorProto, helper, numpy_helper
import numpy as np

OPSET = 17


def weight(name, *dims, kind=np.float32):
    return numpy_helper.from_array(np.zeros(dims, kind), name)


def node(op, name, inputs, output, **attributes):
    return helper.make_node(op, inputs, [output], name=name, **attributes)


def constant(name, *dims):
    value = numpy_helper.from_array(np.zeros(dims, np.float32))
    return helper.make_node("Constant", [], [name], value=value)


def model(nodes, weights, producer, graph="main_graph", functions=(), domains=()):
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in "xy"]
    made = helper.make_model(
        helper.make_graph(nodes, graph, values[:1], values[1:], weights),
        producer_name=producer, functions=functions, ir_version=8,
        opset_imports=[helper.make_opsetid(domain, version)
                       for domain, version in [("", OPSET), *domains]])
    return made


def builder():
    """Parameters and casts under the names of operators (onnxruntime-genai)."""
    norm = "/model/layers.0/input_layernorm/LayerNorm"
    query = "/model/layers.0/attn/q_proj/MatMul"
    return model([
        node("Cast", norm + "/root_input/Cast", ["x"], "cast", to=TensorProto.FLOAT),
        node("LayerNormalization", norm, ["cast", "model.layers.0.input_layernorm.weight"], "h"),
        node("MatMul", query, ["h", "model.layers.0.attn.q_proj.MatMul.weight"], "q"),
        node("LayerNormalization", "/model/layers.0/attn/q_norm/LayerNormalization",
             ["q", "model.layers.0.attn.q_norm.layernorm.weight"], "n"),
        node("Add", "/model/layers.0/Add", ["n", "x"], "y"),
    ], [
        weight("model.layers.0.input_layernorm.weight", 4),
        weight("model.layers.0.attn.q_proj.MatMul.weight", 4, 4),
        weight("model.layers.0.attn.q_norm.layernorm.weight", 4),
    ], "huggingface")


def graph_builder():
    """Values named by modules, counted nodes, numbers in names of constants (onnxscript's
    GraphBuilder, without its metadata), and what onnxruntime fused since."""
    scopes = ["model", "layers.0", "mlp"]

    def built(op, number, modules, inputs):
        value = "v_" + ".".join([*modules, f"{op}_{number}"])
        return node(op, "/".join([*modules, f"{op}_node_{number}"]), inputs, value), value

    scaled, a = built("Mul", 1, scopes[:2], ["x", "const_2.0_f32"])
    up, b = built("MatMul", 2, [*scopes, "up_proj"], [a, "model.layers.0.mlp.up_proj.weight"])
    act, c = built("Sigmoid", 3, scopes, [b])
    down, d = built("MatMul", 4, [*scopes, "down_proj"], [c, "model.layers.0.mlp.down_proj.weight"])
    fused = node("FusedMatMul", down.name + "/MatMulScaleFusion/", down.input, d)
    norm, e = built("Add", 5, [*scopes[:2], "norm"], [d, "model.layers.0.norm.weight"])
    norm.name = "SkipLayerNorm_0"
    last = node("Add", "Add_node_6", [e, "const_0.5_f32"], "y")
    return model([scaled, up, act, fused, norm, last], [
        weight("model.layers.0.mlp.up_proj.weight", 4, 4),
        weight("model.layers.0.mlp.down_proj.weight", 4, 4),
        weight("model.layers.0.norm.weight", 4), weight("const_2.0_f32"), weight("const_0.5_f32"),
    ], "onnxscript")


def flattened():
    """Underscores for dots and slashes, nodes counted in front and named after their operators once
    more behind, and what onnxruntime fused (scripts around its training tools)."""
    ops, nodes, last = (("norm1", "Mul"), ("mlp_fc1", "MatMul"), ("mlp_act", "Relu"),
                        ("mlp_fc2", "MatMul")), [], "x"
    for layer in (0, 1):
        for module, op in ops:
            scope = f"net_blocks_{layer}_{module}"
            inputs = [last] if op == "Relu" else [last, scope + "_weight"]
            last = f"node_0_{scope}_{op}__0"
            nodes.append(node(op, f"node_{len(nodes) + 7}_{scope}_{op}_{op}", inputs, last))
    nodes[2].name = "Relu_0_Relu"
    nodes.append(node("Add", f"node_{len(nodes) + 7}_net_Add_Add", [last, "x"], "y"))
    return model(nodes, [
        weight(f"net_blocks_{layer}_{module}_weight", 4, 4)
        for layer in (0, 1) for module, op in ops if op != "Relu"
    ], "onnxruntime")


def lite():
    """Names joined by semicolons (TensorFlow Lite, through tf2onnx)."""
    conv = "net/relu/Relu;net/bn/FusedBatchNormV3;net/conv/Conv2D"
    return model([
        node("Conv", conv, ["x", "const_fold_opt__1"], conv),
        node("MatMul", "net/fc/MatMul;net/fc/BiasAdd", [conv, "const_fold_opt__2"], "m"),
        node("Mul", "net/scale/truediv;scale/lengths", ["m", "scale__3"], "y"),
    ], [
        weight("const_fold_opt__1", 4, 4, 1, 1),
        weight("const_fold_opt__2", 4, 4),
        weight("scale__3", 4),
    ], "tf2onnx")


def gradients():
    """A training graph: what computes a gradient stands under `..._Grad` (onnxruntime)."""
    return model([
        node("MatMul", "/net/fc/MatMul", ["x", "net.fc.weight"], "/net/fc/MatMul_output_0"),
        node("Reshape", "/net/Reshape_6", ["/net/fc/MatMul_output_0", "shape"],
             "/net/Reshape_6_output_0"),
        node("Shape", "/net/Reshape_6_Grad/Shape_0", ["/net/fc/MatMul_output_0"],
             "/net/Reshape_6_Grad/x_shape"),
        node("Reshape", "/net/Reshape_6_Grad/Reshape_1",
             ["/net/Reshape_6_output_0", "/net/Reshape_6_Grad/x_shape"],
             "/net/fc/MatMul_output_0_grad"),
        node("MatMul", "/net/fc/MatMul_Grad/MatMul_0", ["x", "/net/fc/MatMul_output_0_grad"], "y"),
    ], [weight("net.fc.weight", 4, 4), weight("shape", 2, kind=np.int64)], "pytorch")


def traced():
    """Constants that a trace numbered, beside parameters (torch 1.12, Brevitas)."""
    return model([
        node("Mul", "Mul_0", ["x.11", "scale.7"], "quant_weight.3"),
        node("Conv", "Conv_1", ["x", "quant_weight.3", "conv1.bias"], "h"),
        node("Mul", "Mul_2", ["h", "blocks.0.gains.1"], "g"),
        node("Conv", "Conv_3", ["g", "blocks.0.conv.weight"], "y"),
    ], [
        weight("x.11", 4, 4, 1, 1),
        weight("scale.7"),
        weight("conv1.bias", 4),
        weight("blocks.0.gains.1", 4),
        weight("blocks.0.conv.weight", 4, 4, 1, 1),
    ], "pytorch", "torch_jit")


def folded():
    """Batch normalisations that were folded into convolutions (onnxruntime, offline)."""
    return model([
        node("Conv", "Conv_0", ["x", "ConvBnFusion_W_net.0.0.weight",
                                "ConvBnFusion_BN_B_net.0.1.bias"], "h"),
        node("Conv", "Conv_2", ["h", "ConvBnFusion_W_net.1.0.weight",
                                "ConvBnFusion_BN_B_net.1.1.bias"], "y"),
    ], [weight(f"ConvBnFusion_{what}_net.{i}.{rest}", *dims) for i in (0, 1)
        for what, rest, dims in (("W", "0.weight", (4, 4, 1, 1)), ("BN_B", "1.bias", (4,)))],
        "pytorch", "torch-jit-export")


def slashes():
    """Parameters named by paths with slashes, as nodes are."""
    return model([
        node("Conv", "/layers/layers/0/Conv/Conv", ["x", "layers/layers/0/Conv.weight"], "h"),
        node("Relu", "/layers/layers/1/Relu/Relu", ["h"], "r"),
        node("Conv", "/layers/layers/2/Conv/Conv", ["r", "layers/layers/2/Conv.weight"], "y"),
    ], [weight(f"layers/layers/{i}/Conv.weight", 4, 4, 1) for i in (0, 2)], "pytorch")


def constants():
    """All weights in Constants (Paddle2ONNX)."""
    return model([
        constant("conv2d_0.w_0", 4, 4, 1, 1),
        constant("conv2d_1.w_0", 4, 4, 1, 1),
        node("Conv", "", ["x", "conv2d_0.w_0"], "h"),
        node("Conv", "", ["h", "conv2d_1.w_0"], "y"),
    ], [], "PaddlePaddle", "paddle-onnx")


def operators():
    """Inputs of operators that are named after their nodes: no module holds them."""
    return model([
        node("Reshape", "Reshape_1", ["x", "Reshape_1.shape"], "h"),
        node("Mul", "gain", ["h", "gain.factor"], "y"),
    ], [weight("Reshape_1.shape", 2, kind=np.int64), weight("gain.factor")], "")


def function_names():
    """Modules as functions whose names spell Python's getattr() (torch 2.2, dynamo_export)."""
    domain, torch_lib = "pkg.timm", "pkg.onnxscript.torch_lib"
    imports = [helper.make_opsetid(d, 1) for d in (domain, torch_lib)]
    opsets = [helper.make_opsetid("", OPSET), *imports]
    relu = helper.make_function(
        domain, "torch_nn_ReLU_getattr_getattr_L__self___blocks___1_____0___bn_act_1",
        ["x"], ["y"], [node("Relu", "n", ["x"], "y")], opsets)
    norm = helper.make_function(
        domain, "timm_Norm_getattr_getattr_L__self___blocks___1_____0___bn_1", ["x", "w"], ["y"],
        [node("Mul", "n0", ["x", "w"], "h"),
         node(relu.name, "n1", ["h"], "y", domain=domain)], opsets)
    conv = helper.make_function(
        domain, "torch_nn_Conv2d_getattr_getattr_L__self___blocks___1_____0___conv_pw_1",
        ["x", "w"], ["y"], [node("aten_conv2d", "n", ["x", "w"], "y", domain=torch_lib)], opsets)
    library = helper.make_function(torch_lib, "aten_conv2d", ["x", "w"], ["y"],
                                   [node("Conv", "n0", ["x", "w"], "y")], opsets)
    return model([
        node(conv.name, "c0", ["x", "blocks.1.0.conv_pw.weight"], "h", domain=domain),
        node(norm.name, "c1", ["h", "blocks.1.0.bn.weight"], "y", domain=domain),
    ], [weight("blocks.1.0.conv_pw.weight", 4, 4, 1, 1), weight("blocks.1.0.bn.weight", 4)],
        "pytorch", functions=[library, conv, norm, relu],
        domains=[(domain, 1), (torch_lib, 1)])


def layers(front, ends):
    """Three operators in a row, each with parameters of its own, and an activation."""
    kinds = (("conv1", "Conv", (4, 4, 3, 3)), ("conv2", "Conv", (4, 4, 3, 3)), ("fc1", "Gemm", (4, 4)))
    nodes, weights, value = [], [], "x"
    for name, op, shape in kinds:
        parameters = [front + name + end for end in ends]
        weights += [weight(parameters[0], *shape), weight(parameters[1], 4)]
        nodes.append(node(op, "", [value, *parameters], value := f"{front}{name}_1"))
    return [*nodes, node("Relu", "", [value], "y")], weights


def chainer():
    """Parameters of links behind "param_"."""
    return model(*layers("param_", ("_W", "_b")), "Chainer", "Graph")


def caffe2():
    """The device in front of all names."""
    return model(*layers("gpu_0/", ("_w_0", "_b_0")), "onnx-caffe2")


MODELS = (builder, graph_builder, flattened, lite, gradients, traced, folded, slashes, constants,
          operators, function_names, chainer, caffe2)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for make in MODELS:
        path = Path(sys.argv[1], f"dialect_{make.__name__}.onnx")
        path.write_bytes(make().SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
