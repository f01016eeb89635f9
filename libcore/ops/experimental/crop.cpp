// Schema and shape rule of Crop.
#include "libcore/ops/experimental/crop.hpp"

#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

namespace {

std::vector<std::int64_t> read_pixels(AttributeReader& attributes, std::string_view name,
                                      std::size_t count) {
  std::vector<std::int64_t> pixels =
      attributes.find_integers(name).value_or(std::vector<std::int64_t>());
  if (pixels.empty()) return pixels;
  if (pixels.size() != count) {
    throw Error(ErrorCode::invalid,
                format("attribute '{}' has {} elements (expected {})", name, pixels.size(), count));
  }
  for (const std::int64_t pixel : pixels) {
    if (pixel >= 0) continue;
    throw Error(ErrorCode::invalid,
                format("attribute '{}' holds {} (expected 0 or more)", name, pixel));
  }
  return pixels;
}

/// What remains of `whole` between the borders, or the given size.
Dimension crop_dimension(const Dimension& whole, std::int64_t before, std::int64_t after,
                         const std::optional<std::int64_t>& size) {
  const std::int64_t taken = add_sizes(before, size.value_or(after));
  if (whole.is_known() && taken > whole.number()) {
    throw Error(ErrorCode::invalid, format("cannot crop {} pixels from {}", taken, whole.number()));
  }
  return size ? Dimension(*size) : whole - Dimension(taken);
}

}  // namespace

constinit const OpSchema Crop::schema = {
    "Crop",
    "",
    {{.since = 1,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"border", AttributeKind::integers}, {"scale", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}}}};

void Crop::read(AttributeReader& attributes, int) {
  const std::vector<std::int64_t> border = read_pixels(attributes, "border", 4);
  if (!border.empty()) {
    left = border[0];
    top = border[1];
    right = border[2];
    bottom = border[3];
  }
  const std::vector<std::int64_t> size = read_pixels(attributes, "scale", 2);
  if (!size.empty()) {
    height = size[0];
    width = size[1];
  }
}

void Crop::infer(InferContext& context) const {
  check_rank(context, 0, "input", 4);
  PartialShape shape = context.shape(0);
  if (shape) {
    (*shape)[2] = crop_dimension((*shape)[2], top, bottom, height);
    (*shape)[3] = crop_dimension((*shape)[3], left, right, width);
  }
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
