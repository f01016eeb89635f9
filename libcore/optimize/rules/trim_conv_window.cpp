// Window trimming: a Conv loses the outer rows and columns of its window that never meet the image,
// as dilated windows on small images have.
#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/conv/conv.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

using Integers = std::vector<std::int64_t>;

/// The part of a window along one axis that is kept: taps [begin, end), with pads around it.
struct KeptTaps {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t pad_begin = 0;
  std::int64_t pad_end = 0;
};

/// Whether some output reads the image through this tap.
bool meets_image(const WindowAxis& axis, std::int64_t tap) {
  const std::int64_t first = tap * axis.dilation - axis.pad_begin;
  const std::int64_t last = first + (axis.out - 1) * axis.stride;
  if (last < 0 || first >= axis.in) return false;
  const std::int64_t steps = first < 0 ? (-first + axis.stride - 1) / axis.stride : 0;
  return first + steps * axis.stride < axis.in;
}

/// Nothing if no tap meets the image, or the other pads would be negative.
std::optional<KeptTaps> kept_taps(const WindowAxis& axis) {
  KeptTaps kept{.begin = 0, .end = axis.kernel};
  while (kept.end > 0 && !meets_image(axis, kept.end - 1)) --kept.end;
  if (kept.end == 0) return std::nullopt;
  const std::int64_t most = axis.pad_begin / axis.dilation;
  while (kept.begin < most && !meets_image(axis, kept.begin)) ++kept.begin;
  kept.pad_begin = axis.pad_begin - kept.begin * axis.dilation;
  const std::int64_t span =
      (axis.out - 1) * axis.stride + (kept.end - kept.begin - 1) * axis.dilation + 1;
  kept.pad_end = std::max<std::int64_t>(0, span - axis.in - kept.pad_begin);
  const std::int64_t padded = axis.in + kept.pad_begin + kept.pad_end;
  const std::int64_t reach = (kept.end - kept.begin - 1) * axis.dilation + 1;
  if ((padded - reach) / axis.stride + 1 != axis.out) return std::nullopt;
  return kept;
}

std::optional<std::vector<KeptTaps>> kept_window(const Match& match) {
  const std::optional<Integers> in = spatial_sizes(match["x"]);
  const Tensor* weights = constant_of(match["weights"]);
  if (!in || weights == nullptr) return std::nullopt;
  const auto op = read_op<Conv>(match.root());
  std::vector<KeptTaps> kept;
  for (const WindowAxis& axis :
       place_window(op.window, *in, weights->shape().dimensions().subspan(2))) {
    if (axis.in <= 0 || axis.out <= 0 || axis.kernel <= 0) return std::nullopt;
    const std::optional<KeptTaps> taps = kept_taps(axis);
    if (!taps) return std::nullopt;
    kept.push_back(*taps);
  }
  return kept;
}

/// Copies the kept taps of one plane, axis by axis, and returns the end of what it has written.
std::byte* copy_taps(const std::byte* from, std::size_t element_bytes,
                     std::span<const std::int64_t> kernel, std::span<const KeptTaps> kept,
                     std::byte* to) {
  if (kernel.empty()) {
    std::memcpy(to, from, element_bytes);
    return to + element_bytes;
  }
  std::size_t step = element_bytes;
  for (const std::int64_t size : kernel.subspan(1)) step *= static_cast<std::size_t>(size);
  for (std::int64_t tap = kept.front().begin; tap < kept.front().end; ++tap)
    to = copy_taps(from + static_cast<std::size_t>(tap) * step, element_bytes, kernel.subspan(1),
                   kept.subspan(1), to);
  return to;
}

Tensor trimmed(const Tensor& weights, std::span<const KeptTaps> kept) {
  const std::span<const std::int64_t> dimensions = weights.shape().dimensions();
  const std::span<const std::int64_t> kernel = dimensions.subspan(2);
  Integers shape(dimensions.begin(), dimensions.begin() + 2);
  for (const KeptTaps& taps : kept) shape.push_back(taps.end - taps.begin);
  Tensor result(weights.type(), Shape(shape));
  const auto element_bytes = static_cast<std::size_t>(bytes_of(weights.type(), 1));
  std::size_t plane_bytes = element_bytes;
  for (const std::int64_t size : kernel) plane_bytes *= static_cast<std::size_t>(size);
  const std::byte* from = weights.bytes();
  std::byte* to = result.mutable_bytes();
  for (std::int64_t plane = 0; plane < dimensions[0] * dimensions[1]; ++plane) {
    to = copy_taps(from, element_bytes, kernel, kept, to);
    from += plane_bytes;
  }
  return result;
}

}  // namespace

Rule trim_conv_window() {
  return {.name = "trim-conv-window",
          .summary = "Conv whose outer taps only meet padding -> Conv with a smaller window",
          .pattern = op("Conv", {any("x"), any("weights"), maybe(any("bias"))}),
          .where =
              [](const Match& match) {
                const std::optional<std::vector<KeptTaps>> kept = kept_window(match);
                if (!kept) return no("weights or sizes of the image are only known at run time");
                const Tensor& weights = *constant_of(match["weights"]);
                for (std::size_t i = 0; i < kept->size(); ++i) {
                  if ((*kept)[i].end - (*kept)[i].begin !=
                      weights.shape()[static_cast<std::int64_t>(i) + 2])
                    return yes();
                }
                return no("all of its window meets the image");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const std::vector<KeptTaps> kept = *kept_window(match);
            const auto op = read_op<Conv>(match.root());
            Integers kernel;
            Integers dilations;
            Integers pads;
            for (std::size_t i = 0; i < kept.size(); ++i) {
              kernel.push_back(kept[i].end - kept[i].begin);
              const std::int64_t dilation =
                  op.window.dilations.empty() ? 1 : op.window.dilations[i];
              dilations.push_back(kernel.back() == 1 ? 1 : dilation);
              pads.push_back(kept[i].pad_begin);
            }
            for (const KeptTaps& taps : kept) pads.push_back(taps.pad_end);
            std::vector<Value*> inputs = {
                &match["x"], &replacement.constant(trimmed(*constant_of(match["weights"]), kept))};
            if (match.root().input_count() > 2) inputs.push_back(match.root().input(2));
            return replacement.add_like(match.root(), std::move(inputs),
                                        {{"kernel_shape", std::move(kernel)},
                                         {"dilations", std::move(dilations)},
                                         {"pads", std::move(pads)},
                                         {"auto_pad", std::string("NOTSET")}});
          }};
}

}  // namespace ortool
