// Kernel rows of MatMulInteger, with the scaling of its sums behind it, and of QLinearMatMul.
#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/cpu/matmul_bytes.hpp"
#include "kernels/cpu/matmul_shapes.hpp"
#include "kernels/cpu/quantize_numbers.hpp"
#include "libcore/ops/quantization/qlinear_matmul.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/runtime/workspace_layout.hpp"
#include "providers/cpu/accepts.hpp"
#include "providers/cpu/byte_numbers.hpp"
#include "providers/cpu/function_kernel.hpp"
#include "providers/cpu/kernel_files.hpp"
#include "providers/cpu/level_rows.hpp"
#include "providers/cpu/number_matmul.hpp"
#include "providers/cpu/scaled_sums.hpp"

namespace ortool::cpu {
namespace {

/// Where the operands stand; -1 where the operator has no such.
struct ByteMatMulInputs {
  std::size_t a = 0;
  std::int64_t a_scale = -1;
  std::size_t a_zero = 2;
  std::size_t b = 1;
  std::int64_t b_scale = -1;
  std::size_t b_zero = 3;
  std::int64_t y_scale = -1;
  std::size_t y_zero = 0;
};

/// A position that no node has: the operand is left out.
constexpr std::size_t left_out = static_cast<std::size_t>(-1);

constexpr ByteMatMulInputs integer_product = {};
constexpr ByteMatMulInputs linear_product = {0, 1, 2, 3, 4, 5, 6, 7};

/// What is decided once a node.
struct CompiledByteMatMul {
  ByteMatMulInputs inputs;
  ScaledSums sums;
  DataType a_type = DataType::undefined;
  DataType b_type = DataType::undefined;
  DataType y_type = DataType::int32;
  std::uint8_t a_flip = 0;
  std::uint8_t b_flip = 0;
  Isa isa = Isa::baseline;
  AlignedBuffer b;  ///< packed, then the columns' sums
  std::int64_t sums_offset = 0;
  bool has_b = false;
};

std::int64_t count_of(const PrepareContext& context, std::size_t input) {
  return context.has_input(input) ? context.inputs[input].shape.element_count() : 0;
}

class ByteMatMulPrepared : public Prepared {
 public:
  ByteMatMulPrepared(const CompiledByteMatMul& matmul, const PrepareContext& context)
      : matmul_(matmul),
        shapes_(match_matmul(context.inputs[matmul.inputs.a].shape,
                             context.inputs[matmul.inputs.b].shape)),
        sizes_{shapes_.sizes.m, shapes_.sizes.n, shapes_.sizes.k},
        a_zeros_(count_of(context, matmul.inputs.a_zero)),
        b_zeros_(count_of(context, matmul.inputs.b_zero)) {
    const std::int64_t row_bytes = bytes_of(DataType::int32, sizes_.m);
    const std::int64_t column_bytes = bytes_of(DataType::int32, sizes_.n);
    kernel_space_ = layout_.add(byte_matmul_workspace_bytes(sizes_, matmul.isa));
    row_space_ = layout_.add(row_bytes);
    column_space_ = layout_.add(column_bytes);
    term_space_ = layout_.add(column_bytes);
    offset_space_ = layout_.add(column_bytes);
    scale_space_ = layout_.add(column_bytes);
    if (!matmul.has_b) {
      packed_space_ = layout_.add(packed_byte_matrix_bytes(sizes_.k, sizes_.n, matmul.isa));
      sum_space_ = layout_.add(column_bytes);
    }
    if (matmul.sums.scale >= 0)
      sum_scales_ = count_of(context, static_cast<std::size_t>(matmul.sums.scale));
    if (matmul.inputs.y_scale < 0) return;
    const auto scales = [&](std::int64_t input) {
      return ScaleList{context.inputs[static_cast<std::size_t>(input)].type,
                       count_of(context, static_cast<std::size_t>(input))};
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

    float at(const RunContext& context, std::int64_t input, std::int64_t index) const {
      double value = 0;
      read_numbers(type, context.input<std::byte>(static_cast<std::size_t>(input)), index % count,
                   1, &value);
      return static_cast<float>(value);
    }
  };

  template <typename T>
  static T* place(const RunContext& context, std::int64_t offset) {
    return reinterpret_cast<T*>(context.workspace() + offset);
  }

  void run_product(const RunContext& context, const GemmOffsets& offsets) const {
    const ByteMatMulInputs& inputs = matmul_.inputs;
    // The rows and columns of the operands as wholes, by which lists of numbers go.
    const std::int64_t first_row = sizes_.k > 0 ? offsets.a / sizes_.k : 0;
    const std::int64_t first_column = sizes_.k > 0 ? offsets.b / sizes_.k : 0;
    const auto* a = context.input<std::uint8_t>(inputs.a) + offsets.a;
    const std::byte* packed = matmul_.b.data();
    const auto* sums = reinterpret_cast<const std::int32_t*>(packed + matmul_.sums_offset);
    if (!matmul_.has_b) {
      auto* own_sums = place<std::int32_t>(context, sum_space_);
      auto* own = place<std::byte>(context, packed_space_);
      pack_byte_matrix(
          sizes_.k, sizes_.n,
          {.data = context.input<std::uint8_t>(inputs.b) + offsets.b, .flip = matmul_.b_flip},
          matmul_.isa, own, own_sums);
      packed = own;
      sums = own_sums;
    }
    ByteMatMulZeros zeros;
    ByteEpilogue epilogue;
    epilogue.column_offsets = set_zeros(context, first_row, first_column, sums, zeros);
    epilogue.out_stride = sizes_.n;
    const bool is_integer = inputs.y_scale < 0;
    std::byte* out = context.output<std::byte>(0) + offsets.c * (is_integer ? 4 : 1);
    epilogue.out = out;
    if (matmul_.sums.is_float) {
      epilogue.kind = ByteEpilogue::Kind::floats_by_column;
      epilogue.scales = set_sum_scales(context);
    } else if (!is_integer && scales_by_column_) {
      epilogue.kind = ByteEpilogue::Kind::bytes_by_column;
      epilogue.scales = set_scales(context, first_column);
      epilogue.range = ByteLimits::of(matmul_.y_type)
                           .range(flipped_zero(matmul_.y_type,
                                               context.input<std::uint8_t>(inputs.y_zero), 0, 0));
    } else if (!is_integer) {
      epilogue.out = place<std::byte>(context, result_space_);
    }
    byte_matmul(sizes_, a, matmul_.a_flip, packed, zeros, epilogue, matmul_.isa,
                place<std::byte>(context, kernel_space_), context.workers());
    if (!is_integer && !scales_by_column_)
      requantize_by_both(context, first_row, first_column,
                         offsets.c / std::max<std::int64_t>(sizes_.n, 1), out);
  }

  /// The offsets of columns, and in `zeros` what they cannot say.
  const std::int32_t* set_zeros(const RunContext& context, std::int64_t first_row,
                                std::int64_t first_column, const std::int32_t* sums,
                                ByteMatMulZeros& zeros) const {
    const ByteMatMulInputs& inputs = matmul_.inputs;
    const auto* a_zeros = a_zeros_ > 0 ? context.input<std::uint8_t>(inputs.a_zero) : nullptr;
    const auto* b_zeros = b_zeros_ > 0 ? context.input<std::uint8_t>(inputs.b_zero) : nullptr;
    auto* columns = place<std::int32_t>(context, column_space_);
    auto* terms = place<std::int32_t>(context, term_space_);
    const auto k = static_cast<std::uint32_t>(sizes_.k);
    bool has_columns = false;
    for (std::int64_t i = 0; i < sizes_.n; ++i) {
      columns[i] = flipped_zero(matmul_.b_type, b_zeros,
                                b_zeros_ > 1 ? (first_column + i) % b_zeros_ : 0, matmul_.b_flip);
      has_columns = has_columns || columns[i] != 0;
      terms[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) -
                                           k * static_cast<std::uint32_t>(columns[i]));
    }
    if (has_columns) zeros.columns = columns;
    auto* offsets = place<std::int32_t>(context, offset_space_);
    if (a_zeros_ > 1) {
      auto* rows = place<std::int32_t>(context, row_space_);
      for (std::int64_t i = 0; i < sizes_.m; ++i)
        rows[i] =
            -flipped_zero(matmul_.a_type, a_zeros, (first_row + i) % a_zeros_, matmul_.a_flip);
      zeros.rows_negated = rows;
      zeros.column_terms = terms;
      std::fill_n(offsets, sizes_.n, 0);
      return offsets;
    }
    const auto zero =
        static_cast<std::uint32_t>(flipped_zero(matmul_.a_type, a_zeros, 0, matmul_.a_flip));
    for (std::int64_t i = 0; i < sizes_.n; ++i)
      offsets[i] = static_cast<std::int32_t>(0U - zero * static_cast<std::uint32_t>(terms[i]));
    return offsets;
  }

  /// The factors of sums that become floats, one for each column.
  const float* set_sum_scales(const RunContext& context) const {
    auto* scales = place<float>(context, scale_space_);
    const auto* given = context.input<float>(static_cast<std::size_t>(matmul_.sums.scale));
    if (sum_scales_ > 1) return given;
    std::fill_n(scales, sizes_.n, sum_scales_ == 1 ? *given : 1.0F);
    return scales;
  }

  /// One for each column, from one of each other operand.
  const float* set_scales(const RunContext& context, std::int64_t first_column) const {
    const ByteMatMulInputs& inputs = matmul_.inputs;
    auto* scales = place<float>(context, scale_space_);
    const float a = a_scale_.at(context, inputs.a_scale, 0);
    const float y = y_scale_.at(context, inputs.y_scale, 0);
    for (std::int64_t i = 0; i < sizes_.n; ++i)
      scales[i] = a * b_scale_.at(context, inputs.b_scale, first_column + i) / y;
    return scales;
  }

  void requantize_by_both(const RunContext& context, std::int64_t first_row,
                          std::int64_t first_column, std::int64_t out_row, std::byte* out) const {
    const ByteMatMulInputs& inputs = matmul_.inputs;
    const auto* sums = place<const std::int32_t>(context, result_space_);
    const ByteLimits limits = ByteLimits::of(matmul_.y_type);
    const auto* y_zeros = context.input<std::uint8_t>(inputs.y_zero);
    auto* to = reinterpret_cast<std::uint8_t*>(out);
    for (std::int64_t row = 0; row < sizes_.m; ++row) {
      const float a = a_scale_.at(context, inputs.a_scale, first_row + row);
      const float y = y_scale_.at(context, inputs.y_scale, out_row + row);
      const ByteRange range = limits.range(
          flipped_zero(matmul_.y_type, y_zeros, y_zeros_ > 1 ? (out_row + row) % y_zeros_ : 0, 0));
      for (std::int64_t i = 0; i < sizes_.n; ++i) {
        const std::int64_t at = row * sizes_.n + i;
        const float scale = a * b_scale_.at(context, inputs.b_scale, first_column + i) / y;
        const float value = static_cast<float>(sums[at]) * scale;
        const float kept = value > range.low ? std::min(value, range.high) : range.low;
        to[at] = static_cast<std::uint8_t>(static_cast<std::int32_t>(std::nearbyint(kept)) +
                                           range.zero_point);
      }
    }
  }

  const CompiledByteMatMul& matmul_;
  MatMulShapes shapes_;
  ByteMatMulSizes sizes_;
  std::int64_t a_zeros_;  ///< how many there are
  std::int64_t b_zeros_;
  std::int64_t y_zeros_ = 0;
  std::int64_t sum_scales_ = 0;
  ScaleList a_scale_;
  ScaleList b_scale_;
  ScaleList y_scale_;
  bool scales_by_column_ = false;
  WorkspaceLayout layout_;
  std::int64_t kernel_space_ = 0;
  std::int64_t row_space_ = 0;
  std::int64_t column_space_ = 0;
  std::int64_t term_space_ = 0;
  std::int64_t offset_space_ = 0;
  std::int64_t scale_space_ = 0;
  std::int64_t packed_space_ = 0;
  std::int64_t sum_space_ = 0;
  std::int64_t result_space_ = 0;
};

class ByteMatMulKernel : public Kernel {
 public:
  ByteMatMulKernel(const NodeView& view, const KernelRow& row, const ByteMatMulInputs& inputs,
                   const CompileContext& context)
      : name_(row.name) {
    matmul_.inputs = inputs;
    // Where followers read operands of their own, those stand in the place of what is left out.
    const std::int64_t given = view.node().input_count();
    if (static_cast<std::int64_t>(inputs.a_zero) >= given) matmul_.inputs.a_zero = left_out;
    if (static_cast<std::int64_t>(inputs.b_zero) >= given) matmul_.inputs.b_zero = left_out;
    const std::optional<ScaledSums> sums =
        inputs.y_scale < 0 ? read_scaled_sums(view) : ScaledSums();
    ORTOOL_CHECK(sums.has_value());
    matmul_.sums = *sums;
    matmul_.isa = row.isa;
    matmul_.a_type = view.input_type(static_cast<std::int64_t>(inputs.a));
    matmul_.b_type = view.input_type(static_cast<std::int64_t>(inputs.b));
    if (inputs.y_scale >= 0)
      matmul_.y_type = view.input_type(static_cast<std::int64_t>(inputs.y_zero));
    matmul_.a_flip = matmul_.a_type == DataType::int8 ? 128 : 0;
    matmul_.b_flip = matmul_.b_type == DataType::uint8 ? 128 : 0;
    pack(view, context);
  }

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const ByteMatMulPrepared>(matmul_, context);
  }
  bool needs_input(std::size_t index) const override {
    return index != matmul_.inputs.b || !matmul_.has_b;
  }
  std::int64_t packed_bytes() const override { return matmul_.b.size_bytes(); }

 private:
  void pack(const NodeView& view, const CompileContext& context) {
    const Tensor* b = view.constant(static_cast<std::int64_t>(matmul_.inputs.b));
    if (b == nullptr || b->shape().rank() == 0) return;
    const Shape& shape = b->shape();
    const std::int64_t rank = shape.rank();
    if (rank > 2 && shape.product(0, rank - 2) != 1) return;
    const std::int64_t n = rank == 1 ? 1 : shape[rank - 1];
    const std::int64_t k = rank == 1 ? shape[0] : shape[rank - 2];
    matmul_.sums_offset = packed_byte_matrix_bytes(k, n, matmul_.isa);
    matmul_.b = AlignedBuffer(matmul_.sums_offset + bytes_of(DataType::int32, n), context.cap,
                              "packed weights");
    pack_byte_matrix(
        k, n, {.data = reinterpret_cast<const std::uint8_t*>(b->bytes()), .flip = matmul_.b_flip},
        matmul_.isa, matmul_.b.data(),
        reinterpret_cast<std::int32_t*>(matmul_.b.data() + matmul_.sums_offset));
    matmul_.has_b = true;
  }

  std::string_view name_;
  CompiledByteMatMul matmul_;
};

KernelPtr compile_matmul_integer(const NodeView& view, const KernelRow& row,
                                 const CompileContext& context) {
  return std::make_unique<const ByteMatMulKernel>(view, row, integer_product, context);
}

KernelPtr compile_qlinear_matmul(const NodeView& view, const KernelRow& row,
                                 const CompileContext& context) {
  return std::make_unique<const ByteMatMulKernel>(view, row, linear_product, context);
}

/// Operands of any type that QLinearMatMul has, in double.
KernelPtr compile_number_matmul(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext& context) {
    MatMulShapes shapes = match_matmul(context.inputs[0].shape, context.inputs[3].shape);
    std::array<NumberList, 8> lists;
    for (std::size_t i = 0; i < lists.size(); ++i)
      lists[i] = {context.inputs[i].type, context.inputs[i].shape.element_count()};
    return make_prepared({}, [lists, shapes = std::move(shapes)](const RunContext& run) {
      multiply_numbers(lists, shapes, run);
    });
  });
}

bool accepts_any_bytes(const NodeView&) {
  return true;
}

bool accepts_linear_bytes(const NodeView& view) {
  for (const std::int64_t input : {0, 3, 7}) {
    if (!types::bytes.contains(view.input_type(input))) return false;
  }
  return true;
}

constexpr std::array<KernelRow, 3> scaling_rows() {
  auto rows = level_rows<"matmul_integer">("MatMulInteger", "int8, uint8", accepts_any_bytes,
                                           compile_matmul_integer);
  for (KernelRow& row : rows) row.absorbs = absorbs_scaled_sums;
  return rows;
}

constexpr auto quantized_matmul_rows =
    join_rows(scaling_rows(),
              level_rows<"qlinear_matmul">("QLinearMatMul", "int8, uint8", accepts_linear_bytes,
                                           compile_qlinear_matmul),
              plain_row("qlinear_matmul_numbers", "QLinearMatMul", "float8", accepts_any_bytes,
                        compile_number_matmul));

}  // namespace

std::span<const KernelRow> quantized_matmul_kernels() {
  return quantized_matmul_rows;
}

}  // namespace ortool::cpu
