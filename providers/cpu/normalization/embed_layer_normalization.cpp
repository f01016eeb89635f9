// Kernels for EmbedLayerNormalization: adds and normalizes each token's embeddings in one pass.
#include "libcore/ops/nn/normalization/embed_layer_normalization.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/cpu/data_movement/gather.hpp"
#include "kernels/cpu/normalization/normalize.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

constexpr std::size_t max_terms = ortool::EmbedLayerNormalization::max_terms;
constexpr std::int64_t task_floats = 16384;

/// Location of the row that one addend contributes to a token.
struct EmbeddingTerm {
  std::size_t table = 0;                   ///< the input
  DataType indices = DataType::undefined;  ///< undefined: rows are used in order
  std::int64_t row_count = 0;              ///< of the table
  /// Strides between tokens along the token dimensions; 0 where the addend is broadcast.
  std::vector<std::int64_t> steps;
};

/// The addend at input `table` for the token dimensions `tokens`.
EmbeddingTerm make_term(const PrepareContext& context, std::size_t table,
                        std::span<const std::int64_t> tokens) {
  const Shape& rows = context.inputs[table].shape;
  EmbeddingTerm term;
  term.table = table;
  term.row_count = rows.product(0, rows.rank() - 1);
  auto places = rows.dimensions().first(static_cast<std::size_t>(rows.rank() - 1));
  if (context.has_input(table + 1)) {
    term.indices = context.inputs[table + 1].type;
    places = context.inputs[table + 1].shape.dimensions();
  }
  term.steps.resize(tokens.size());
  std::int64_t step = 1;
  for (std::size_t i = 1; i <= places.size(); ++i) {
    const std::int64_t count = places[places.size() - i];
    if (count != 1) term.steps[tokens.size() - i] = step;
    step *= count;
  }
  return term;
}

/// The table row of the token at `place`. Throws like Gather for an index out of range.
std::int64_t row_at(const EmbeddingTerm& term, const RunContext& run, std::int64_t place) {
  switch (term.indices) {
    case DataType::int64:
      return checked_index(run.input<std::int64_t>(term.table + 1)[place], term.row_count, place);
    case DataType::int32:
      return checked_index(run.input<std::int32_t>(term.table + 1)[place], term.row_count, place);
    default:
      return place;
  }
}

class EmbedLayerPrepared : public Prepared {
 public:
  EmbedLayerPrepared(const ortool::EmbedLayerNormalization& op, Isa isa,
                     const PrepareContext& context)
      : epsilon_(op.epsilon), isa_(isa) {
    const Shape& shape = context.outputs[0].shape;
    size_ = shape[shape.rank() - 1];
    const auto tokens = shape.dimensions().first(static_cast<std::size_t>(shape.rank() - 1));
    tokens_.assign(tokens.begin(), tokens.end());
    token_count_ = shape.product(0, shape.rank() - 1);
    for (std::size_t i = 0; i < max_terms; ++i) {
      const std::size_t table = ortool::EmbedLayerNormalization::first_table + 2 * i;
      if (context.has_input(table)) terms_.push_back(make_term(context, table, tokens));
    }
  }

  void run(const RunContext& context) const override {
    cpu::LayerNormalization layer;
    layer.scale = context.input<float>(0);
    layer.bias = context.input<float>(1);
    layer.rows = 1;
    layer.size = size_;
    layer.epsilon = epsilon_;
    auto* out = context.output<float>(0);
    auto* sum = context.output<float>(1);
    const std::int64_t grain =
        std::max<std::int64_t>(1, task_floats / std::max<std::int64_t>(1, size_));
    context.workers().parallel_ranges(
        token_count_, grain, [&](std::int64_t begin, std::int64_t end) {
          cpu::LayerNormalization token = layer;
          for (std::int64_t i = begin; i < end; ++i) {
            std::array<const float*, max_terms> rows = {};
            for (std::size_t k = 0; k < terms_.size(); ++k) {
              const std::int64_t row = row_at(terms_[k], context, place_of(terms_[k], i));
              rows[k] = context.input<float>(terms_[k].table) + row * size_;
            }
            token.in = rows[0];
            token.skip = rows[1];
            token.skip_bias = rows[2];
            token.out = out + i * size_;
            token.sum = sum != nullptr ? sum + i * size_ : nullptr;
            layer_normalization(token, context.workers(), isa_);
          }
        });
  }

 private:
  std::int64_t place_of(const EmbeddingTerm& term, std::int64_t token) const {
    std::int64_t place = 0;
    for (std::size_t i = tokens_.size(); i-- > 0; token /= tokens_[i])
      place += token % tokens_[i] * term.steps[i];
    return place;
  }

  float epsilon_;
  Isa isa_;
  std::int64_t size_ = 0;
  std::int64_t token_count_ = 0;
  std::vector<std::int64_t> tokens_;
  std::vector<EmbeddingTerm> terms_;
};

/// Accepts float32 tables with any index type.
bool accepts_embed_layer(const NodeView& view) {
  return accepts_float32(view);
}

KernelPtr compile_embed_layer(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<ortool::EmbedLayerNormalization>(view.node());
  return make_kernel(row.name, [op, isa = row.isa](const PrepareContext& context) -> PreparedPtr {
    return std::make_unique<const EmbedLayerPrepared>(op, isa, context);
  });
}

constexpr auto embed_layer_rows = isa_rows<"embed_layer_normalization_f32">(
    "EmbedLayerNormalization", "float32", accepts_embed_layer, compile_embed_layer, "ortool");

}  // namespace

std::span<const KernelRow> embed_layer_normalization_kernels() {
  return embed_layer_rows;
}

}  // namespace ortool::cpu
