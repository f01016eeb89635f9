# Sample models for testing the page: hostile names, control flow and functions, and thousands of nodes.
import random

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

HOSTILE = ["</script><script>window.hacked = 1</script>", "<!--<script>", "<img src=x onerror='window.hacked = 2'>",
           "\u2028\u2029\u202e", "\"'`&lt;\\", "@DATA@ @SCRIPT@", "]]>", "${window.hacked = 3}", "{{7*7}}", "__proto__", "constructor",
           "a\x00b\x07", "javascript:window.hacked=4"]


def make_model(nodes, inputs, outputs, initializers=(), functions=(), **about):
    graph = helper.make_graph(nodes, about.pop("graph_name", "sample"), inputs, outputs, list(initializers))
    opsets = [helper.make_opsetid("", 17)] + [helper.make_opsetid(one.domain, 1) for one in functions]
    return helper.make_model(graph, opset_imports=opsets, functions=list(functions), ir_version=8, **about)


def value(name, shape=(2, 2)):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def hostile_model():
    """Every text of the file that reaches the page would run as markup or script in an unsafe page."""
    nodes = []
    previous = HOSTILE[0]
    for place, text in enumerate(HOSTILE):
        result = f"{text}/{place}"
        node = helper.make_node("Elu", [previous], [result], name=f"{text}/{text}/{place}", alpha=1.0 + place)
        node.doc_string = text
        nodes.append(node)
        previous = result
    strange = helper.make_node(HOSTILE[2], [previous, HOSTILE[1]], ["end"], name=HOSTILE[0], domain=HOSTILE[0], text=HOSTILE[0])
    strange.attribute.append(helper.make_attribute(HOSTILE[2], [HOSTILE[0].encode(), b"\xff\xfe<"]))
    nodes.append(strange)
    stored = numpy_helper.from_array(numpy.ones((2, 2), numpy.float32), HOSTILE[1])
    model = make_model(nodes, [value(HOSTILE[0], (HOSTILE[2], 2))], [value("end")], [stored], graph_name=HOSTILE[0],
                       producer_name=HOSTILE[2], doc_string=HOSTILE[0])
    for text in HOSTILE:
        helper.set_model_props(model, {one: one for one in HOSTILE})
    model.opset_import.append(helper.make_opsetid(HOSTILE[0], 1))
    return model


def control_model():
    """An If inside a Loop body, both with captured values, and a function call."""
    then_graph = helper.make_graph([helper.make_node("Add", ["carried", "bias"], ["then_out"], name="in_then")], "then", [], [value("then_out")])
    else_graph = helper.make_graph([helper.make_node("Mul", ["carried", "bias"], ["product"], name="in_else"),
                                    helper.make_node("Relu", ["product"], ["else_out"], name="in_else_too")], "else", [], [value("else_out")])
    body = helper.make_graph(
        [helper.make_node("If", ["condition"], ["next"], name="choose", then_branch=then_graph, else_branch=else_graph),
         helper.make_node("Identity", ["condition"], ["keep"], name="keep_on")], "body",
        [helper.make_tensor_value_info("step", TensorProto.INT64, []), helper.make_tensor_value_info("condition", TensorProto.BOOL, []), value("carried")],
        [helper.make_tensor_value_info("keep", TensorProto.BOOL, []), value("next")])
    nodes = [helper.make_node("Relu", ["x"], ["bias"], name="make_bias"),
             helper.make_node("Constant", [], ["limit"], name="limit", value=numpy_helper.from_array(numpy.array(3, numpy.int64))),
             helper.make_node("Loop", ["limit", "", "x"], ["looped"], name="repeat", body=body),
             helper.make_node("twice", ["looped"], ["y"], name="call", domain="my.own")]
    function = helper.make_function("my.own", "twice", ["v"], ["w"], [helper.make_node("Add", ["v", "v"], ["w"], name="in_function")],
                                    [helper.make_opsetid("", 17)])
    return make_model(nodes, [value("x")], [value("y")], functions=[function])


def long_model(count, has_scopes):
    """Residual blocks, occasionally with another operator between them, up to `count` nodes."""
    random.seed(5)
    nodes = []
    previous = "x"
    block = 0
    while len(nodes) < count:
        scope = f"/stage{block // 10}/block{block}/" if has_scopes else ""

        def add(op_type, inputs, scope=scope):
            result = f"v{len(nodes)}"
            nodes.append(helper.make_node(op_type, inputs, [result], name=scope + op_type + str(len(nodes)) if scope else ""))
            return result

        inner = add("Relu", [add("Conv", [previous, "w"])])
        outer = add("Conv", [inner, "w"])
        previous = add("Add", [add("Mul", [outer, add("Sigmoid", [outer])]), previous])
        if random.random() < 0.3:
            previous = add("Tanh", [previous])
        block += 1
    weights = numpy_helper.from_array(numpy.zeros((16, 16, 1, 1), numpy.float32), "w")
    return make_model(nodes, [value("x", (1, 16, 8, 8))], [value(previous, (1, 16, 8, 8))], [weights])


def save(model, path):
    onnx.save(model, path)
    return path
