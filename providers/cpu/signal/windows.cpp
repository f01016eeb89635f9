// Kernels for HannWindow, HammingWindow, BlackmanWindow and MelWeightMatrix.
#include "kernels/cpu/signal/windows.hpp"

#include <array>

#include "kernels/cpu/elementwise/cast.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/signal/mel_weight_matrix.hpp"
#include "libcore/ops/signal/window.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

template <typename Op, WindowShape shape>
KernelPtr compile_window(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<Op>(view.node());
  return make_kernel(row.name, [op](const PrepareContext& context) {
    const std::int64_t size = context.outputs[0].shape[0];
    const std::int64_t period = op.is_periodic ? size : size - 1;
    return make_prepared({}, [=, type = op.element](const RunContext& run) {
      fill_window(shape, size, period, type, run.output<std::byte>(0));
    });
  });
}

double single_value(const RunContext& run, std::size_t input, DataType type) {
  double value = 0;
  Workers alone;
  cast(type, run.input<std::byte>(input), DataType::float64, &value, 1, alone);
  return value;
}

KernelPtr compile_mel_weights(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const DataType element = read_op<MelWeightMatrix>(view.node()).element;
  return make_kernel(row.name, [element](const PrepareContext& context) {
    const std::array<DataType, 5> types = {context.inputs[0].type, context.inputs[1].type,
                                           context.inputs[2].type, context.inputs[3].type,
                                           context.inputs[4].type};
    const std::int64_t bands = context.outputs[0].shape[1];
    return make_prepared({}, [=](const RunContext& run) {
      const MelBands mel = {.bands = bands,
                            .dft_length = static_cast<std::int64_t>(single_value(run, 1, types[1])),
                            .sample_rate = single_value(run, 2, types[2]),
                            .low_hertz = single_value(run, 3, types[3]),
                            .high_hertz = single_value(run, 4, types[4])};
      if (fill_mel_weights(mel, element, run.output<std::byte>(0))) return;
      throw Error(ErrorCode::invalid,
                  format("bands from {} to {} Hz exceed the spectrum at a sample rate of {}",
                         mel.low_hertz, mel.high_hertz, mel.sample_rate));
    });
  });
}

bool accepts_weights(const NodeView&) {
  return true;
}

constexpr auto signal_weight_rows =
    join_rows(portable_row("blackman_window", "BlackmanWindow", number_type_names, accepts_weights,
                           compile_window<BlackmanWindow, WindowShape::blackman>),
              portable_row("hamming_window", "HammingWindow", number_type_names, accepts_weights,
                           compile_window<HammingWindow, WindowShape::hamming>),
              portable_row("hann_window", "HannWindow", number_type_names, accepts_weights,
                           compile_window<HannWindow, WindowShape::hann>),
              portable_row("mel_weight_matrix", "MelWeightMatrix", number_type_names,
                           accepts_weights, compile_mel_weights));

}  // namespace

std::span<const KernelRow> windows_kernels() {
  return signal_weight_rows;
}

}  // namespace ortool::cpu
