// Pad fusion: a Pad before a convolution or pooling becomes its pads attribute.
#include <algorithm>
#include <cmath>
#include <optional>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/conv/conv.hpp"
#include "libcore/ops/nn/pooling/pool.hpp"
#include "libcore/ops/tensor/pad.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

using Integers = std::vector<std::int64_t>;

/// The value that a Pad inserts; nothing when it is computed at run time.
std::optional<double> pad_value(const Node& node) {
  if (node.input_count() > 2 && node.input(2) != nullptr) {
    const Tensor* tensor = constant_of(*node.input(2));
    if (tensor == nullptr || tensor->element_count() != 1) return std::nullopt;
    return element_as_double(*tensor, 0);
  }
  return static_cast<double>(read_op<Pad>(node).value);
}

WindowAttributes window_of(const Node& node) {
  if (node.op_type() == "Conv") return read_op<Conv>(node).window;
  if (node.op_type() == "MaxPool") return read_op<MaxPool>(node).window;
  return read_op<AveragePool>(node).window;
}

/// The window's pads plus those of the Pad, which must pad spatial axes only.
std::optional<Integers> joined_pads(const Match& match) {
  const Node& node = match.node("padded");
  const auto pad = read_op<Pad>(node);
  const std::int64_t rank = rank_of(match["padded"]);
  if (!pad.pads.is_known() || (pad.axes.is_given() && !pad.axes.is_known()) || rank < 3 ||
      pad.mode != Pad::Mode::constant)
    return std::nullopt;
  const Pad::Edges edges = Pad::edges(
      rank, *pad.pads.value, pad.axes.is_known() ? pad.axes.value : std::optional<Integers>());
  const WindowAttributes window = window_of(match.root());
  const auto axes = static_cast<std::size_t>(rank - 2);
  Integers pads = window.pads.empty() ? Integers(2 * axes, 0) : window.pads;
  for (std::size_t i = 0; i < axes + 2; ++i) {
    if (edges.begins[i] < 0 || edges.ends[i] < 0) return std::nullopt;
    if (i < 2 && (edges.begins[i] != 0 || edges.ends[i] != 0)) return std::nullopt;
    if (i < 2) continue;
    pads[i - 2] += edges.begins[i];
    pads[axes + i - 2] += edges.ends[i];
  }
  return pads;
}

bool has_no_pads(const WindowAttributes& window) {
  return std::all_of(window.pads.begin(), window.pads.end(),
                     [](std::int64_t pad) { return pad == 0; });
}

/// Whether no element of the value is negative.
bool is_never_negative(const Value& value) {
  const Node* producer = value.producer();
  return producer != nullptr && has_trait(*producer, OpTrait::nonnegative);
}

/// Whether windows have no gaps, so that one that overlaps the image reads at least one pixel.
bool is_dense(const WindowAttributes& window) {
  return std::all_of(window.dilations.begin(), window.dilations.end(),
                     [](std::int64_t dilation) { return dilation == 1; });
}

/// Whether the Pad's value is that of the window's own padding.
Verdict has_same_pads(const Match& match) {
  const Node& root = match.root();
  const std::optional<double> value = pad_value(match.node("padded"));
  if (!value) return no("the padding value is only known at run time");
  if (root.op_type() == "MaxPool") {
    if (root.output_count() > 1) return no("its indices would refer to other elements");
    if (std::isinf(*value) && *value < 0) return yes();
    // A 0 never exceeds a nonnegative element of the image.
    if (*value == 0 && is_never_negative(match["x"]) && is_dense(window_of(root))) return yes();
    return no("its own padding is the lowest value");
  }
  if (*value != 0) return no("its own padding is zeros");
  if (root.op_type() != "AveragePool") return yes();
  if (match.graph().opset("") < opset_of_attribute("AveragePool", "count_include_pad"))
    return no("before opset 7 padding is not counted in the average");
  const auto pool = read_op<AveragePool>(root);
  return pool.count_pads || has_no_pads(pool.window)
             ? yes()
             : no("its own padding is not counted in the average");
}

}  // namespace

Rule fuse_pad() {
  const Pattern padded =
      op("Pad", {any("x"), maybe(any()), maybe(any()), maybe(any())}).as("padded");
  return {.name = "fuse-pad",
          .summary = "Conv, MaxPool or AveragePool of Pad(x) -> the same of x, with pads",
          .pattern = any_of({op("Conv", {padded, any("weights"), maybe(any("bias"))}),
                             op("MaxPool", {padded}), op("AveragePool", {padded})}),
          .where =
              [](const Match& match) {
                const WindowAttributes window = window_of(match.root());
                if (window.auto_pad != AutoPad::not_set && window.auto_pad != AutoPad::valid)
                  return no("its pads are computed from the size of the image");
                if (window.ceil_mode) return no("windows may reach beyond the end");
                if (Verdict verdict = has_same_pads(match); !verdict.is_yes) return verdict;
                const std::optional<Integers> pads = joined_pads(match);
                if (!pads) return no("the pads are not known to be on the image axes only");
                // Pools take no window that lies in pads alone.
                const std::size_t axes = pads->size() / 2;
                for (std::size_t i = 0; match.root().op_type() != "Conv" && i < pads->size(); ++i) {
                  if ((*pads)[i] >= window.kernel[i % axes])
                    return no("a window would be all padding");
                }
                return yes();
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            std::vector<Value*> inputs = {&match["x"]};
            for (std::int64_t i = 1; i < match.root().input_count(); ++i)
              inputs.push_back(match.root().input(i));
            NewAttributes changed = {{"pads", *joined_pads(match)},
                                     {"auto_pad", std::string("NOTSET")}};
            if (match.root().op_type() == "AveragePool")
              changed.push_back({"count_include_pad", std::int64_t{1}});
            return replacement.add_like(match.root(), std::move(inputs), std::move(changed));
          }};
}

}  // namespace ortool
