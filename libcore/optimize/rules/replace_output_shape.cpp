// Output shapes of ConvTranspose: pads in place of output_shape and auto_pad, which runtimes divide
// between the two ends of an axis each in its own way.
#include <algorithm>
#include <optional>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/conv/conv_transpose.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

using Integers = std::vector<std::int64_t>;

/// What gives a node its output's size without output_shape.
struct ExplicitPads {
  Integers pads;            ///< all leading ones first
  Integers output_padding;  ///< empty: zeros
};

/// Nothing where sizes are not known, or where the output is larger than output_padding may make
/// it.
std::optional<ExplicitPads> explicit_pads(const Match& match) {
  const std::optional<Integers> in = spatial_sizes(match["x"]);
  const std::optional<Integers> kernel = spatial_sizes(match["weights"]);
  if (!in || !kernel || in->size() != kernel->size()) return std::nullopt;
  const auto op = read_op<ConvTranspose>(match.root());
  const std::vector<WindowAxis> axes =
      place_transposed_window(op.window, op.transposed, *in, *kernel);
  ExplicitPads result{.pads = Integers(2 * axes.size()),
                      .output_padding = op.transposed.output_padding};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const WindowAxis& axis = axes[i];
    const std::int64_t padding =
        op.transposed.output_padding.empty() ? 0 : op.transposed.output_padding[i];
    const std::int64_t full =
        axis.stride * (axis.in - 1) + axis.dilation * (axis.kernel - 1) + 1 + padding;
    const std::int64_t missing = axis.out - (full - axis.pad_begin - axis.pad_end);
    if (axis.in == 0 || missing < 0 || padding + missing >= std::max(axis.stride, axis.dilation))
      return std::nullopt;
    if (missing > 0) {
      result.output_padding.resize(axes.size());
      result.output_padding[i] += missing;
    }
    result.pads[i] = axis.pad_begin;
    result.pads[axes.size() + i] = axis.pad_end;
  }
  return result;
}

void add_unless_empty(NewAttributes& attributes, const char* name, Integers numbers) {
  if (!numbers.empty()) attributes.push_back({name, std::move(numbers)});
}

}  // namespace

/// https://onnx.ai/onnx/operators/onnx__ConvTranspose.html has the formulas.
Rule replace_output_shape() {
  return {.name = "replace-output-shape",
          .summary = "ConvTranspose with output_shape or auto_pad -> ConvTranspose with pads",
          .pattern = op("ConvTranspose", {any("x"), any("weights"), maybe(any("bias"))}),
          .where =
              [](const Match& match) {
                const auto op = read_op<ConvTranspose>(match.root());
                if (op.transposed.output_shape.empty() && op.window.auto_pad == AutoPad::not_set)
                  return no("it has pads");
                return explicit_pads(match) ? yes()
                                            : no("sizes are known only at run time, or the output "
                                                 "is larger than padding makes it");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const auto op = read_op<ConvTranspose>(match.root());
            ExplicitPads made = *explicit_pads(match);
            NewAttributes attributes = {{"pads", std::move(made.pads)}, {"group", op.groups}};
            add_unless_empty(attributes, "kernel_shape", op.window.kernel);
            add_unless_empty(attributes, "strides", op.window.strides);
            add_unless_empty(attributes, "dilations", op.window.dilations);
            add_unless_empty(attributes, "output_padding", std::move(made.output_padding));
            std::vector<Value*> inputs = {&match["x"], &match["weights"]};
            if (match.root().input_count() > 2) inputs.push_back(match.root().input(2));
            return replacement.add("ConvTranspose", std::move(inputs), std::move(attributes));
          }};
}

}  // namespace ortool
