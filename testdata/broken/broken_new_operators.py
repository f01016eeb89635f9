# Broken operators with lists, subgraphs, windows and trees; inspect has to refuse each one.
import struct

from onnx_bytes import block, graph, int64s, integer, ints, model, node, number, one, real, subgraph, tensor, value

Y = [value("y")]
IMAGE = (1, 4, 6, 6)


def text(name, content):
    return block(1, name) + block(4, content) + integer(20, 3)


def texts(name, contents):
    return block(1, name) + b"".join(block(9, each) for each in contents) + integer(20, 8)


def reals(name, numbers):
    return block(1, name) + b"".join(b"\x3d" + struct.pack("<f", each) for each in numbers) + integer(20, 6)


def floats(name, numbers, shape=None):
    return tensor(name, [len(numbers)] if shape is None else shape, 1, struct.pack(f"<{len(numbers)}f", *numbers))


def ml(kind, attributes, shape=(2, 3), element=1, opset=3):
    content = node(kind, ["x"], ["y"], attributes, "op", "ai.onnx.ml")
    return model(graph([content], [value("x", shape, element)], Y),
                 more=block(8, block(1, "ai.onnx.ml") + integer(2, opset)))


def inner(inputs, outputs, nodes=()):
    return graph(list(nodes), [value(each) for each in inputs], [value(each) for each in outputs])


def make_resize(bad):
    def resize(name, scales=(1, 1, 2, 2), attributes=(), sizes=None, shape=IMAGE, text_of=""):
        constants = [floats("roi", []), floats("s", scales)] + ([int64s("z", sizes)] if sizes is not None else [])
        bad("resize_" + name, one("Resize", attributes, shape, constants,
                                  ["roi", "s"] + (["z"] if sizes is not None else [])), text_of)
    resize("scale_zero", (1, 1, 0, 2))
    resize("scale_negative", (1, 1, -2, 2))
    resize("scale_nan", (1, 1, float("nan"), 2))
    resize("scale_inf", (1, 1, float("inf"), 2))
    resize("scale_1e30", (1, 1, 1e30, 2))
    resize("scales_short", (2, 2))
    resize("both", (1, 1, 2, 2), sizes=[1, 4, 12, 12])
    resize("mode", attributes=[text("mode", "magic")], text_of="mode")
    resize("coordinates", attributes=[text("coordinate_transformation_mode", "magic")],
           text_of="coordinate_transformation_mode")
    resize("nearest", attributes=[text("nearest_mode", "magic")], text_of="nearest_mode")
    bad("resize_size_negative", one("Resize", [], IMAGE, [int64s("z", [1, 4, -6, 6])], ["", "", "z"]))
    bad("resize_nothing", one("Resize", [], IMAGE))
    bad("upsample_negative", one("Upsample", [], IMAGE, [floats("s", [1, 1, -1, 2])], ["s"], opset=9))


def make_einsum(bad):
    for name, equation in (("empty_term", ",->"), ("unknown_output", "ij->k"), ("output_twice", "ij->ii"),
                           ("digit", "i1->i"), ("two_arrows", "ij->i->j"), ("rank", "ijk->i"),
                           ("dots_twice", "...i...->i"), ("one_dot", ".i->i"), ("too_many_terms", "ij,jk->ik"),
                           ("long", "i" * 10000), ("many_commas", "," * 5000), ("arrow_only", "->")):
        bad("einsum_" + name, one("Einsum", [text("equation", equation)], (2, 2)))
    bad("einsum_sizes_differ", one("Einsum", [text("equation", "ii->i")], (2, 3)))


def make_subgraphs(bad):
    condition = [value("x", (), 9)]

    def branch(name, then, other):
        attributes = [subgraph("then_branch", then)] + ([subgraph("else_branch", other)] if other else [])
        bad("if_" + name, model(graph([node("If", ["x"], ["y"], attributes, "op")], condition, Y)))
    one_out, two_out = inner((), ["x"]), inner((), ["x", "x"])
    branch("without_else", one_out, None)
    branch("outputs_differ", one_out, two_out)
    branch("no_outputs", inner((), ()), inner((), ()))
    branch("with_inputs", inner(["p"], ["p"]), one_out)

    def loop(name, inside, kinds=("m", "c", "x"), outputs=("y",)):
        constants = [tensor("m", [], 7, bytes(8)), tensor("c", [], 9, b"\1")]
        bad("loop_" + name, model(graph([node("Loop", kinds, outputs, [subgraph("body", inside)], "op")],
                                        [value("x")], Y, constants)))
    loop("body_empty", inner((), ()))
    loop("body_few_inputs", inner(["i"], ["i"]))
    loop("body_few_outputs", inner(["i", "k", "v"], ["k"]))
    loop("body_many_inputs", inner(["i", "k", "v", "w", "u"], ["k", "v"]))
    loop("outputs_too_many", inner(["i", "k", "v"], ["k", "v"]), outputs=("y", "z", "q"))

    def scan(name, attributes, inside=inner(["s"], ["s"]), shape=(3, 2)):
        bad("scan_" + name, model(graph([node("Scan", ["x"], ["y"], [subgraph("body", inside)] + attributes, "op")],
                                        [value("x", shape)], Y)))
    scan("inputs_zero", [number("num_scan_inputs", 0)])
    scan("inputs_negative", [number("num_scan_inputs", -1)])
    scan("inputs_huge", [number("num_scan_inputs", 1 << 40)])
    scan("inputs_least", [number("num_scan_inputs", -(1 << 63))])
    scan("body_empty", [number("num_scan_inputs", 1)], inner((), ()))
    scan("axes_outside", [number("num_scan_inputs", 1), ints("scan_input_axes", [7])])
    scan("axes_too_many", [number("num_scan_inputs", 1), ints("scan_input_axes", [0, 0, 0])])
    scan("direction", [number("num_scan_inputs", 1), ints("scan_input_directions", [5])])
    scan("scalar", [number("num_scan_inputs", 1)], shape=())


def make_attention(bad):
    def attention(name, attributes, shape=(1, 4, 8), opset=23):
        bad("attention_" + name, model(graph([node("Attention", ["x", "x", "x"], ["y"], attributes, "op")],
                                             [value("x", shape)], Y), opset=opset))
    heads = [number("q_num_heads", 2), number("kv_num_heads", 2)]
    attention("heads_missing", [])
    attention("heads_zero", [number("q_num_heads", 0), number("kv_num_heads", 0)])
    attention("heads_negative", [number("q_num_heads", -2), number("kv_num_heads", 2)])
    attention("heads_least", [number("q_num_heads", -(1 << 63)), number("kv_num_heads", 1)])
    attention("heads_do_not_divide", [number("q_num_heads", 3), number("kv_num_heads", 3)])
    attention("groups_do_not_divide", [number("q_num_heads", 4), number("kv_num_heads", 3)], (1, 4, 24))
    attention("rank", heads, (8,))
    attention("causal_2", heads + [number("is_causal", 2)])
    attention("precision", heads + [number("softmax_precision", 7)])


def make_windows(bad):
    def recurrent(kind, name, attributes, gates):
        weights = [floats("w", [0] * (gates * 2 * 3), [1, gates * 2, 3]),
                   floats("r", [0] * (gates * 2 * 2), [1, gates * 2, 2])]
        bad(f"{kind.lower()}_{name}", one(kind, attributes, (1, 1, 3), weights, ["w", "r"]))
    for kind, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        recurrent(kind, "hidden_zero", [number("hidden_size", 0)], gates)
        recurrent(kind, "hidden_wrong", [number("hidden_size", 1 << 40)], gates)
        recurrent(kind, "direction", [number("hidden_size", 2), text("direction", "sideways")], gates)
        recurrent(kind, "activations", [number("hidden_size", 2), texts("activations", ["Magic"] * 3)], gates)
    bad("grid_sample_mode", one("GridSample", [text("mode", "magic")], IMAGE,
                                [floats("g", [0] * 8, [1, 2, 2, 2])], ["g"]), "mode")
    bad("grid_sample_rank", one("GridSample", [], IMAGE, [floats("g", [0] * 8, [8])], ["g"]))
    bad("roi_align_size", one("RoiAlign", [number("output_height", -1)], IMAGE,
                              [floats("r", [0] * 4, [1, 4]), int64s("b", [0])], ["r", "b"]))
    bad("max_roi_pool_shape", one("MaxRoiPool", [ints("pooled_shape", [0, -1])], IMAGE,
                                  [floats("r", [0] * 5, [1, 5])], ["r"]))
    bad("max_unpool_kernel", one("MaxUnpool", [ints("kernel_shape", [1 << 40, 2])], IMAGE,
                                 [tensor("i", list(IMAGE), 7, bytes(8 * 144))], ["i"]))
    bad("col2im_block", one("Col2Im", [], (1, 4, 4), [int64s("s", [4, 4]), int64s("b", [0, 0])], ["s", "b"], opset=18))
    bad("col2im_dilation", one("Col2Im", [ints("dilations", [0, 0])], (1, 4, 4),
                               [int64s("s", [4, 4]), int64s("b", [2, 2])], ["s", "b"], opset=18))
    bad("conv_integer_groups", one("ConvInteger", [number("group", -1)], IMAGE, [tensor("w", [1, 4, 1, 1], 2, bytes(4))],
                                   ["w"], element=2))
    bad("center_crop_axes", one("CenterCropPad", [ints("axes", [9])], (2, 2), [int64s("s", [1])], ["s"], opset=18))
    bad("affine_grid_size", one("AffineGrid", [], (1, 2, 3), [int64s("s", [1, 2])], ["s"], opset=20))


def make_selections(bad):
    bad("topk_negative", one("TopK", constants=[int64s("k", [-1])], extra=["k"], outputs=("y", "i")))
    bad("topk_axis", one("TopK", [number("axis", 9)], constants=[int64s("k", [1])], extra=["k"], outputs=("y", "i")))
    bad("gather_elements_rank", one("GatherElements", constants=[tensor("i", [1, 1], 7, bytes(8))], extra=["i"]))
    bad("gather_nd_batch", one("GatherND", [number("batch_dims", 9)], (2, 2), [int64s("i", [0])], ["i"]))
    bad("scatter_nd_rank", one("ScatterND", constants=[tensor("i", [1, 9], 7, bytes(72)), floats("u", [0])],
                               extra=["i", "u"]))
    bad("scatter_reduction", one("ScatterElements", [text("reduction", "magic")],
                                 constants=[int64s("i", [0]), floats("u", [0])], extra=["i", "u"], opset=18), "reduction")
    bad("one_hot_axis", one("OneHot", [number("axis", 9)], constants=[int64s("d", [2]), floats("v", [0, 1])],
                            extra=["d", "v"]))
    bad("compress_axis", one("Compress", [number("axis", 9)], constants=[tensor("c", [1], 9, b"\1")], extra=["c"]))
    bad("unique_axis", one("Unique", [number("axis", 9)]))
    bad("cumsum_exclusive", one("CumSum", [number("exclusive", 3)], constants=[tensor("a", [], 7, bytes(8))], extra=["a"]))
    bad("trilu_rank", one("Trilu", shape=(3,)))
    bad("eye_like_rank", one("EyeLike", shape=(3,)))
    bad("det_not_square", one("Det", shape=(2, 3)))
    bad("bit_shift_direction", one("BitShift", [text("direction", "UP")], constants=[tensor("s", [2], 2, b"\1\1")],
                                   extra=["s"], element=2))
    bad("quantize_axis", model(graph([node("QuantizeLinear", ["x", "s"], ["y"], [number("axis", 9)], "op")],
                                     [value("x", (2, 2))], [value("y", (2, 2), 2)], [floats("s", [1, 1])])))
    bad("quantize_block", one("QuantizeLinear", [number("block_size", -4)], constants=[floats("s", [1, 1])], extra=["s"],
                              opset=21))
    bad("random_shape_negative", model(graph([node("RandomNormal", [], ["y"], [ints("shape", [-1])], "op")], (), Y)))
    bad("random_shape_huge", model(graph([node("RandomNormal", [], ["y"], [ints("shape", [1 << 62, 1 << 62])], "op")],
                                         (), Y)), node_is_named=False)
    bad("multinomial_type", one("Multinomial", [number("dtype", 99)], (2, 2)))
    bad("cast_type_99", one("Cast", [number("to", 99)]))
    bad("split_sizes", one("Split", constants=[int64s("s", [-1, 3])], extra=["s"]))
    bad("range_of_zero_step", model(graph([node("Range", ["a", "b", "c"], ["y"], (), "op")], (), Y, [
        tensor(each, [], 7, bytes(8)) for each in "abc"])))
    bad("unsqueeze_twice", one("Unsqueeze", constants=[int64s("a", [0, 0])], extra=["a"]))
    bad("string_normalizer_case", one("StringNormalizer", [text("case_change_action", "magic")], element=8))
    bad("loss_reduction", one("NegativeLogLikelihoodLoss", [text("reduction", "magic")], (2, 2),
                              [int64s("t", [0, 1])], ["t"]), "reduction")
    tfidf = [number("max_gram_length", 1), number("min_gram_length", 1), number("max_skip_count", 0),
             ints("ngram_counts", [0]), text("mode", "TF")]
    bad("tfidf_index_negative", one("TfIdfVectorizer", tfidf + [ints("ngram_indexes", [-1]), ints("pool_int64s", [1])],
                                    element=7))
    bad("tfidf_counts_outside", one("TfIdfVectorizer", tfidf[:3] + [ints("ngram_counts", [99]), text("mode", "TF"),
                                                                   ints("ngram_indexes", [0]), ints("pool_int64s", [1])],
                                    element=7))


def make_trees(bad):
    def tree(name, kind="TreeEnsembleRegressor", **changes):
        lists = {"nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0, 0, 0],
                 "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0], "target_ids": [0, 0],
                 "target_nodeids": [1, 2], "target_treeids": [0, 0]}
        modes, values, weights = ["BRANCH_LEQ", "LEAF", "LEAF"], [0.5, 0, 0], [1, 2]
        modes, values, weights = changes.pop("modes", modes), changes.pop("values", values), changes.pop("weights", weights)
        more = changes.pop("more", [number("n_targets", 1)])
        lists.update(changes)
        attributes = [ints(key, numbers) for key, numbers in lists.items()] + more
        attributes += [texts("nodes_modes", modes), reals("nodes_values", values), reals("target_weights", weights)]
        bad("tree_" + name, ml(kind, attributes))
    tree("ids_short", nodes_nodeids=[0, 1])
    tree("modes_short", modes=["LEAF"])
    tree("mode_unknown", modes=["BRANCH_MAGIC", "LEAF", "LEAF"])
    tree("values_short", values=[1])
    tree("child_missing", nodes_truenodeids=[99, 0, 0])
    tree("circle", nodes_truenodeids=[0, 0, 0])
    tree("node_twice", nodes_nodeids=[0, 1, 1])
    tree("feature_negative", nodes_featureids=[-1, 0, 0])
    tree("target_outside", target_ids=[0, 9])
    tree("targets_short", target_ids=[0])
    tree("targets_negative", more=[number("n_targets", -1)])
    tree("weights_short", weights=[1])
    tree("transform", more=[number("n_targets", 1), text("post_transform", "MAGIC")])
    tree("aggregate", more=[number("n_targets", 1), text("aggregate_function", "MAGIC")])
    bad("svm_lists", ml("SVMRegressor", [reals("coefficients", [1, 2, 3]), number("n_supports", 5),
                                         reals("support_vectors", [1]), reals("rho", [0])]))
    bad("svm_supports_negative", ml("SVMRegressor", [reals("coefficients", [1]), number("n_supports", -5),
                                                     reals("support_vectors", [1]), reals("rho", [0])]))
    bad("svm_kernel", ml("SVMRegressor", [reals("coefficients", [1, 2, 3]), text("kernel_type", "MAGIC"),
                                          reals("rho", [0])]))
    bad("linear_targets", ml("LinearRegressor", [reals("coefficients", [1, 2]), number("targets", 0)]))
    bad("label_encoder_lists", ml("LabelEncoder", [ints("keys_int64s", [1, 2]), texts("values_strings", ["a"])], (2,), 7))
    bad("label_encoder_nothing", ml("LabelEncoder", [], (2,), 7))
    bad("scaler_lists", ml("Scaler", [reals("offset", [1, 2]), reals("scale", [1, 2, 3, 4])]))
    bad("normalizer_norm", ml("Normalizer", [text("norm", "MAGIC")]), "norm")
    bad("one_hot_encoder_both", ml("OneHotEncoder", [ints("cats_int64s", [1]), texts("cats_strings", ["a"])], (2,), 7))
    bad("imputer_lists", ml("Imputer", [reals("imputed_value_floats", [1, 2])]))
    bad("category_mapper_lists", ml("CategoryMapper", [ints("cats_int64s", [1, 2]), texts("cats_strings", ["a"])], (2,), 7))


def make(add):
    def bad(name, content, text_of="", node_is_named=True):
        add(name, content, 2, text_of, "look" if node_is_named else "look_unnamed")
    make_resize(bad)
    make_einsum(bad)
    make_subgraphs(bad)
    make_attention(bad)
    make_windows(bad)
    make_selections(bad)
    make_trees(bad)
