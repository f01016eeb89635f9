// Int8 MatMul kernel: what depends on constants is computed once; arrays of scales and zero points
// are set up before each product.
#include "providers/cpu/gemm/int8/matmul_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/elementwise/quantize_reference.hpp"
#include "kernels/cpu/gemm/matmul_shapes.hpp"
#include "libcore/provider/fold_epilogue.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/gemm/int8/column_params.hpp"
#include "providers/cpu/support/fused_epilogue.hpp"
#include "providers/cpu/support/quantization_params.hpp"

namespace ortool::cpu {
namespace {

/// Decided at compile time, once per node.
struct CompiledInt8MatMul {
  Int8MatMulInputs inputs;
  ProductEpilogue epilogue;
  DataType a_type = DataType::undefined;
  DataType b_type = DataType::undefined;
  DataType y_type = DataType::undefined;  ///< of QLinearMatMul's result
  bool is_integer = false;                ///< MatMulInteger
  std::uint8_t a_flip = 0;
  std::uint8_t b_flip = 0;
  Isa isa = Isa::baseline;
  ConstantInt8Columns columns;
  AlignedBuffer bias;
};

std::int64_t count_of(const PrepareContext& context, std::size_t input) {
  return context.has_input(input) ? context.inputs[input].shape.element_count() : 0;
}

class Int8MatMulPrepared : public Prepared {
 public:
  Int8MatMulPrepared(const CompiledInt8MatMul& matmul, const PrepareContext& context)
      : matmul_(matmul),
        shapes_(match_matmul(context.inputs[matmul.inputs.a].shape,
                             context.inputs[matmul.inputs.b].shape)),
        sizes_{shapes_.sizes.m, shapes_.sizes.n, shapes_.sizes.k},
        a_zeros_(count_of(context, matmul.inputs.a_zero)),
        b_zeros_(count_of(context, matmul.inputs.b_zero)),
        out_bytes_(bytes_of(context.outputs[0].type, 1)) {
    const std::int64_t row_bytes = bytes_of(DataType::int32, sizes_.m);
    const std::int64_t column_bytes = bytes_of(DataType::int32, sizes_.n);
    kernel_space_ = layout_.add(int8_matmul_workspace_bytes(sizes_, matmul.isa));
    row_space_ = layout_.add(row_bytes);
    zero_space_ = layout_.add(column_bytes);
    term_space_ = layout_.add(column_bytes);
    offset_space_ = layout_.add(column_bytes);
    scale_space_ = layout_.add(column_bytes);
    if (matmul.columns.packed == nullptr) {
      packed_space_ = layout_.add(packed_int8_matrix_bytes(sizes_.k, sizes_.n, matmul.isa));
      sum_space_ = layout_.add(column_bytes);
    }
    if (matmul.epilogue.factors >= 0)
      sum_scales_ = count_of(context, static_cast<std::size_t>(matmul.epilogue.factors));
    if (matmul.is_integer) return;
    const auto scales = [&](std::size_t input) {
      return ScaleList{context.inputs[input].type, count_of(context, input)};
    };
    a_scale_ = scales(matmul.inputs.a_scale);
    b_scale_ = scales(matmul.inputs.b_scale);
    y_scale_ = scales(matmul.inputs.y_scale);
    y_zeros_ = count_of(context, matmul.inputs.y_zero);
    scales_by_column_ = a_scale_.count == 1 && y_scale_.count == 1 && y_zeros_ <= 1;
    if (!scales_by_column_)
      result_space_ = layout_.add(multiply_sizes(row_bytes, std::max<std::int64_t>(sizes_.n, 1)));
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }

  void run(const RunContext& context) const override {
    for (const GemmOffsets& offsets : shapes_.offsets) run_product(context, offsets);
  }

 private:
  struct ScaleList {
    DataType type = DataType::float32;
    std::int64_t count = 1;

    float at(const RunContext& context, std::size_t input, std::int64_t index) const {
      if (type == DataType::float32) return context.input<float>(input)[index % count];
      double value = 0;
      read_numbers(type, context.input<std::byte>(input), index % count, 1, &value);
      return static_cast<float>(value);
    }
  };

  /// Offsets of a product within the operands: rows and columns that index the per-row and
  /// per-column arrays.
  struct Place {
    std::int64_t row;
    std::int64_t column;
    std::int64_t out_row;
    std::int64_t out;
  };

  template <typename T>
  static T* place(const RunContext& context, std::int64_t offset) {
    return reinterpret_cast<T*>(context.workspace() + offset);
  }

  void run_product(const RunContext& context, const GemmOffsets& offsets) const {
    const Place at{sizes_.k > 0 ? offsets.a / sizes_.k : 0, sizes_.k > 0 ? offsets.b / sizes_.k : 0,
                   offsets.c / std::max<std::int64_t>(sizes_.n, 1), offsets.c};
    const std::byte* packed = matmul_.columns.packed;
    const std::int32_t* sums = matmul_.columns.sums;
    if (packed == nullptr) {
      auto* own_sums = place<std::int32_t>(context, sum_space_);
      auto* own = place<std::byte>(context, packed_space_);
      const auto* b = context.input<std::uint8_t>(matmul_.inputs.b) + offsets.b;
      pack_int8_matrix(sizes_.k, sizes_.n, {.data = b, .flip = matmul_.b_flip}, matmul_.isa, own,
                       own_sums);
      packed = own;
      sums = own_sums;
    }
    Int8MatMulZeros zeros;
    const std::int32_t* added = set_zeros(context, at, sums, zeros);
    std::byte* out = context.output<std::byte>(0) + at.out * out_bytes_;
    const bool is_by_column = matmul_.is_integer ? matmul_.epilogue.to_float : scales_by_column_;
    Epilogue epilogue =
        is_by_column ? make_epilogue(context, at) : Epilogue{.output = EpilogueOutput::int32};
    epilogue.offsets = added;
    const bool is_by_both = !matmul_.is_integer && !scales_by_column_;
    void* result = is_by_both ? place<std::byte>(context, result_space_) : out;
    const Int8Rows a{context.input<std::uint8_t>(matmul_.inputs.a) + offsets.a,
                     matmul_.a_type == DataType::int8};
    int8_matmul(sizes_, a, packed, zeros, result, epilogue, matmul_.isa,
                place<std::byte>(context, kernel_space_), context.workers());
    if (is_by_both) requantize_by_both(context, at, out);
  }

  /// The per-column offsets; corrections that they cannot express go to `zeros`.
  const std::int32_t* set_zeros(const RunContext& context, const Place& at,
                                const std::int32_t* sums, Int8MatMulZeros& zeros) const {
    const Int8MatMulInputs& inputs = matmul_.inputs;
    Int8ColumnParams lists = matmul_.columns.lists;
    if (lists.terms == nullptr) {
      lists = {place<std::int32_t>(context, zero_space_),
               place<std::int32_t>(context, term_space_)};
      const auto* given = b_zeros_ > 0 ? context.input<std::uint8_t>(inputs.b_zero) : nullptr;
      set_int8_columns(lists, sizes_.n, sizes_.k, sums, matmul_.b_type, matmul_.b_flip, given,
                       b_zeros_, at.column);
    }
    if (lists.has_zeros) zeros.columns = lists.zeros;
    const auto* given = a_zeros_ > 0 ? context.input<std::uint8_t>(inputs.a_zero) : nullptr;
    auto* offsets = place<std::int32_t>(context, offset_space_);
    if (a_zeros_ > 1) {
      auto* rows = place<std::int32_t>(context, row_space_);
      for (std::int64_t i = 0; i < sizes_.m; ++i)
        rows[i] = -flipped_zero(matmul_.a_type, given, (at.row + i) % a_zeros_, matmul_.a_flip);
      zeros.rows_negated = rows;
      zeros.column_terms = lists.terms;
      std::fill_n(offsets, sizes_.n, 0);
      return offsets;
    }
    const auto zero =
        static_cast<std::uint32_t>(flipped_zero(matmul_.a_type, given, 0, matmul_.a_flip));
    for (std::int64_t i = 0; i < sizes_.n; ++i)
      offsets[i] =
          static_cast<std::int32_t>(0U - zero * static_cast<std::uint32_t>(lists.terms[i]));
    return offsets;
  }

  /// The epilogue without its offsets.
  Epilogue make_epilogue(const RunContext& context, const Place& at) const {
    const ProductEpilogue& nodes = matmul_.epilogue;
    Epilogue epilogue;
    epilogue.scales = matmul_.is_integer ? sum_scales(context) : scales(context, at.column);
    if (!nodes.to_float || nodes.divisor) epilogue.output = EpilogueOutput::int8;
    if (!nodes.to_float) {
      epilogue.range = result_range(context);
    } else if (!matmul_.is_integer) {
      const Int8Range steps = result_range(context);
      epilogue.has_steps = 1;
      epilogue.steps_low = steps.low;
      epilogue.steps_high = steps.high;
      epilogue.step = *nodes.step;
    }
    if (nodes.divisor) {
      epilogue.divisor = *nodes.divisor;
      epilogue.range = int8_range(Int8Bounds::of(nodes.type), nodes.zero_point);
    }
    if (matmul_.bias.size_bytes() > 0) {
      epilogue.addend = Addend::per_column;
      epilogue.added = matmul_.bias.as<float>();
    }
    set_residual_and_activation(epilogue, nodes, context);
    if (epilogue.residual != nullptr) epilogue.residual += at.out;
    epilogue.residual_stride = sizes_.n;
    return epilogue;
  }

  /// The range of QLinearMatMul's result.
  Int8Range result_range(const RunContext& context) const {
    const auto* zeros = context.input<std::uint8_t>(matmul_.inputs.y_zero);
    return int8_range(matmul_.epilogue.bounds, flipped_zero(matmul_.y_type, zeros, 0, 0));
  }

  /// The scales of sums that are converted to float, one per column.
  const float* sum_scales(const RunContext& context) const {
    auto* scales = place<float>(context, scale_space_);
    const auto* given = context.input<float>(static_cast<std::size_t>(matmul_.epilogue.factors));
    if (sum_scales_ > 1) return given;
    std::fill_n(scales, sizes_.n, sum_scales_ == 1 ? *given : 1.0F);
    return scales;
  }

  /// The combined scales, one per column.
  const float* scales(const RunContext& context, std::int64_t first_column) const {
    const Int8MatMulInputs& inputs = matmul_.inputs;
    auto* scales = place<float>(context, scale_space_);
    const float a = a_scale_.at(context, inputs.a_scale, 0);
    const float y = y_scale_.at(context, inputs.y_scale, 0);
    if (b_scale_.type == DataType::float32 && b_scale_.count == sizes_.n && first_column == 0) {
      const auto* b = context.input<float>(inputs.b_scale);
      for (std::int64_t i = 0; i < sizes_.n; ++i) scales[i] = a * b[i] / y;
      return scales;
    }
    for (std::int64_t i = 0; i < sizes_.n; ++i)
      scales[i] = a * b_scale_.at(context, inputs.b_scale, first_column + i) / y;
    return scales;
  }

  void requantize_by_both(const RunContext& context, const Place& at, std::byte* out) const {
    const Int8MatMulInputs& inputs = matmul_.inputs;
    const auto* sums = place<const std::int32_t>(context, result_space_);
    const Int8Bounds& bounds = matmul_.epilogue.bounds;
    const auto* y_zeros = context.input<std::uint8_t>(inputs.y_zero);
    auto* to = reinterpret_cast<std::uint8_t*>(out);
    for (std::int64_t row = 0; row < sizes_.m; ++row) {
      const float a = a_scale_.at(context, inputs.a_scale, at.row + row);
      const float y = y_scale_.at(context, inputs.y_scale, at.out_row + row);
      const std::int64_t zero = y_zeros_ > 1 ? (at.out_row + row) % y_zeros_ : 0;
      const Int8Range range = int8_range(bounds, flipped_zero(matmul_.y_type, y_zeros, zero, 0));
      for (std::int64_t i = 0; i < sizes_.n; ++i) {
        const std::int64_t place = row * sizes_.n + i;
        const float scale = a * b_scale_.at(context, inputs.b_scale, at.column + i) / y;
        const float value = static_cast<float>(sums[place]) * scale;
        const float kept = value > range.low ? std::min(value, range.high) : range.low;
        to[place] = static_cast<std::uint8_t>(static_cast<std::int32_t>(std::nearbyint(kept)) +
                                              range.zero_point);
      }
    }
  }

  const CompiledInt8MatMul& matmul_;
  MatMulShapes shapes_;
  Int8MatMulSizes sizes_;
  std::int64_t a_zeros_;  ///< number of zero points
  std::int64_t b_zeros_;
  std::int64_t y_zeros_ = 0;
  std::int64_t sum_scales_ = 0;
  std::int64_t out_bytes_;
  ScaleList a_scale_;
  ScaleList b_scale_;
  ScaleList y_scale_;
  bool scales_by_column_ = false;
  WorkspaceLayout layout_;
  std::int64_t kernel_space_ = 0;
  std::int64_t row_space_ = 0;
  std::int64_t zero_space_ = 0;
  std::int64_t term_space_ = 0;
  std::int64_t offset_space_ = 0;
  std::int64_t scale_space_ = 0;
  std::int64_t packed_space_ = 0;
  std::int64_t sum_space_ = 0;
  std::int64_t result_space_ = 0;
};

class Int8MatMulKernel : public Kernel {
 public:
  Int8MatMulKernel(const NodeView& view, const KernelRow& row, const Int8MatMulInputs& inputs,
                   const CompileContext& context)
      : name_(row.name) {
    matmul_.inputs = inputs;
    // If fused nodes have inputs of their own, these occupy the indices of omitted inputs.
    for (std::size_t* input : {&matmul_.inputs.a_zero, &matmul_.inputs.b_zero}) {
      if (view.node().input(static_cast<std::int64_t>(*input)) == nullptr)
        *input = Int8MatMulInputs::none;
    }
    matmul_.epilogue = epilogue_of(view);
    matmul_.is_integer = inputs.y_scale == Int8MatMulInputs::none;
    matmul_.isa = row.isa;
    matmul_.a_type = view.input_type(static_cast<std::int64_t>(inputs.a));
    matmul_.b_type = view.input_type(static_cast<std::int64_t>(inputs.b));
    if (!matmul_.is_integer)
      matmul_.y_type = view.input_type(static_cast<std::int64_t>(inputs.y_zero));
    matmul_.a_flip = row_flip(matmul_.a_type == DataType::int8, row.isa);
    matmul_.b_flip = matmul_.b_type == DataType::uint8 ? 128 : 0;
    matmul_.bias = shift_of(matmul_.epilogue, context.cap);
    if (const Tensor* b = view.constant(static_cast<std::int64_t>(inputs.b))) {
      const bool has_zeros = matmul_.inputs.b_zero != Int8MatMulInputs::none;
      const Tensor* zeros =
          has_zeros ? view.constant(static_cast<std::int64_t>(matmul_.inputs.b_zero)) : nullptr;
      matmul_.columns.make(*b, matmul_.b_flip, has_zeros, zeros, row.isa, context);
    }
  }

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const Int8MatMulPrepared>(matmul_, context);
  }
  bool needs_input(std::size_t index) const override {
    return index != matmul_.inputs.b || matmul_.columns.packed == nullptr;
  }
  std::int64_t packed_bytes() const override {
    return matmul_.columns.size_bytes() + matmul_.bias.size_bytes();
  }

 private:
  std::string_view name_;
  CompiledInt8MatMul matmul_;
};

}  // namespace

KernelPtr make_int8_matmul(const NodeView& view, const KernelRow& row,
                           const Int8MatMulInputs& inputs, const CompileContext& context) {
  return std::make_unique<const Int8MatMulKernel>(view, row, inputs, context);
}

}  // namespace ortool::cpu
