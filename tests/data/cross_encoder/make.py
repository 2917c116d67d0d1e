"""Writes `model.onnx`: a small cross-encoder that finds which tokens of the second text the first one contains.

    python tests/data/cross_encoder/make.py

It needs the package `onnx`, which nothing else does; the file is therefore kept. The output is three logits: contradiction, entailment
and neutral. The logit of entailment grows with the share of the second text's tokens that the first text contains.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SHARE, SLOPE = 0.92, 80.0
"""The share of tokens at which entailment is as likely as anything else, and how sharply it depends on it."""


def main() -> None:
    nodes, constants = [], []

    def constant(name, value, kind=np.float32):
        constants.append(numpy_helper.from_array(np.array(value, kind), name))
        return name

    def node(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    real = node("Cast", ["attention_mask"], "real", to=TensorProto.FLOAT)
    second = node("Mul", [node("Cast", ["token_type_ids"], "types", to=TensorProto.FLOAT), real], "second")
    first = node("Mul", [node("Sub", [constant("one", 1.0), "types"], "not_second"), real], "first")
    columns = node("Unsqueeze", ["input_ids", constant("axis_2", [2], np.int64)], "columns")
    rows = node("Unsqueeze", ["input_ids", constant("axis_1", [1], np.int64)], "rows")
    same = node("Cast", [node("Equal", [columns, rows], "equal")], "same", to=TensorProto.FLOAT)
    there = node("Mul", [same, node("Unsqueeze", [first, "axis_1"], "first_rows")], "there")
    covered = node("ReduceMax", [there], "covered", axes=[2], keepdims=0)
    hits = node("ReduceSum", [node("Mul", [covered, second], "hit"), "axis_1"], "hits", keepdims=1)
    share = node("Div", [hits, node("ReduceSum", [second, "axis_1"], "count", keepdims=1)], "share")
    margin = node(
        "Mul", [node("Sub", [share, constant("half", SHARE)], "above"), constant("slope", SLOPE)], "margin"
    )
    node(
        "Concat",
        [node("Neg", [margin], "against"), margin, node("Mul", [margin, constant("zero", 0.0)], "neutral")],
        "logits",
        axis=1,
    )
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])]
    graph = helper.make_graph(nodes, "coverage", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, Path(__file__).with_name("model.onnx"))


if __name__ == "__main__":
    main()
