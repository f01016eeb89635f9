// Kernels for BatchNormalization in inference and training mode.
#include "libcore/ops/nn/normalization/batch_normalization.hpp"

#include <array>

#include "kernels/cpu/elementwise/cast.hpp"
#include "kernels/cpu/normalization/normalize.hpp"
#include "kernels/cpu/normalization/normalize_f64.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

using BatchNormalizationOp = ortool::BatchNormalization;

ChannelSizes batch_sizes(const BatchNormalizationOp& op, const Shape& x) {
  if (!op.is_per_channel) return {x[0], x.product(1, x.rank()), 1};
  if (x.rank() == 1) return {x[0], 1, 1};
  return {x[0], x[1], x.product(2, x.rank())};
}

/// Any mixture of floating-point types, computed in float64. In training mode, the moments are
/// those of the batch, and the running moments are updated.
class WideBatchNormalization : public Prepared {
 public:
  WideBatchNormalization(const BatchNormalizationOp& op, const PrepareContext& context)
      : op_(op), sizes_(batch_sizes(op, context.inputs[0].shape)) {
    for (std::size_t i = 0; i < 5; ++i) input_types_[i] = context.inputs[i].type;
    for (std::size_t i = 0; i < context.outputs.size(); ++i) {
      if (context.has_output(i)) output_types_.at(i) = context.outputs[i].type;
    }
    elements_ = context.inputs[0].shape.element_count();
  }

  std::int64_t workspace_bytes() const override {
    return bytes_of(DataType::float64, elements_ + 8 * sizes_.channels);
  }

  void run(const RunContext& run) const override {
    auto* x = run.workspace<double>();
    double* rows[8];
    for (std::int64_t i = 0; i < 8; ++i) rows[i] = x + elements_ + i * sizes_.channels;
    const auto [scale, bias, mean, variance, batch_mean, batch_variance, moved_mean,
                moved_variance] = rows;
    read(run, 0, x, elements_);
    for (std::size_t i = 1; i < 5; ++i) read(run, i, rows[i - 1], sizes_.channels);
    if (op_.is_training) {
      channel_moments(x, sizes_, batch_mean, batch_variance, run.workers());
      move(mean, batch_mean, moved_mean);
      move(variance, batch_variance, moved_variance);
      // Versions before 14 also output the moments of the batch.
      const double* statistics[] = {moved_mean, moved_variance, batch_mean, batch_variance};
      for (std::size_t i = 1; i < output_types_.size(); ++i)
        write(run, i, statistics[i - 1], sizes_.channels);
    }
    const DoubleChannels parameters = {scale, bias, op_.is_training ? batch_mean : mean,
                                       op_.is_training ? batch_variance : variance,
                                       static_cast<double>(op_.epsilon)};
    batch_normalization(x, x, sizes_, parameters, run.workers());
    write(run, 0, x, elements_);
  }

 private:
  void read(const RunContext& run, std::size_t input, double* out, std::int64_t count) const {
    cast(input_types_[input], run.input<std::byte>(input), DataType::float64, out, count,
         run.workers());
  }

  void write(const RunContext& run, std::size_t output, const double* in,
             std::int64_t count) const {
    const DataType type = output_types_[output];
    if (type == DataType::undefined) return;
    cast(DataType::float64, in, type, run.output<std::byte>(output), count, run.workers());
  }

  void move(const double* given, const double* batch, double* out) const {
    const auto momentum = static_cast<double>(op_.momentum);
    for (std::int64_t c = 0; c < sizes_.channels; ++c)
      out[c] = given[c] * momentum + batch[c] * (1 - momentum);
  }

  BatchNormalizationOp op_;
  ChannelSizes sizes_;
  std::array<DataType, 5> input_types_ = {};
  std::array<DataType, 5> output_types_ = {};  ///< undefined: not requested
  std::int64_t elements_ = 0;
};

class WideBatchNormalizationKernel : public Kernel {
 public:
  WideBatchNormalizationKernel(std::string_view name, const BatchNormalizationOp& op)
      : name_(name), op_(op) {}

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const WideBatchNormalization>(op_, context);
  }

 private:
  std::string_view name_;
  BatchNormalizationOp op_;
};

KernelPtr compile_wide(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return std::make_unique<const WideBatchNormalizationKernel>(
      row.name, read_op<BatchNormalizationOp>(view.node()));
}

KernelPtr compile_float(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<BatchNormalizationOp>(view.node());
  return make_kernel(row.name, [op, isa = row.isa](const PrepareContext& context) {
    const ChannelSizes sizes = batch_sizes(op, context.inputs[0].shape);
    return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
      const cpu::BatchNormalization parameters = {run.input<float>(1), run.input<float>(2),
                                                  run.input<float>(3), run.input<float>(4),
                                                  op.epsilon};
      batch_normalization(run.input<float>(0), run.output<float>(0), sizes, parameters,
                          run.workers(), isa);
    });
  });
}

KernelPtr compile_fp16(const NodeView& view, const KernelRow& row, const CompileContext& context) {
  return make_fp16_kernel(compile_float(view, row, context), row.isa);
}

bool trains(const NodeView& view) {
  return read_op<BatchNormalizationOp>(view.node()).is_training;
}
bool accepts_float(const NodeView& view) {
  return accepts_all_float32(view) && !trains(view);
}
bool accepts_fp16_node(const NodeView& view) {
  return accepts_all_float_like(view) && !trains(view);
}
bool accepts_wide(const NodeView& view) {
  return accepts_all_of(view, types_of({DataType::float16, DataType::bfloat16, DataType::float32,
                                        DataType::float64}));
}

constexpr std::array<KernelRow, 7> batch_normalization_rows = {{
    {"batch_normalization_avx512", "", "BatchNormalization", Isa::avx512, "float32", accepts_float,
     compile_float},
    {"batch_normalization_avx2", "", "BatchNormalization", Isa::avx2, "float32", accepts_float,
     compile_float},
    {"batch_normalization_baseline", "", "BatchNormalization", Isa::baseline, "float32",
     accepts_float, compile_float},
    {"batch_normalization_half_avx512", "", "BatchNormalization", Isa::avx512, fp16_type_names,
     accepts_fp16_node, compile_fp16},
    {"batch_normalization_half_avx2", "", "BatchNormalization", Isa::avx2, fp16_type_names,
     accepts_fp16_node, compile_fp16},
    {"batch_normalization_half_baseline", "", "BatchNormalization", Isa::baseline, fp16_type_names,
     accepts_fp16_node, compile_fp16},
    {"batch_normalization_reference", "", "BatchNormalization", Isa::baseline,
     "float64, also mixed with others; all types in training", accepts_wide, compile_wide},
}};

}  // namespace

std::span<const KernelRow> batch_normalization_kernels() {
  return batch_normalization_rows;
}

}  // namespace ortool::cpu
