// Kernels for Constant, ConstantOfShape, Range, Shape and Size: generated outputs.
#include <array>
#include <cstring>

#include "kernels/cpu/data_movement/fill.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/generator/constant.hpp"
#include "libcore/ops/generator/constant_of_shape.hpp"
#include "libcore/ops/generator/range.hpp"
#include "libcore/ops/tensor/layout/shape_op.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

bool accepts_stored_output(const NodeView& view) {
  return element_bits(view.output_type(0)) > 0;
}
bool accepts_whole_output(const NodeView& view) {
  return has_whole_bytes(view.output_type(0));
}

/// Converts a sparse tensor to dense: stores the elements of `sparse` in the zero-filled output.
void write_dense(const SparseTensor& sparse, std::byte* out) {
  const std::int64_t element_bytes = element_bits(sparse.values.type()) / 8;
  const auto size = static_cast<std::size_t>(element_bytes);
  std::memset(out, 0, static_cast<std::size_t>(sparse.dimensions.element_count()) * size);
  for (std::int64_t k = 0; k < sparse.values.element_count(); ++k) {
    std::memcpy(out + dense_position(sparse, k) * element_bytes,
                sparse.values.bytes() + k * element_bytes, size);
  }
}

KernelPtr compile_constant(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const Constant op = read_op<Constant>(view.node());
  if (op.sparse != nullptr) {
    return make_kernel(row.name, [sparse = *op.sparse](const PrepareContext&) {
      return make_prepared(
          {}, [sparse](const RunContext& run) { write_dense(sparse, run.output<std::byte>(0)); });
    });
  }
  return make_kernel(row.name, [value = op.value](const PrepareContext&) {
    return make_prepared({}, [value](const RunContext& run) {
      if (value.size_bytes() == 0) return;
      std::memcpy(run.output<std::byte>(0), value.bytes(),
                  static_cast<std::size_t>(value.size_bytes()));
    });
  });
}

bool accepts_constant_strings(const NodeView& view) {
  return view.output_type(0) == DataType::string &&
         view.node().find_attribute("sparse_value") == nullptr;
}

KernelPtr compile_constant_strings(const NodeView& view, const KernelRow& row,
                                   const CompileContext&) {
  return make_dynamic_kernel(
      row.name, [value = read_op<Constant>(view.node()).value](DynamicContext& context) {
        context.set_output(0, value);
      });
}

bool accepts_constant(const NodeView& view) {
  // Packed types have no byte per element, which a sparse value needs.
  const bool is_sparse = view.node().find_attribute("sparse_value") != nullptr;
  return is_sparse ? accepts_whole_output(view) : accepts_stored_output(view);
}

KernelPtr compile_constant_of_shape(const NodeView& view, const KernelRow& row,
                                    const CompileContext&) {
  const Tensor value = read_op<ConstantOfShape>(view.node()).value;
  return make_kernel(row.name, [value](const PrepareContext& context) {
    const std::int64_t count = context.outputs[0].shape.element_count();
    return make_prepared({}, [value, count](const RunContext& run) {
      fill(value.bytes(), run.output<std::byte>(0), count, value.size_bytes(), run.workers());
    });
  });
}

bool accepts_range(const NodeView& view) {
  const DataType type = view.input_type(0);
  return types::floats.contains(type) || type == DataType::int16 || type == DataType::int32 ||
         type == DataType::int64;
}

KernelPtr compile_range(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext& context) {
    const DataType type = context.outputs[0].type;
    const std::int64_t count = context.outputs[0].shape.element_count();
    return make_prepared({}, [type, count](const RunContext& run) {
      dispatch_data_type(type, [&](auto number) {
        using T = decltype(number);
        constexpr bool is_taken = !std::is_integral_v<T> || std::is_same_v<T, std::int16_t> ||
                                  std::is_same_v<T, std::int32_t> ||
                                  std::is_same_v<T, std::int64_t>;
        if constexpr (is_taken)
          fill_range<T>(*run.input<T>(0), *run.input<T>(2), run.output<T>(0), count, run.workers());
      });
    });
  });
}

KernelPtr compile_shape(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [op = read_op<ShapeOp>(view.node())](const PrepareContext& context) {
    const Shape& shape = context.inputs[0].shape;
    const ShapeOp::Span part = op.span(shape.rank());
    const std::vector<std::int64_t> values(shape.begin() + part.first, shape.begin() + part.last);
    return make_prepared({}, [values](const RunContext& run) {
      std::copy(values.begin(), values.end(), run.output<std::int64_t>(0));
    });
  });
}

KernelPtr compile_size(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared({},
                         [count](const RunContext& run) { *run.output<std::int64_t>(0) = count; });
  });
}

constexpr auto generator_rows = join_rows(
    portable_row("constant", "Constant", stored_type_names, accepts_constant, compile_constant),
    portable_row("constant_string", "Constant", "string", accepts_constant_strings,
                 compile_constant_strings),
    portable_row("constant_of_shape", "ConstantOfShape", int8_type_names, accepts_whole_output,
                 compile_constant_of_shape),
    portable_row("range", "Range", "float32, float64, float16, bfloat16, int16, int32, int64",
                 accepts_range, compile_range),
    portable_row("shape", "Shape", stored_type_names, accepts_stored, compile_shape),
    portable_row("size", "Size", stored_type_names, accepts_stored, compile_size));

}  // namespace

std::span<const KernelRow> generator_kernels() {
  return generator_rows;
}

}  // namespace ortool::cpu
