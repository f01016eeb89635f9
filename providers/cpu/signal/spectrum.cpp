// Kernels for DFT and STFT; tables are computed once per length.
#include "kernels/cpu/signal/spectrum.hpp"

#include <array>
#include <memory>

#include "libcore/base/format.hpp"
#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/signal/dft.hpp"
#include "libcore/ops/signal/stft.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"
#include "providers/cpu/support/known_operand.hpp"

namespace ortool::cpu {
namespace {

/// A transform and its table: kept or, for very long ones, computed in the workspace in each run,
/// so that its memory is counted.
class PreparedFft {
 public:
  PreparedFft(std::int64_t length, int threads, const PrepareContext& context)
      : fft_(length), threads_(threads) {
    constexpr std::int64_t max_kept = std::int64_t{1} << 22;
    lines_ = layout_.add(spectrum_workspace_bytes(fft_, threads));
    if (fft_.table_doubles() > max_kept) {
      table_ = layout_.add(fft_.table_doubles() * 8);
    } else {
      taken_.emplace(context.cap, fft_.table_doubles() * 8, "twiddle factors of a transform");
      kept_.resize(static_cast<std::size_t>(fft_.table_doubles()));
      fft_.fill_table(kept_.data(), context.stop);
    }
  }

  const Fft& fft() const { return fft_; }
  int threads() const { return threads_; }
  Preparation preparation() const {
    return {.workspace_bytes = layout_.bytes(), .held_bytes = taken_ ? taken_->bytes() : 0};
  }
  void* lines(const RunContext& run) const { return run.workspace() + lines_; }
  const double* table(const RunContext& run) const {
    if (!kept_.empty()) return kept_.data();
    auto* table = reinterpret_cast<double*>(run.workspace() + table_);
    fft_.fill_table(table, run.workers().stop());
    return table;
  }

 private:
  Fft fft_;
  int threads_;
  WorkspaceLayout layout_;
  std::int64_t lines_ = 0;
  std::int64_t table_ = 0;
  std::optional<MemoryReservation> taken_;
  std::vector<double> kept_;
};

/// The single value of an input known at preparation; empty if it is omitted.
std::optional<std::int64_t> known_number(const PrepareContext& context, std::int64_t input,
                                         std::string_view name) {
  if (input < 0 || !context.has_input(static_cast<std::size_t>(input))) return std::nullopt;
  const auto numbers = known_operand(context, {.value = std::nullopt, .input = input}, name);
  if (numbers && numbers->size() == 1) return numbers->front();
  throw Error(ErrorCode::invalid, format("'{}' does not hold one number", name));
}

template <typename T>
PreparedPtr prepare_dft(const DFT& op, const PrepareContext& context, int threads) {
  const Shape& x = context.inputs[0].shape;
  const Shape& y = context.outputs[0].shape;
  const std::optional<std::int64_t> given =
      op.axis.value ? op.axis.value : known_number(context, 2, "axis");
  const std::int64_t axis = normalize_axis(given.value_or(-2), x.rank());
  SpectrumSizes sizes;
  sizes.outer = x.product(0, axis);
  sizes.inner = x.product(axis + 1, x.rank() - 1);
  sizes.in = x[axis];
  sizes.out = y[axis];
  sizes.parts_in = x[x.rank() - 1];
  sizes.parts_out = y[y.rank() - 1];
  sizes.inverse = op.inverse;
  sizes.mirrored = op.inverse && op.onesided;
  const std::int64_t otherwise = sizes.mirrored ? y[axis] : x[axis];
  const std::int64_t length = known_number(context, 1, "dft_length").value_or(otherwise);
  if (y.element_count() == 0 || length == 0) return make_prepared({}, [](const RunContext&) {});
  auto fft = std::make_shared<const PreparedFft>(length, threads, context);
  return make_prepared(fft->preparation(), [sizes, fft](const RunContext& run) {
    SizedWorkers workers(run.workers(), fft->threads());
    transform_lines(sizes, fft->fft(), fft->table(run), run.input<T>(0), run.output<T>(0),
                    fft->lines(run), fft->threads(), workers.get());
  });
}

template <typename T>
PreparedPtr prepare_stft(const PrepareContext& context, int threads) {
  const Shape& x = context.inputs[0].shape;
  const Shape& y = context.outputs[0].shape;
  FrameSizes sizes;
  sizes.batch = x[0];
  sizes.length = x[1];
  sizes.parts = x.rank() == 2 ? 1 : x[2];
  sizes.frames = y[1];
  sizes.bins = y[2];
  if (sizes.frames > 1) sizes.step = known_number(context, 1, "frame_step").value_or(0);
  const std::int64_t length = context.has_input(2)
                                  ? context.inputs[2].shape[0]
                                  : known_number(context, 3, "frame_length").value_or(x[1]);
  if (y.element_count() == 0) return make_prepared({}, [](const RunContext&) {});
  auto fft = std::make_shared<const PreparedFft>(length, threads, context);
  return make_prepared(fft->preparation(), [sizes, fft](const RunContext& run) {
    SizedWorkers workers(run.workers(), fft->threads());
    transform_frames(sizes, fft->fft(), fft->table(run), run.input<T>(0), run.input<T>(2),
                     run.output<T>(0), fft->lines(run), fft->threads(), workers.get());
  });
}

KernelPtr compile_dft(const NodeView& view, const KernelRow& row, const CompileContext& context) {
  const auto op = read_op<DFT>(view.node());
  const bool is_double = view.input_type(0) == DataType::float64;
  KernelPtr kernel = make_kernel(
      row.name, [op, is_double, threads = context.max_threads](const PrepareContext& prepare) {
        return is_double ? prepare_dft<double>(op, prepare, threads)
                         : prepare_dft<float>(op, prepare, threads);
      });
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

KernelPtr compile_stft(const NodeView& view, const KernelRow& row, const CompileContext& context) {
  const bool is_double = view.input_type(0) == DataType::float64;
  KernelPtr kernel = make_kernel(
      row.name, [is_double, threads = context.max_threads](const PrepareContext& prepare) {
        return is_double ? prepare_stft<double>(prepare, threads)
                         : prepare_stft<float>(prepare, threads);
      });
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

constexpr auto spectrum_rows =
    join_rows(portable_row("dft", "DFT", float_type_names, accepts_floats, compile_dft),
              portable_row("stft", "STFT", float_type_names, accepts_floats, compile_stft));

}  // namespace

std::span<const KernelRow> spectrum_kernels() {
  return spectrum_rows;
}

}  // namespace ortool::cpu
