// Kernels for Clip, with bounds from attributes, constants or run-time inputs.
#include "libcore/ops/nn/clip.hpp"

#include <array>
#include <limits>

#include "kernels/cpu/elementwise/unary.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"

namespace ortool::cpu {
namespace {

/// A bound: from the attribute, or read from input `index` at run time.
template <typename T>
struct Bound {
  T value;
  std::size_t index = 0;  ///< 0: use `value`

  T read(const RunContext& run) const { return index == 0 ? value : *run.input<T>(index); }
};

template <typename T>
T lowest_of() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

template <typename T>
T highest_of() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

/// Bounds in the type that the kernels take: 16-bit floats are passed as float32.
// clang-format off
template <typename T> T number_of(T value) { return value; }
inline float number_of(Float16Bits value) { return to_float(value); }
inline float number_of(BFloat16Bits value) { return to_float(value); }
// clang-format on

template <typename T>
T bound_of(float value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(value);
  } else {
    T result;
    from_float(value, result);
    return result;
  }
}

template <typename T>
KernelPtr make_clip(const KernelRow& row, const Clip& clip) {
  return make_kernel(row.name, [clip, isa = row.isa](const PrepareContext& context) {
    using Number = decltype(number_of(T{}));
    const auto bound = [&](const ValueOrInput<float>& given, std::size_t index, Number otherwise) {
      if (context.has_input(index)) return Bound<T>{T{}, index};
      if constexpr (std::is_arithmetic_v<T>) {
        return Bound<T>{given.value ? bound_of<T>(*given.value) : otherwise};
      } else {
        return Bound<T>{bound_of<T>(given.value ? *given.value : otherwise)};
      }
    };
    const Bound<T> low = bound(clip.low, 1, lowest_of<Number>());
    const Bound<T> high = bound(clip.high, 2, highest_of<Number>());
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
      const Number from = number_of(low.read(run));
      const Number to = number_of(high.read(run));
      if constexpr (std::is_integral_v<T>) {
        static_cast<void>(isa);  // integers use the same loop on every instruction set
        cpu::clip(run.input<T>(0), run.output<T>(0), count, from, to, run.workers());
      } else {
        unary(UnaryOp::clip, {from, to}, run.input<T>(0), run.output<T>(0), count, run.workers(),
              isa);
      }
    });
  });
}

KernelPtr compile_clip(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto clip = read_op<Clip>(view.node());
  return dispatch_data_type(view.input_type(0), [&](auto number) -> KernelPtr {
    using T = decltype(number);
    if constexpr (std::is_same_v<T, bool>) {
      ORTOOL_CHECK(false && "Clip takes no booleans");
    } else {
      return make_clip<T>(row, clip);
    }
  });
}

constexpr std::array<KernelRow, 4> clip_rows = {{
    {"clip_avx512", "", "Clip", Isa::avx512, float_type_names, accepts_floats, compile_clip},
    {"clip_avx2", "", "Clip", Isa::avx2, float_type_names, accepts_floats, compile_clip},
    {"clip_baseline", "", "Clip", Isa::baseline, float_type_names, accepts_floats, compile_clip},
    {"clip_integer", "", "Clip", Isa::baseline, "integers", accepts_integers, compile_clip},
}};

}  // namespace

std::span<const KernelRow> clip_kernels() {
  return clip_rows;
}

}  // namespace ortool::cpu
