// Kernels for Resize and Upsample; coordinates and weights are computed once per set of shapes.
#include "libcore/ops/tensor/resize.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "kernels/cpu/conv/f32_nchwc/conv.hpp"
#include "kernels/cpu/elementwise/cast.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/image/resize_taps.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/data_dependent_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"
#include "providers/cpu/support/string_kernel.hpp"

namespace ortool::cpu {
namespace {

/// A tensor that determines coordinates; null if it is omitted or empty.
const Tensor* coordinate_input(const PrepareContext& context, std::int64_t input,
                               std::string_view name) {
  if (input < 0 || !context.has_input(static_cast<std::size_t>(input))) return nullptr;
  const Operand& operand = context.inputs[static_cast<std::size_t>(input)];
  if (operand.shape.element_count() == 0) return nullptr;
  if (const Tensor* known = operand.known.read_value()) return known;
  throw Error(ErrorCode::unsupported,
              format("input '{}' depends on data computed at run time", name),
              "make it a constant, or compute it from shapes");
}

void check_count(std::string_view name, std::size_t found, std::size_t expected) {
  if (found == expected) return;
  throw Error(ErrorCode::invalid,
              format("'{}' holds {} numbers (expected {})", name, found, expected));
}

/// The values of a float tensor of any precision.
std::vector<float> coordinate_numbers(const Tensor& tensor) {
  std::vector<float> numbers(static_cast<std::size_t>(tensor.element_count()));
  Workers alone;
  cast(tensor.type(), tensor.aligned().bytes(), DataType::float32, numbers.data(),
       tensor.element_count(), alone);
  return numbers;
}

void set_scales(const Resampling& op, const PrepareContext& context,
                const std::vector<std::int64_t>& axes, std::vector<ResizeRequest>& requests) {
  std::vector<float> scales;
  if (op.scales.value) {
    scales = *op.scales.value;
  } else if (const Tensor* known = coordinate_input(context, op.scales.input, "scales")) {
    scales = coordinate_numbers(*known);
  }
  std::vector<ResizeRequest*> resized;
  for (const std::int64_t axis : axes) resized.push_back(&requests[static_cast<std::size_t>(axis)]);
  if (!scales.empty()) {
    check_count("scales", scales.size(), axes.size());
    for (std::size_t i = 0; i < axes.size(); ++i) {
      resized[i]->scale = scales[i];
      resized[i]->out_exact = scales[i] * static_cast<float>(resized[i]->in);
    }
    return;
  }
  const auto ratio = [](std::int64_t out, std::int64_t in) {
    return static_cast<float>(out) / static_cast<float>(in);
  };
  for (ResizeRequest* each : resized) {
    each->scale = each->in == 0 ? 1.0F : ratio(each->out, each->in);
    each->out_exact = static_cast<float>(each->out);
  }
  const Tensor* sizes = coordinate_input(context, op.sizes_input, "sizes");
  if (op.aspect_ratio == Resampling::AspectRatio::stretch || sizes == nullptr) return;
  const std::vector<std::int64_t> wanted = integers_of(*sizes);
  check_count("sizes", wanted.size(), axes.size());
  float common = ratio(wanted.front(), resized.front()->in);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const float mine = ratio(wanted[i], resized[i]->in);
    common = op.aspect_ratio == Resampling::AspectRatio::not_larger ? std::min(common, mine)
                                                                    : std::max(common, mine);
  }
  for (ResizeRequest* each : resized) {
    each->scale = common;
    each->out_exact = common * static_cast<float>(each->in);
  }
}

void set_region(const Resampling& op, const PrepareContext& context,
                const std::vector<std::int64_t>& axes, std::vector<ResizeRequest>& requests) {
  if (op.coordinates != Resampling::Coordinates::tf_crop_and_resize) return;
  const Tensor* known = coordinate_input(context, op.roi_input, "roi");
  if (known == nullptr) {
    throw Error(ErrorCode::invalid, "tf_crop_and_resize needs 'roi', which is left out");
  }
  const std::vector<float> region = coordinate_numbers(*known);
  check_count("roi", region.size(), 2 * axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    ResizeRequest& request = requests[static_cast<std::size_t>(axes[i])];
    request.roi_begin = region[i];
    request.roi_end = region[axes.size() + i];
  }
}

/// A plan together with its share of the memory cap.
struct CountedPlan {
  ResizePlan plan;
  std::shared_ptr<const MemoryReservation> bytes;
};

/// For NCHWc values, an element is a channel block.
CountedPlan plan_resize(const Resampling& op, const PrepareContext& context) {
  const Shape& x = context.inputs[0].shape;
  const Shape& y = context.outputs[0].shape;
  std::vector<std::int64_t> axes(static_cast<std::size_t>(x.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  if (op.axes) axes = normalize_axes(*op.axes, x.rank());
  std::vector<ResizeRequest> requests;
  for (std::int64_t axis = 0; axis < x.rank(); ++axis)
    requests.push_back({.in = x[axis], .out = y[axis], .out_exact = static_cast<float>(y[axis])});
  set_scales(op, context, axes, requests);
  set_region(op, context, axes, requests);
  std::int64_t bytes = 0;
  for (const std::int64_t axis : axes)
    bytes = add_sizes(bytes, taps_bytes(op, requests[static_cast<std::size_t>(axis)]));
  CountedPlan counted;
  counted.bytes =
      std::make_shared<const MemoryReservation>(context.cap, bytes, "resize filter taps");
  std::vector<ResizeAxis> result;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const ResizeRequest& request = requests[i];
    const bool is_resized =
        std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end();
    result.push_back(is_resized ? make_taps(op, request, context.stop)
                                : ResizeAxis{.in = request.in, .out = request.out, .taps = 0});
  }
  const Layout layout = context.inputs[0].layout;
  if (layout != Layout::plain) {
    const std::int64_t blocks = (x[1] + block_of(layout) - 1) / block_of(layout);
    result[1] = {.in = blocks, .out = blocks, .taps = 0};
  }
  counted.plan = join_identities(std::move(result));
  return counted;
}

PreparedPtr prepare_nearest(const Resampling& op, DataType type, Layout layout,
                            CountedPlan counted) {
  std::array<std::byte, 64> outside = {};
  if (is_computable(type)) {
    Workers alone;
    cast(DataType::float32, &op.extrapolation_value, type, outside.data(), 1, alone);
  }
  const std::int64_t held_bytes = counted.bytes->bytes();
  return make_prepared({.held_bytes = held_bytes},
                       [counted = std::move(counted), outside,
                        bytes = block_of(layout) * element_bits(type) / 8](const RunContext& run) {
                         resize_nearest(counted.plan, bytes, run.input<std::byte>(0),
                                        run.output<std::byte>(0), outside.data(), run.workers());
                       });
}

template <typename Op>
KernelPtr compile_resize(const NodeView& view, const KernelRow& row,
                         const CompileContext& context) {
  const Resampling op = read_op<Op>(view.node());
  KernelPtr kernel = make_kernel(row.name, [op, threads = context.max_threads](
                                               const PrepareContext& prepare) {
    const DataType type = prepare.inputs[0].type;
    if (prepare.outputs[0].shape.element_count() == 0)
      return make_prepared({}, [](const RunContext&) {});
    CountedPlan counted = plan_resize(op, prepare);
    if (op.mode == Resampling::Mode::nearest)
      return prepare_nearest(op, type, prepare.inputs[0].layout, std::move(counted));
    const std::int64_t bytes = resize_workspace_bytes(counted.plan, threads);
    const std::int64_t held_bytes = counted.bytes->bytes();
    return make_prepared(
        {.workspace_bytes = bytes, .held_bytes = held_bytes},
        [=, counted = std::move(counted), outside = op.extrapolation_value](const RunContext& run) {
          SizedWorkers workers(run.workers(), threads);
          resize_weighted(counted.plan, type, run.input<std::byte>(0), run.output<std::byte>(0),
                          static_cast<double>(outside), run.workspace(), threads, workers.get());
        });
  });
  const bool reads_region = op.coordinates == Resampling::Coordinates::tf_crop_and_resize &&
                            view.constant(op.roi_input) == nullptr;
  return reads_region ? make_data_dependent_kernel(row.name, std::move(kernel)) : std::move(kernel);
}

template <typename Op>
bool accepts_nearest(const NodeView& view) {
  return has_whole_bytes(view.input_type(0)) &&
         read_op<Op>(view.node()).mode == Resampling::Mode::nearest;
}

template <typename Op>
KernelPtr compile_string_resize(const NodeView& view, const KernelRow& row,
                                const CompileContext& context) {
  return make_string_kernel(row.name, compile_resize<Op>(view, row, context));
}

template <typename Op>
bool accepts_string_resize(const NodeView& view) {
  return view.input_type(0) == DataType::string &&
         read_op<Op>(view.node()).mode == Resampling::Mode::nearest;
}

template <typename Op>
bool accepts_blocked_nearest(const NodeView& view) {
  return accepts_float32(view) && accepts_nearest<Op>(view);
}

/// Whether each output channel equals the same input channel for all run-time values.
bool keeps_channels(const NodeView& view, const Resampling& op) {
  if (op.coordinates == Resampling::Coordinates::tf_crop_and_resize) return false;
  std::size_t place = 1;
  if (op.axes) {
    const std::vector<std::int64_t> axes = normalize_axes(*op.axes, view.input_rank(0));
    const auto found = std::find(axes.begin(), axes.end(), 1);
    if (found == axes.end()) return true;
    place = static_cast<std::size_t>(found - axes.begin());
  }
  const auto is_one = [place](const std::vector<float>& scales) {
    return scales.empty() || (place < scales.size() && scales[place] == 1.0F);
  };
  if (op.scales.value) return is_one(*op.scales.value);
  const std::int64_t input = op.scales.input;
  const bool is_given = input >= 0 && view.node().input(input) != nullptr;
  if (is_given && view.constant(input) == nullptr) return false;
  const bool has_scales = is_given && view.constant(input)->element_count() > 0;
  return has_scales ? is_one(coordinate_numbers(*view.constant(input)))
                    : op.aspect_ratio == Resampling::AspectRatio::stretch;
}

template <typename Op>
std::vector<LayoutChoice> nearest_layouts(const NodeView& view, const KernelRow& row) {
  constexpr double plain_ns = 0.3;
  constexpr double blocked_ns = 0.1;
  constexpr double common_size = 32;
  const PartialShape& from = view.node().input(0)->type().shape;
  const PartialShape& to = view.node().output(0)->type().shape;
  const bool is_image = from && to && (from->size() == 3 || from->size() == 4) &&
                        to->size() == from->size() && !view.node().input(0)->is_constant();
  if (!is_image || !(*from)[1].is_known() || !(*to)[1].is_known()) return {};
  const std::int64_t channels = (*from)[1].number();
  if (channels <= 0 || (*to)[1].number() != channels ||
      !keeps_channels(view, read_op<Op>(view.node())))
    return {};
  double pixels = 1;
  for (std::size_t axis = 2; axis < to->size(); ++axis)
    pixels *= (*to)[axis].is_known() ? static_cast<double>((*to)[axis].number()) : common_size;
  const bool has_floats = view.input_type(0) == DataType::float32;
  const Layout blocked = has_floats ? blocked_layout(row.isa) : Layout::blocked16;
  const std::int64_t block = block_of(blocked);
  const std::int64_t stored = (channels + block - 1) / block * block;
  std::vector<LayoutChoice> choices(2);
  choices[0].nanoseconds = plain_ns * pixels * static_cast<double>(channels);
  choices[1].inputs = {blocked};
  choices[1].outputs = {blocked};
  choices[1].nanoseconds = blocked_ns * pixels * static_cast<double>(stored);
  return choices;
}

template <typename Op>
constexpr std::array<KernelRow, 2> nearest_blocked_rows(std::string_view op_type,
                                                        std::string_view avx512_name,
                                                        std::string_view avx2_name) {
  const KernelRow row = {avx512_name,        "",        op_type,
                         Isa::avx512,        "float32", accepts_blocked_nearest<Op>,
                         compile_resize<Op>, nullptr,   nearest_layouts<Op>};
  KernelRow narrow = row;
  narrow.name = avx2_name;
  narrow.isa = Isa::avx2;
  return {row, narrow};
}

bool accepts_nearest_bytes(const NodeView& view) {
  const DataType type = view.input_type(0);
  return (type == DataType::uint8 || type == DataType::int8) && accepts_nearest<Resize>(view);
}

constexpr std::array<KernelRow, 1> nearest_int8_rows = {
    {{"resize_nearest_int8_nchwc", "", "Resize", Isa::avx2, "int8, uint8", accepts_nearest_bytes,
      compile_resize<Resize>, nullptr, nearest_layouts<Resize>}}};

constexpr auto resize_rows_list = join_rows(
    nearest_int8_rows,
    nearest_blocked_rows<Resize>("Resize", "resize_nearest_nchwc_avx512",
                                 "resize_nearest_nchwc_avx2"),
    nearest_blocked_rows<Upsample>("Upsample", "upsample_nearest_nchwc_avx512",
                                   "upsample_nearest_nchwc_avx2"),
    portable_row("resize_nearest", "Resize", "all but strings", accepts_nearest<Resize>,
                 compile_resize<Resize>),
    portable_row("resize_strings", "Resize", "string", accepts_string_resize<Resize>,
                 compile_string_resize<Resize>),
    portable_row("resize", "Resize", number_type_names, accepts_numbers, compile_resize<Resize>),
    portable_row("upsample_nearest", "Upsample", "all but strings", accepts_nearest<Upsample>,
                 compile_resize<Upsample>),
    portable_row("upsample_strings", "Upsample", "string", accepts_string_resize<Upsample>,
                 compile_string_resize<Upsample>),
    portable_row("upsample", "Upsample", number_type_names, accepts_numbers,
                 compile_resize<Upsample>));

}  // namespace

std::span<const KernelRow> resize_kernels() {
  return resize_rows_list;
}

}  // namespace ortool::cpu
