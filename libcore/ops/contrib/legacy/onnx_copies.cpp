// Schemas of com.microsoft's copies of ONNX operators, and shapes where they differ from ONNX's.
#include "libcore/ops/contrib/legacy/onnx_copies.hpp"

#include <optional>
#include <utility>

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

using enum Formal::Count;

constexpr int opset_of_inputs = 11;  ///< since when Pad has its pads as an input
constexpr int opset_of_images = 16;  ///< when GridSample took images alone

}  // namespace

constinit const OpSchema ContribPad::schema = {
    "Pad",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"data", "T"}, {"pads", "tensor(int64)"}, {"value", "T", optional}},
      .outputs = {{"output", "T"}},
      .attributes = {{"mode", AttributeKind::string, false, "constant"}},
      .types = {{"T", types::high_floats}}}}};

constinit const OpSchema ContribTrilu::schema = {
    "Trilu",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"}, {"k", "tensor(int64)", optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"upper", AttributeKind::integer, false, 1}},
      .types = {{"T", types::numbers_and_bfloat16 | types::boolean_only}}}}};

constinit const OpSchema ContribUnique::schema = {
    "Unique",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"x", "T"}},
      .outputs = {{"y", "T"}, {"idx", "tensor(int64)"}, {"counts", "tensor(int64)"}},
      .types = {{"T", types::all_tensors}}}}};

constinit const OpSchema ContribGatherND::schema = {
    "GatherND",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"data", "T"}, {"indices", "Tind"}},
      .outputs = {{"output", "T"}},
      .types = {{"T", types::all_tensors_and_bfloat16}, {"Tind", types::indices}}}}};

constinit const OpSchema ContribRange::schema = {
    "Range",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"start", "T"}, {"limit", "T"}, {"delta", "T", optional}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::indices |
                          types_of({DataType::float32, DataType::float64, DataType::int16})}}}}};

constinit const OpSchema ContribGridSample::schema = {
    "GridSample",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T1"}, {"Grid", "T1"}},
      .outputs = {{"Y", "T2"}},
      .attributes = {{"align_corners", AttributeKind::integer, false, 0},
                     {"mode", AttributeKind::string, false, "bilinear"},
                     {"padding_mode", AttributeKind::string, false, "zeros"}},
      .types = {{"T1", types::high_floats}, {"T2", types::high_floats}}}}};

constinit const OpSchema ExpandDims::schema = {
    "ExpandDims",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"}, {"axis", "tensor(int32)"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::all_tensors_and_bfloat16}}}}};

constinit const OpSchema TorchEmbedding::schema = {
    "TorchEmbedding",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"weight", "T"},
                 {"indices", "tensor(int64)"},
                 {"padding_idx", "tensor(int64)", optional},
                 {"scale_grad_by_freq", "tensor(bool)", optional}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::numbers_and_bfloat16}}}}};

constinit const OpSchema SampleOp::schema = {"SampleOp",
                                             contrib_domain,
                                             {{.since = 1,
                                               .inputs = {{"X", "T"}},
                                               .outputs = {{"Y", "T"}},
                                               .types = {{"T", types::high_precision_numbers}}}}};

constinit const OpSchema MemcpyFromHost::schema = {
    "MemcpyFromHost",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::all_tensors_and_bfloat16}}}}};

constinit const OpSchema MemcpyToHost::schema = {
    "MemcpyToHost",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::all_tensors_and_bfloat16}}}}};

void ContribPad::read(AttributeReader& attributes, int) {
  Pad::read(attributes, opset_of_inputs);
}

void ContribUnique::infer(InferContext& context) const {
  check_rank(context, 0, "x", 1);
  context.set_output(0, context.element(0), Dimensions(1));
  context.set_output(1, DataType::int64, Dimensions{dimension_at(context, 0, 0)});
  context.set_output(2, DataType::int64, Dimensions(1));
}

void ContribRange::infer(InferContext& context) const {
  if (context.has_input(2)) return Range::infer(context);
  check_single(context, 0, "start");
  check_single(context, 1, "limit");
  const DataType element = common_element(context, 0, 2);
  Dimension count;
  if (is_integer(element)) {
    const std::optional<Dimensions> start = integer_values(context, 0);
    const std::optional<Dimensions> limit = integer_values(context, 1);
    if (start && limit) count = max(limit->front() - start->front(), 0);
  }
  context.set_output(0, element, Dimensions{count});
}

void ContribGridSample::read(AttributeReader& attributes, int) {
  GridSample::read(attributes, opset_of_images);
}

void ExpandDims::infer(InferContext& context) const {
  check_single(context, 1, "axis");
  PartialShape shape = context.shape(0);
  const std::optional<std::int64_t> axis = single_integer(context, 1, "axis");
  if (shape) {
    const auto rank = static_cast<std::int64_t>(shape->size()) + 1;
    check_output_rank(static_cast<std::size_t>(rank));
    if (axis) {
      shape->insert(shape->begin() + normalize_axis(*axis, rank), Dimension(1));
    } else {
      shape = Dimensions(static_cast<std::size_t>(rank));
    }
  }
  context.set_output(0, context.element(0), std::move(shape));
}

void TorchEmbedding::infer(InferContext& context) const {
  check_rank(context, 0, "weight", 2);
  PartialShape shape = context.shape(1);
  if (shape) {
    shape->push_back(dimension_at(context, 0, 1));
    check_output_rank(shape->size());
  }
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
