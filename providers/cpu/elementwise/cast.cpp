// Kernels for Cast and CastLike, by kinds of types, and for Where.
#include "libcore/ops/tensor/cast.hpp"

#include "kernels/cpu/elementwise/cast.hpp"
#include "kernels/cpu/elementwise/cast_fp8.hpp"
#include "kernels/cpu/types/fp16_convert.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/tensor/convert.hpp"
#include "providers/cpu/elementwise/number_text.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

FloatCast rounding_of(const Conversion& op) {
  FloatCast cast = {op.saturate, PowerRounding::up};
  if (op.round_mode == Conversion::RoundMode::down) cast.power_rounding = PowerRounding::down;
  if (op.round_mode == Conversion::RoundMode::nearest) cast.power_rounding = PowerRounding::nearest;
  return cast;
}

bool accepts_cast(const NodeView& view) {
  return is_computable(view.input_type(0)) && is_computable(view.output_type(0));
}

KernelPtr compile_cast(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [from = view.input_type(0), to = view.output_type(0),
                                isa = row.isa](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    Preparation preparation;
    if (from == to) preparation.view_of = 0;
    return make_prepared(preparation, [=](const RunContext& run) {
      cast(from, run.input<std::byte>(0), to, run.output<std::byte>(0), count, run.workers(), isa);
    });
  });
}

bool accepts_where(const NodeView& view) {
  return has_whole_bytes(view.input_type(1));
}

KernelPtr compile_where(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [isa = row.isa](const PrepareContext& context) {
    const auto& inputs = context.inputs;
    const std::int64_t element_bytes = element_bits(inputs[1].type) / 8;
    OperandSet overwritable;
    for (std::size_t i = 1; i < 3; ++i) {
      if (inputs[i].shape == context.outputs[0].shape) overwritable.add(i);
    }
    return make_prepared(
        {.overwritable = overwritable},
        [element_bytes, isa,
         plan = make_broadcast_plan({inputs[0].shape.dimensions(), inputs[1].shape.dimensions(),
                                     inputs[2].shape.dimensions()})](const RunContext& run) {
          where(run.input<bool>(0), run.input<std::byte>(1), run.input<std::byte>(2),
                run.output<std::byte>(0), plan, element_bytes, run.workers(), isa);
        });
  });
}

bool accepts_fp16_cast(const NodeView& view) {
  const auto is_fp16 = [](DataType type) {
    return type == DataType::float16 || type == DataType::bfloat16;
  };
  const DataType from = view.input_type(0);
  const DataType to = view.output_type(0);
  return (from == DataType::float32 && is_fp16(to)) || (is_fp16(from) && to == DataType::float32);
}

KernelPtr compile_fp16_cast(const NodeView& view, const KernelRow& row, const CompileContext&) {
  constexpr std::int64_t fp16_grain = 32768;
  const Fp16Functions& functions = fp16_functions(row.isa);
  const bool widens = view.output_type(0) == DataType::float32;
  const bool is_ieee =
      view.input_type(0) == DataType::float16 || view.output_type(0) == DataType::float16;
  const auto widen = is_ieee ? functions.float16_to_float : functions.bfloat16_to_float;
  const auto narrow = is_ieee ? functions.float_to_float16 : functions.float_to_bfloat16;
  return make_kernel(row.name, [=](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared({}, [=](const RunContext& run) {
      run.workers().parallel_ranges(count, fp16_grain, [&](std::int64_t begin, std::int64_t end) {
        if (widens) {
          widen(run.input<std::uint16_t>(0) + begin, run.output<float>(0) + begin, end - begin);
        } else {
          narrow(run.input<float>(0) + begin, run.output<std::uint16_t>(0) + begin, end - begin);
        }
      });
    });
  });
}

constexpr const char* fp16_cast_names = "float32 from and to float16, bfloat16";

bool accepts_narrow_cast(const NodeView& view) {
  return is_arithmetic(view.input_type(0)) && is_arithmetic(view.output_type(0));
}

template <typename Op>
KernelPtr compile_narrow_cast(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const Op op = read_op<Op>(view.node());
  const DataType from = view.input_type(0);
  const DataType to = view.output_type(0);
  Preparation preparation;
  if (from == to) preparation.view_of = 0;
  return make_kernel(row.name, [preparation,
                                cast = plan_narrow_cast(from, to, rounding_of(op), op.wraps)](
                                   const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared(preparation, [cast, count](const RunContext& run) {
      narrow_cast(cast, run.input<std::byte>(0), run.output<std::byte>(0), count, run.workers());
    });
  });
}

bool accepts_text_cast(const NodeView& view) {
  return view.input_type(0) == DataType::string || view.output_type(0) == DataType::string;
}

template <typename Op>
KernelPtr compile_text_cast(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const Op op = read_op<Op>(view.node());
  return make_dynamic_kernel(
      row.name, [rounding = rounding_of(op), to = view.output_type(0)](DynamicContext& context) {
        const Tensor& input = context.input(0);
        if (input.type() == to) {
          context.set_output(0, input.owned(context.cap()));
        } else if (to == DataType::string) {
          context.set_output(0, texts_of(input, context.cap(), context.workers()));
        } else {
          context.set_output(0, numbers_of(input, to, rounding, context.cap()));
        }
      });
}

constexpr const char* cast_type_names = "numbers, bool";
constexpr const char* narrow_type_names = "numbers of all widths, bool";
constexpr const char* text_type_names = "to or from string";

constexpr auto cast_rows = join_rows(
    isa_rows<"cast_half">("Cast", fp16_cast_names, accepts_fp16_cast, compile_fp16_cast),
    isa_rows<"cast_like_half">("CastLike", fp16_cast_names, accepts_fp16_cast, compile_fp16_cast),
    isa_rows<"cast">("Cast", cast_type_names, accepts_cast, compile_cast),
    portable_row("cast_subbyte", "Cast", narrow_type_names, accepts_narrow_cast,
                 compile_narrow_cast<Cast>),
    portable_row("cast_string", "Cast", text_type_names, accepts_text_cast,
                 compile_text_cast<Cast>),
    isa_rows<"cast_like">("CastLike", cast_type_names, accepts_cast, compile_cast),
    portable_row("cast_like_subbyte", "CastLike", narrow_type_names, accepts_narrow_cast,
                 compile_narrow_cast<CastLike>),
    portable_row("cast_like_string", "CastLike", text_type_names, accepts_text_cast,
                 compile_text_cast<CastLike>),
    isa_rows<"where">("Where", int8_type_names, accepts_where, compile_where));

}  // namespace

std::span<const KernelRow> cast_kernels() {
  return cast_rows;
}

}  // namespace ortool::cpu
