// Kernels for SplitSignalSegments and MergeSignalSegments of ai.onnx.contrib.
#include "kernels/cpu/signal/signal_segments.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib/signal/signal_segments.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"
#include "providers/cpu/text/text_values.hpp"

namespace ortool::cpu {
namespace {

/// The integer of an input with one element, from 1 to 2^31 - 1.
std::int64_t positive_number(const DynamicContext& context, std::size_t input, const char* name) {
  const std::int64_t number = context.input(input).data<std::int64_t>()[0];
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (number >= 1 && number <= most) return number;
  throw Error(ErrorCode::invalid, format("'{}' is {} (expected 1 to {})", name, number, most));
}

/// The samples of some milliseconds.
std::int64_t samples_of(std::int64_t milliseconds, std::int64_t rate, const char* name) {
  const std::int64_t samples = milliseconds * rate / 1000;
  constexpr std::int64_t most = std::int64_t{1} << 24;
  if (samples >= 1 && samples <= most) return samples;
  throw Error(ErrorCode::invalid,
              format("'{}' of {} ms has {} samples at {} a second (expected 1 to {})", name,
                     milliseconds, samples, rate, most));
}

/// Milliseconds at which a frame begins, rounded as onnxruntime-extensions does.
std::int64_t time_of(std::int64_t frame, std::int64_t step, std::int64_t rate) {
  const float seconds = static_cast<float>(frame * step) / static_cast<float>(rate);
  return static_cast<std::int64_t>(seconds * 1000.0F);
}

void run_split_signal_segments(DynamicContext& context) {
  const std::int64_t rate = positive_number(context, 1, "sr");
  const std::int64_t frame_ms = positive_number(context, 2, "frame_ms");
  const std::int64_t hop_ms = positive_number(context, 3, "hop_ms");
  const SignalFrames frames = {.length = samples_of(frame_ms, rate, "frame_ms"),
                               .step = samples_of(hop_ms, rate, "hop_ms")};
  const std::span<const float> signal = context.input(0).data<float>();
  const std::int64_t count = static_cast<std::int64_t>(signal.size()) / frames.step + 1;
  check_room(context, multiply_sizes(count, 40) + frames.length * 8, "energies of frames");
  std::vector<float> energies(static_cast<std::size_t>(count));
  frame_energies(frames, signal, hann_window(frames.length), energies, context.workers());
  std::vector<std::int64_t> times;
  for (const auto& [begin, end] : loud_runs(energies, context.input(4).data<float>()[0])) {
    times.push_back(time_of(begin, frames.step, rate));
    times.push_back(time_of(end, frames.step, rate));
  }
  const auto segments = static_cast<std::int64_t>(times.size() / 2);
  context.set_output(0, integer_tensor(context, Shape{segments, 2}, times));
}

void run_merge_signal_segments(DynamicContext& context) {
  const std::span<const std::int64_t> segments = context.input(0).data<std::int64_t>();
  const auto gap = static_cast<double>(context.input(1).data<std::int64_t>()[0]);
  check_room(context, multiply_sizes(context.input(0).element_count(), 8), "segments");
  std::vector<std::int64_t> merged;
  for (std::size_t i = 0; i + 1 < segments.size(); i += 2) {
    const bool is_near =
        !merged.empty() &&
        static_cast<double>(segments[i]) - static_cast<double>(merged.back()) <= gap;
    if (is_near) {
      merged.back() = std::max(merged.back(), segments[i + 1]);
    } else {
      merged.push_back(segments[i]);
      merged.push_back(segments[i + 1]);
    }
  }
  const auto count = static_cast<std::int64_t>(merged.size() / 2);
  context.set_output(0, integer_tensor(context, Shape{count, 2}, merged));
}

template <void (*run)(DynamicContext&)>
KernelPtr compile_signal_segments(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(row.name, [](DynamicContext& context) { run(context); });
}

constexpr auto signal_segments_rows = join_rows(
    portable_row("merge_signal_segments", "MergeSignalSegments", "int64", accepts_anything,
                 compile_signal_segments<run_merge_signal_segments>, extensions_domain),
    portable_row("split_signal_segments", "SplitSignalSegments", "float32", accepts_anything,
                 compile_signal_segments<run_split_signal_segments>, extensions_domain));

}  // namespace

std::span<const KernelRow> signal_segments_kernels() {
  return signal_segments_rows;
}

}  // namespace ortool::cpu
