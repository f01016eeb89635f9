// Schema and shape rule of CenterCropPad; the sizes are an input.
#include "libcore/ops/tensor/center_crop_pad.hpp"

#include <numeric>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema CenterCropPad::schema = {
    "CenterCropPad",
    "",
    {{.since = 18,
      .inputs = {{"input_data", "T"}, {"shape", "Tind"}},
      .outputs = {{"output_data", "T"}},
      .attributes = {{"axes", AttributeKind::integers}},
      .types = {{"T", types::all_tensors_and_bfloat16}, {"Tind", types::indices}}}}};

void CenterCropPad::read(AttributeReader& attributes, int) {
  axes = attributes.find_integers("axes");
}

void CenterCropPad::infer(InferContext& context) const {
  check_rank(context, 1, "shape", 1);
  const std::optional<Dimensions> sizes = shape_values(context, 1);
  if (const std::optional<std::vector<std::int64_t>> known = context.integers(1)) {
    for (const std::int64_t size : *known) check_size("'shape'", size);
  }
  PartialShape shape = context.shape(0);
  if (!shape && !axes && sizes) shape = sizes;
  if (!shape) return context.set_output(0, context.element(0), std::nullopt);
  const auto rank = static_cast<std::int64_t>(shape->size());
  std::vector<std::int64_t> changed(shape->size());
  std::iota(changed.begin(), changed.end(), 0);
  if (axes) changed = normalize_axes(*axes, rank);
  if (sizes && sizes->size() != changed.size()) {
    throw Error(ErrorCode::invalid,
                format("'shape' holds {} numbers for {} axes", sizes->size(), changed.size()));
  }
  for (std::size_t i = 0; i < changed.size(); ++i)
    (*shape)[static_cast<std::size_t>(changed[i])] = sizes ? (*sizes)[i] : Dimension();
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
