// Kernels for experimental operators that ONNX removed by version 1.5 and old models still use.
#include <array>

#include "kernels/cpu/data_movement/copy_strided.hpp"
#include "kernels/cpu/data_movement/fill.hpp"
#include "kernels/cpu/elementwise/cast.hpp"
#include "kernels/cpu/elementwise/image_scale.hpp"
#include "kernels/cpu/elementwise/unary.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/experimental/caffe2_ops.hpp"
#include "libcore/ops/experimental/crop.hpp"
#include "libcore/ops/experimental/dynamic_slice.hpp"
#include "libcore/ops/experimental/fill.hpp"
#include "libcore/ops/experimental/scaled_functions.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/known_operand.hpp"

namespace ortool::cpu {
namespace {

/// The kernel that `make(T{})` returns for float64 or float32; 16-bit floats go through float32.
template <typename Make>
KernelPtr make_for_floats(const NodeView& view, const KernelRow& row, Make make) {
  if (view.input_type(0) == DataType::float64) return make(double{});
  KernelPtr kernel = make(float{});
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

struct ScaledFunction {
  UnaryOp op;
  UnaryParameters parameters;
};

ScaledFunction scaled_function(const Affine& op) {
  return {UnaryOp::affine, {op.alpha, op.beta}};
}
ScaledFunction scaled_function(const ScaleOp& op) {
  return {UnaryOp::affine, {op.scale, 0}};
}
ScaledFunction scaled_function(const ScaledTanh& op) {
  return {UnaryOp::scaled_tanh, {op.alpha, op.beta}};
}
ScaledFunction scaled_function(const ParametricSoftplus& op) {
  return {UnaryOp::scaled_softplus, {op.alpha, op.beta}};
}

template <typename Op>
KernelPtr compile_scaled_function(const NodeView& view, const KernelRow& row,
                                  const CompileContext&) {
  const ScaledFunction function = scaled_function(read_op<Op>(view.node()));
  return make_for_floats(view, row, [&](auto number) {
    using T = decltype(number);
    return make_kernel(row.name, [function, isa = row.isa](const PrepareContext& context) {
      const std::int64_t count = context.inputs[0].shape.element_count();
      return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
        unary(function.op, function.parameters, run.input<T>(0), run.output<T>(0), count,
              run.workers(), isa);
      });
    });
  });
}

KernelPtr compile_image_scaler(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_for_floats(view, row, [&](auto number) {
    using T = decltype(number);
    return make_kernel(
        row.name, [op = read_op<ImageScaler>(view.node())](const PrepareContext& context) {
          const Shape& x = context.inputs[0].shape;
          const std::int64_t pixels = x.product(2, x.rank());
          return make_prepared(
              {.overwritable = {0}}, [=, images = x[0], channels = x[1]](const RunContext& run) {
                scale_image(run.input<T>(0), run.output<T>(0), images, channels, pixels, op.scale,
                            op.bias.empty() ? nullptr : op.bias.data(), run.workers());
              });
        });
  });
}

KernelPtr compile_gru_unit(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_for_floats(view, row, [&](auto number) {
    using T = decltype(number);
    return make_kernel(row.name, [op = read_op<GRUUnit>(view.node()),
                                  isa = row.isa](const PrepareContext& context) {
      const Shape& hidden = context.inputs[0].shape;
      const std::int64_t size = hidden.rank() == 0 ? 0 : hidden[hidden.rank() - 1];
      const std::int64_t rows = size == 0 ? 0 : hidden.element_count() / size;
      const std::int64_t counts[] = {hidden.element_count(), multiply_sizes(3, rows * size), rows,
                                     1};
      for (std::size_t i = 0; i < 4; ++i) {
        const std::int64_t found = context.inputs[i].shape.element_count();
        if (found == counts[i] || (i == 0 && rows == 0)) continue;
        throw Error(ErrorCode::invalid,
                    format("input {} holds {} elements (expected {})", i, found, counts[i]));
      }
      return make_prepared({}, [=](const RunContext& run) {
        gru_unit(run.input<T>(0), run.input<T>(1), run.input<T>(2), *run.input<T>(3),
                 op.drops_states, run.output<T>(0), rows, size, isa, run.workers());
      });
    });
  });
}

/// A copy to the output's shape, starting at `start` along each axis.
PreparedPtr prepare_part(const PrepareContext& context, const std::vector<std::int64_t>& starts) {
  const Shape& x = context.inputs[0].shape;
  std::vector<std::int64_t> strides(starts.size());
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    strides[i] = x.product(static_cast<std::int64_t>(i) + 1, x.rank());
    offset += starts[i] * strides[i];
  }
  const Shape& y = context.outputs[0].shape;
  return make_prepared(
      {}, [=, sizes = std::vector<std::int64_t>(y.begin(), y.end()),
           bytes = element_bits(context.inputs[0].type) / 8](const RunContext& run) {
        copy_strided(run.input<std::byte>(0) + offset * bytes, run.output<std::byte>(0), sizes,
                     strides, bytes, run.workers());
      });
}

KernelPtr compile_crop(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [op = read_op<Crop>(view.node())](const PrepareContext& context) {
    return prepare_part(context, {0, 0, op.top, op.left});
  });
}

KernelPtr compile_dynamic_slice(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(
      row.name, [op = read_op<DynamicSlice>(view.node())](const PrepareContext& context) {
        const std::vector<Slice::Range> ranges =
            Slice::ranges(context.inputs[0].shape, required_operand(context, op.starts, "starts"),
                          required_operand(context, op.ends, "ends"),
                          known_operand(context, op.axes, "axes"), std::nullopt);
        std::vector<std::int64_t> starts;
        for (const Slice::Range& range : ranges) starts.push_back(range.start);
        return prepare_part(context, starts);
      });
}

KernelPtr compile_constant_fill(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(
      row.name, [op = read_op<ConstantFill>(view.node())](const PrepareContext& context) {
        const std::int64_t count = context.outputs[0].shape.element_count();
        std::array<std::byte, 8> element = {};
        Workers alone;
        cast(DataType::float32, &op.value, op.element, element.data(), 1, alone);
        return make_prepared({}, [=, bytes = element_bits(op.element) / 8](const RunContext& run) {
          fill(element.data(), run.output<std::byte>(0), count, bytes, run.workers());
        });
      });
}

KernelPtr compile_given_fill(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(
      row.name, [op = read_op<GivenTensorFill>(view.node())](const PrepareContext& context) {
        const std::int64_t count = context.outputs[0].shape.element_count();
        if (count != static_cast<std::int64_t>(op.values.size())) {
          throw Error(ErrorCode::invalid,
                      format("there are {} values for {} elements", op.values.size(), count));
        }
        return make_prepared({}, [=, type = context.outputs[0].type](const RunContext& run) {
          cast(DataType::float32, op.values.data(), type, run.output<std::byte>(0), count,
               run.workers());
        });
      });
}

bool accepts_everything(const NodeView&) {
  return true;
}

constexpr auto experimental_rows = join_rows(
    isa_rows<"affine">("Affine", float_type_names, accepts_floats, compile_scaled_function<Affine>),
    portable_row("constant_fill", "ConstantFill", "float32, int32, int64, bool", accepts_everything,
                 compile_constant_fill),
    portable_row("crop", "Crop", float_type_names, accepts_floats, compile_crop),
    portable_row("dynamic_slice", "DynamicSlice", int8_type_names, accepts_whole_bytes,
                 compile_dynamic_slice),
    portable_row("given_tensor_fill", "GivenTensorFill", float_type_names, accepts_everything,
                 compile_given_fill),
    isa_rows<"gru_unit">("GRUUnit", float_type_names, accepts_floats, compile_gru_unit),
    portable_row("image_scaler", "ImageScaler", float_type_names, accepts_floats,
                 compile_image_scaler),
    isa_rows<"parametric_softplus">("ParametricSoftplus", float_type_names, accepts_floats,
                                    compile_scaled_function<ParametricSoftplus>),
    isa_rows<"scale">("Scale", float_type_names, accepts_floats, compile_scaled_function<ScaleOp>),
    isa_rows<"scaled_tanh">("ScaledTanh", float_type_names, accepts_floats,
                            compile_scaled_function<ScaledTanh>));

}  // namespace

std::span<const KernelRow> experimental_kernels() {
  return experimental_rows;
}

}  // namespace ortool::cpu
