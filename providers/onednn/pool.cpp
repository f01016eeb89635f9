// oneDNN kernels for MaxPool, AveragePool and the global pools, a few channels at a time.
#include "libcore/ops/nn/pooling/pool.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kernels/cpu/parallel/workspace_slots.hpp"
#include "kernels/cpu/pooling/pool.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/window_sizes.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/onednn/kernel_list.hpp"

namespace ortool::onednn {
namespace {

/// Input pixels per task.
constexpr std::int64_t task_pixels = 128 * 1024;

/// Attributes of a pool node.
struct PoolOp {
  PoolKind kind = PoolKind::largest;
  bool is_global = false;
  WindowAttributes window;

  explicit PoolOp(const Node& node) {
    if (node.op_type() == "MaxPool") {
      window = read_op<MaxPool>(node).window;
    } else if (node.op_type() == "AveragePool") {
      const auto op = read_op<AveragePool>(node);
      kind = op.count_pads ? PoolKind::mean_with_padding : PoolKind::mean;
      window = op.window;
    } else {
      is_global = true;
      if (node.op_type() == "GlobalAveragePool") kind = PoolKind::mean;
    }
  }
};

/// The sizes in the form of the cpu kernels.
cpu::PoolSizes pool_sizes_of(const PoolOp& op, const Shape& x) {
  cpu::PoolSizes sizes;
  sizes.planes = x.product(0, 2);
  if (op.is_global) {
    sizes.in[2] = sizes.kernel[2] = x.product(2, x.rank());
    return sizes;
  }
  const auto spatial = x.dimensions().subspan(2);
  const std::vector<WindowAxis> axes =
      place_window(op.window, spatial, op.window.kernel, WindowFit::beyond);
  put_window(axes, sizes);
  return sizes;
}

/// Whether the last window along an axis reaches past the padding. oneDNN counts such pixels as
/// padding in a mean, while ONNX does not count them.
bool reaches_beyond_padding(const cpu::PoolSizes& sizes) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t extent = (sizes.kernel[i] - 1) * sizes.dilation[i] + 1;
    const std::int64_t padded = sizes.in[i] + sizes.pad_begin[i] + sizes.pad_end[i];
    if ((sizes.out[i] - 1) * sizes.stride[i] + extent > padded) return true;
  }
  return false;
}

PoolRequest make_pool_request(const cpu::PoolSizes& sizes, PoolKind kind, std::int64_t axes,
                              std::int64_t channels, std::int64_t block) {
  PoolRequest request;
  request.kind = kind;
  request.image_format = ImageFormat::blocks;
  request.block = block;
  request.channels = channels;
  request.axes = axes;
  for (std::size_t i = 0; i < 3; ++i) {
    request.in[i] = sizes.in[i];
    request.out[i] = sizes.out[i];
    request.kernel[i] = sizes.kernel[i];
    request.stride[i] = sizes.stride[i];
    request.dilation[i] = sizes.dilation[i];
    request.pad[i] = sizes.pad_begin[i];
  }
  return request;
}

/// Whether there are NaN, -inf or lowest values, which oneDNN treats as missing.
bool has_odd_numbers(const float* x, std::int64_t count) {
  bool is_odd = false;
  for (std::int64_t i = 0; i < count; ++i) is_odd |= !(x[i] > -std::numeric_limits<float>::max());
  return is_odd;
}

class PoolPrepared : public Prepared {
 public:
  /// `is_blocked`: input and output are in blocked layout.
  PoolPrepared(const PoolOp& op, const Tools& tools, int max_threads, bool is_blocked,
               const PrepareContext& context)
      : kind_(op.kind),
        is_blocked_(is_blocked),
        isa_(tools.isa),
        max_threads_(max_threads),
        sizes_(pool_sizes_of(op, context.inputs[0].shape)) {
    const std::int64_t axes = op.is_global ? 1 : context.inputs[0].shape.rank() - 2;
    in_pixels_ = sizes_.in[0] * sizes_.in[1] * sizes_.in[2];
    out_pixels_ = sizes_.out[0] * sizes_.out[1] * sizes_.out[2];
    if (is_blocked_) {
      const Shape& x = context.inputs[0].shape;
      sizes_.planes = x[0] * ((x[1] + tools.block - 1) / tools.block) * tools.block;
      block_ = tools.block;
    }
    if (sizes_.planes == 0 || in_pixels_ == 0 || out_pixels_ == 0) return;
    if (kind_ == PoolKind::mean_with_padding && reaches_beyond_padding(sizes_)) return;
    // Planes of all images are equivalent, so a task may span images.
    const std::int64_t wanted =
        (task_pixels / in_pixels_ + tools.block) / tools.block * tools.block;
    const std::int64_t planes = std::max(wanted, tools.block);
    kinds_[0] = make_kind(planes, axes, tools);
    if (sizes_.planes % planes > 0) kinds_[1] = make_kind(sizes_.planes % planes, axes, tools);
    is_fast_ = kinds_[0].is_fast && (sizes_.planes % planes == 0 || kinds_[1].is_fast);
    if (!is_fast_) return;
    for (const Kind& kind : kinds_) {
      if (kind.pool == nullptr) continue;
      scratch_bytes_ = std::max(scratch_bytes_, aligned(kind.pool->scratch_bytes()));
      if (is_blocked_) continue;
      in_bytes_ = std::max(in_bytes_, aligned(kind.into->operand_bytes(1)));
      out_bytes_ = std::max(out_bytes_, aligned(kind.back->operand_bytes(0)));
      for (const PrimitivePtr& each : {kind.into, kind.back})
        scratch_bytes_ = std::max(scratch_bytes_, aligned(each->scratch_bytes()));
    }
    slot_count_ = std::clamp(max_threads, 1, cpu::WorkspaceSlots::most);
  }

  std::int64_t workspace_bytes() const override { return slot_bytes() * slot_count_; }

  void run(const RunContext& context) const override {
    const auto* x = context.input<float>(0);
    auto* y = context.output<float>(0);
    if (!is_fast_) {
      run_whole(x, y, sizes_.planes, context.workers());
      return;
    }
    SizedWorkers sized(context.workers(), max_threads_);
    cpu::WorkspaceSlots slots(context.workspace(), slot_bytes(), slot_count_);
    const std::int64_t planes = kinds_[0].planes;
    sized.get().parallel_ranges(sizes_.planes, planes, [&](std::int64_t begin, std::int64_t end) {
      const cpu::WorkspaceSlots::Lease slot(slots);
      const Kind& kind = kinds_[end - begin == planes ? 0 : 1];
      run_tile(kind, x + begin * in_pixels_, y + begin * out_pixels_, slot.data());
    });
  }

 private:
  /// The primitive for a number of planes at once.
  struct Kind {
    std::int64_t planes = 0;
    bool is_fast = false;
    PrimitivePtr into;
    PrimitivePtr pool;
    PrimitivePtr back;
  };

  Kind make_kind(std::int64_t planes, std::int64_t axes, const Tools& tools) const {
    const std::int64_t channels = (planes + tools.block - 1) / tools.block * tools.block;
    Kind kind;
    kind.planes = planes;
    kind.into = tools.cache->reorder({1, tools.block, planes, in_pixels_});
    kind.pool = tools.cache->pool(make_pool_request(sizes_, kind_, axes, channels, tools.block));
    kind.back = tools.cache->reorder({0, tools.block, planes, out_pixels_});
    kind.is_fast = kind.into != nullptr && kind.back != nullptr && kind.pool != nullptr &&
                   !kind.pool->is_reference();
    return kind;
  }

  void run_tile(const Kind& kind, const float* x, float* y, std::byte* slot) const {
    if (kind_ == PoolKind::largest && has_odd_numbers(x, kind.planes * in_pixels_)) {
      Workers alone;
      run_whole(x, y, kind.planes, alone);
      return;
    }
    if (is_blocked_) {
      const void* operands[] = {x, y};
      kind.pool->run(operands, slot);
      return;
    }
    std::byte* in = slot + scratch_bytes_;
    std::byte* out = in + in_bytes_;
    const void* first[] = {x, in};
    kind.into->run(first, slot);
    const void* second[] = {in, out};
    kind.pool->run(second, slot);
    const void* third[] = {out, y};
    kind.back->run(third, slot);
  }

  /// Uses the cpu kernels where oneDNN has no code or gives wrong results.
  void run_whole(const float* x, float* y, std::int64_t planes, Workers& workers) const {
    cpu::PoolSizes sizes = sizes_;
    sizes.planes = planes / block_;
    if (is_blocked_) transpose_blocks(sizes);
    if (kind_ == PoolKind::largest) {
      cpu::max_pool<float>(sizes, x, y, nullptr, false, isa_, workers);
    } else {
      cpu::average_pool<float>(sizes, kind_ == PoolKind::mean_with_padding, x, y, isa_, workers);
    }
  }

  /// Turns the channels of a block into the innermost spatial axis, along which nothing is pooled.
  void transpose_blocks(cpu::PoolSizes& sizes) const {
    for (auto* axes : {&sizes.in, &sizes.out, &sizes.kernel, &sizes.stride, &sizes.dilation,
                       &sizes.pad_begin, &sizes.pad_end})
      std::rotate(std::begin(*axes), std::begin(*axes) + 1, std::end(*axes));
    sizes.in[2] = sizes.out[2] = block_;
  }

  std::int64_t slot_bytes() const { return scratch_bytes_ + in_bytes_ + out_bytes_; }
  static std::int64_t aligned(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

  PoolKind kind_;
  bool is_blocked_;
  std::int64_t block_ = 1;  ///< interleaved channels
  cpu::Isa isa_;
  int max_threads_;
  cpu::PoolSizes sizes_;
  std::int64_t in_pixels_ = 0;
  std::int64_t out_pixels_ = 0;
  std::array<Kind, 2> kinds_;  ///< whole pieces, and the remainder
  bool is_fast_ = false;
  std::int64_t scratch_bytes_ = 0;
  std::int64_t in_bytes_ = 0;
  std::int64_t out_bytes_ = 0;
  int slot_count_ = 0;
};

class PoolKernel : public Kernel {
 public:
  PoolKernel(const NodeView& view, const KernelRow& row, const Tools& tools, int max_threads)
      : name_(row.name),
        op_(view.node()),
        tools_(tools),
        max_threads_(max_threads),
        is_blocked_(view.layouts().input(0) != Layout::plain) {}

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const PoolPrepared>(op_, tools_, max_threads_, is_blocked_, context);
  }

 private:
  std::string_view name_;
  PoolOp op_;
  Tools tools_;
  int max_threads_;
  bool is_blocked_;
};

}  // namespace

std::string refuses_pool(const NodeView& view, const Tools&) {
  const std::string_view op_type = view.node().op_type();
  if (view.input_type(0) != DataType::float32)
    return format("it supports {} in float32 only", op_type);
  const std::int64_t rank = view.input_rank(0);
  if (rank < 0) return "the rank of the image is unknown";
  const bool is_global = op_type.starts_with("Global");
  if (!is_global && (rank < 3 || rank > 5))
    return format("it supports pooling along 1 to 3 axes, not {}", rank - 2);
  if (view.node().output(1) != nullptr) return "oneDNN does not return the indices of the maxima";
  if (op_type == "AveragePool") {
    const auto op = read_op<AveragePool>(view.node());
    if (op.count_pads && (op.window.ceil_mode || op.window.auto_pad != AutoPad::not_set))
      return "oneDNN would count pixels beyond the padding";
  }
  return {};
}

std::vector<LayoutChoice> pool_layouts(const NodeView& group, const Tools& tools) {
  const PartialShape& image = group.node().input(0)->type().shape;
  if (!image || image->size() < 3 || image->size() > 4 || !(*image)[1].is_known()) return {};
  if (group.node().input(0)->is_constant()) return {};
  // Measured on a core of an Emerald Rapids Xeon; unknown sizes are replaced by typical ones.
  constexpr double plain_ns = 0.9;
  constexpr double blocked_ns = 0.25;
  double pixels = 1;
  for (std::size_t axis = 2; axis < image->size(); ++axis)
    pixels *= (*image)[axis].is_known() ? static_cast<double>((*image)[axis].number()) : 32.0;
  const std::int64_t channels = (*image)[1].number();
  std::vector<LayoutChoice> choices(2);
  choices[0].nanoseconds = plain_ns * pixels * static_cast<double>(channels);
  choices[1].inputs = choices[1].outputs = {tools.blocked};
  choices[1].nanoseconds =
      blocked_ns * pixels *
      static_cast<double>((channels + tools.block - 1) / tools.block * tools.block);
  return choices;
}

KernelPtr compile_pool(const NodeView& view, const KernelRow& row, const Tools& tools,
                       const CompileContext& context) {
  return std::make_unique<const PoolKernel>(view, row, tools, context.max_threads);
}

}  // namespace ortool::onednn
