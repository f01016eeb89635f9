// Prepared matrix product: computes the pieces of each product and applies the epilogue while they
// are in cache.
#include "providers/onednn/product.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "kernels/cpu/elementwise/unfused_epilogue.hpp"
#include "kernels/cpu/epilogue/epilogue_at.hpp"
#include "kernels/cpu/gemm/f32/epilogue.hpp"
#include "kernels/cpu/gemm/f32/packed_product.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/provider/workspace_layout.hpp"

namespace ortool::onednn {
namespace {

/// Products with fewer multiplications than this share a task.
constexpr std::int64_t task_work = 500'000;

class ProductPrepared : public Prepared {
 public:
  ProductPrepared(const CompiledProduct& product, ProductWork work, const PrepareContext& context)
      : product_(product),
        work_(std::move(work)),
        partition_(partition_product(work_.shape.sizes, product.b.has_value())) {
    const cpu::GemmSizes& sizes = work_.shape.sizes;
    const bool is_empty = sizes.m == 0 || sizes.n == 0 || sizes.k == 0 || work_.offsets.empty();
    if (!is_empty) {
      primitives_ =
          find_product_primitives(work_.shape, partition_, product.b ? &*product.b : nullptr,
                                  has_bias(), *product.tools.cache);
    }
    if (primitives_) {
      for (const auto& row : *primitives_) {
        for (const PrimitivePtr& primitive : row) {
          if (primitive != nullptr)
            slot_bytes_ = std::max(slot_bytes_, (primitive->scratch_bytes() + 63) / 64 * 64);
        }
      }
      slot_count_ = std::clamp(product.max_threads, 1, cpu::WorkspaceSlots::most);
      space_ = layout_.add(slot_bytes_ * slot_count_);
    } else {
      ORTOOL_CHECK(!product.b || is_empty);
      space_ = layout_.add(cpu::gemm_batched_workspace_bytes(
          std::ssize(work_.offsets), sizes, product.tools.isa, product.max_threads));
    }
    if (product.epilogue.residual < 0) return;
    const Shape& residual =
        context.inputs[static_cast<std::size_t>(product.epilogue.residual)].shape;
    if (work_.result == residual) return;
    unfused_.emplace(work_.result, residual, product.epilogue.activation, product.epilogue.low,
                     product.epilogue.high, product.tools.isa);
    result_space_ = layout_.add(bytes_of(DataType::float32, work_.result.element_count()));
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }
  std::int64_t held_bytes() const override {
    return std::ssize(work_.offsets) * std::int64_t{sizeof(cpu::GemmOffsets)};
  }

  void run(const RunContext& context) const override {
    SizedWorkers sized(context.workers(), product_.max_threads);
    float* out = context.output<float>(0);
    float* result = unfused_ ? reinterpret_cast<float*>(context.workspace() + result_space_) : out;
    const cpu::Epilogue epilogue = make_epilogue(context);
    if (primitives_) {
      run_tiles(context, epilogue, result, sized.get());
    } else {
      run_whole(context, epilogue, result, sized.get());
    }
    if (unfused_) unfused_->run(result, residual(context), out, context.workers());
  }

 private:
  bool has_bias() const { return !product_.bias.empty(); }

  void run_tiles(const RunContext& context, const cpu::Epilogue& epilogue, float* result,
                 Workers& workers) const {
    const cpu::GemmSizes& sizes = work_.shape.sizes;
    const std::int64_t output_tiles = partition_.output_tiles();
    const std::int64_t all = output_tiles * std::ssize(work_.offsets);
    const std::int64_t each =
        std::min(sizes.m, partition_.rows) * std::min(sizes.n, partition_.columns) * sizes.k;
    const std::int64_t grain =
        std::max<std::int64_t>(task_work / std::max<std::int64_t>(each, 1), 1);
    cpu::WorkspaceSlots slots(context.workspace() + space_, slot_bytes_, slot_count_);
    workers.parallel_ranges(all, grain, [&](std::int64_t begin, std::int64_t end) {
      const cpu::WorkspaceSlots::Lease slot(slots);
      for (std::int64_t i = begin; i < end; ++i) {
        run_tile(context, epilogue, work_.offsets[static_cast<std::size_t>(i / output_tiles)],
                 i % output_tiles, slot.data(), result);
      }
    });
  }

  /// Pieces of the same columns are consecutive, so that a panel of b is reused in cache.
  void run_tile(const RunContext& context, const cpu::Epilogue& epilogue,
                const cpu::GemmOffsets& offsets, std::int64_t output_tile, std::byte* slot,
                float* result) const {
    const ProductShape& shape = work_.shape;
    const std::int64_t column_tile = output_tile / partition_.row_tiles();
    const std::int64_t row = output_tile % partition_.row_tiles() * partition_.rows;
    const std::int64_t column = column_tile * partition_.columns;
    const std::size_t row_kind = shape.sizes.m - row < partition_.rows ? 1 : 0;
    const std::size_t column_kind = shape.sizes.n - column < partition_.columns ? 1 : 0;
    float* c = result + offsets.c + row * shape.sizes.n + column;
    std::array<const void*, Primitive::max_operands> operands = {context.input<float>(0) +
                                                                 offsets.a + row * shape.a_row};
    std::size_t count = 1;
    if (product_.b) {
      operands[count++] = product_.b->bytes.data() + column_tile * product_.b->tile_bytes[0];
    } else {
      operands[count++] = context.input<float>(1) + offsets.b + column * shape.b_column;
    }
    if (has_bias()) operands[count++] = product_.bias.data() + column;
    operands[count++] = c;
    (*primitives_)[row_kind][column_kind]->run(std::span(operands).first(count), slot);

    cpu::GemmTile tile{};
    tile.c = c;
    tile.c_stride = shape.sizes.n;
    tile.rows = static_cast<std::int32_t>(partition_.rows_of(row_kind));
    tile.columns = static_cast<std::int32_t>(partition_.columns_of(column_kind));
    set_epilogue(tile, epilogue, row, column);
    if (tile.residual != nullptr) tile.residual += offsets.residual;
    if (changes_sums(epilogue)) cpu::apply_epilogue(tile, c, tile.c_stride);
  }

  /// Uses the cpu kernels for shapes for which oneDNN has no fast code.
  void run_whole(const RunContext& context, const cpu::Epilogue& given, float* result,
                 Workers& workers) const {
    const ProductShape& shape = work_.shape;
    cpu::Epilogue epilogue = given;
    if (has_bias()) {
      epilogue.addend = cpu::Addend::per_column;
      epilogue.added = product_.bias.data();
    }
    const bool a_transposed = shape.a_step != 1;
    const bool b_transposed = shape.b_column != 1;
    const cpu::StridedMatrix a{context.input<float>(0), a_transposed ? shape.a_step : shape.a_row,
                               a_transposed};
    const cpu::StridedMatrix b{context.input<float>(1), b_transposed ? shape.b_column : shape.b_row,
                               b_transposed};
    cpu::gemm_batched(work_.offsets, shape.sizes, a, b, result, shape.sizes.n, epilogue,
                      product_.tools.isa, context.workspace() + space_, workers);
  }

  cpu::Epilogue make_epilogue(const RunContext& context) const {
    cpu::Epilogue epilogue;
    epilogue.alpha = product_.alpha;
    if (work_.addend != cpu::Addend::none) {
      epilogue.addend = work_.addend;
      epilogue.beta = product_.beta;
      epilogue.added = context.input<float>(2);
      epilogue.added_stride = work_.shape.sizes.n;
    }
    if (unfused_) return epilogue;
    epilogue.activation = product_.epilogue.activation;
    epilogue.low = product_.epilogue.low;
    epilogue.high = product_.epilogue.high;
    if (product_.epilogue.residual >= 0) {
      epilogue.residual = residual(context);
      epilogue.residual_stride = work_.shape.sizes.n;
    }
    return epilogue;
  }

  const float* residual(const RunContext& context) const {
    return context.input<float>(static_cast<std::size_t>(product_.epilogue.residual));
  }

  const CompiledProduct& product_;
  ProductWork work_;
  ProductPartition partition_;
  std::optional<ProductPrimitives> primitives_;  ///< empty: the cpu kernels compute it
  WorkspaceLayout layout_;
  std::int64_t space_ = 0;
  std::int64_t slot_bytes_ = 0;
  int slot_count_ = 1;
  std::int64_t result_space_ = 0;
  std::optional<cpu::UnfusedResidual> unfused_;  ///< set if the residual must be broadcast
};

class ProductKernel : public Kernel {
 public:
  ProductKernel(std::string_view name, CompiledProduct product, ProductSizer work)
      : name_(name), product_(std::move(product)), work_(std::move(work)) {}

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const ProductPrepared>(product_, work_(context), context);
  }
  bool needs_input(std::size_t index) const override {
    if (index == 1) return !product_.b.has_value();
    if (index == 2 && product_.reads_addend) return true;
    return index == 0 || static_cast<std::int64_t>(index) == product_.epilogue.residual;
  }
  std::int64_t packed_bytes() const override {
    return (product_.b ? product_.b->bytes.size_bytes() : 0) +
           std::ssize(product_.bias) * std::int64_t{sizeof(float)};
  }

 private:
  std::string_view name_;
  CompiledProduct product_;
  ProductSizer work_;
};

/// As kernels/cpu supports it, without Gelu and Swish; the bias is added before the scaling by
/// alpha.
EpilogueSupport onednn_product_form(const NodeView& view) {
  EpilogueSupport support = product_form(view).value_or(EpilogueSupport{});
  support.has_functions = false;
  if (view.node().op_type() == "Gemm" && read_op<Gemm>(view.node()).alpha != 1.0F)
    support.channels = -1;
  return support;
}

}  // namespace

bool product_absorbs(const NodeView& group, const Node& next) {
  return can_join_epilogue(group, next, onednn_product_form(group));
}

CompiledProduct compile_product(const NodeView& view, const Tools& tools,
                                const CompileContext& context) {
  CompiledProduct product;
  product.tools = tools;
  product.max_threads = context.max_threads;
  std::optional<ProductEpilogue> epilogue = match_epilogue(view, onednn_product_form(view));
  ORTOOL_CHECK(epilogue.has_value());
  product.epilogue = std::move(*epilogue);
  for (const double shift : product.epilogue.shift)
    product.bias.push_back(static_cast<float>(shift));
  return product;
}

KernelPtr make_product_kernel(std::string_view name, CompiledProduct product, ProductSizer work) {
  return std::make_unique<const ProductKernel>(name, std::move(product), std::move(work));
}

}  // namespace ortool::onednn
