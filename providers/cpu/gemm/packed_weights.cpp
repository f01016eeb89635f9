// Packed weights; the sizes of a fused Split follow from the types of its outputs.
#include "providers/cpu/gemm/packed_weights.hpp"

#include <array>

#include "kernels/cpu/gemm/f32/pack_b_once.hpp"
#include "kernels/cpu/gemm/fp16_weights/gemm.hpp"
#include "kernels/cpu/isa/built_features.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/split.hpp"
#include "libcore/provider/cache/derived_store.hpp"
#include "providers/cpu/support/float_constant.hpp"

namespace ortool::cpu {
namespace {

bool is_split(const Node& node) {
  return node.domain().empty() && node.op_type() == "Split";
}

/// Columns of a part; -1: unknown.
std::int64_t columns_of(const Value* part) {
  if (part == nullptr || !part->type().is_tensor()) return -1;
  const PartialShape& shape = part->type().shape;
  return shape && !shape->empty() && shape->back().is_known() ? shape->back().number() : -1;
}

bool is_along_columns(const Node& split) {
  const PartialShape& shape = split.input(0)->type().shape;
  if (!split.input(0)->type().is_tensor() || !shape) return false;
  const auto rank = static_cast<std::int64_t>(shape->size());
  const std::int64_t axis = read_op<Split>(split).axis;
  return rank >= 2 && (axis == -1 || axis == rank - 1);
}

bool ends_in_split(const NodeView& group) {
  return is_split(*group.members().back());
}

bool can_hand_out(const NodeView& group, const Node& split) {
  const Tensor* weights = group.constant(1);
  if (weights == nullptr || weights->shape().rank() != 2 || !is_float_like(weights->type()))
    return false;
  if (split.input(0) != group.members().back()->output(0) || !is_along_columns(split) ||
      split.output_count() > static_cast<std::int64_t>(max_gemm_columns))
    return false;
  for (std::int64_t i = 0; i < split.output_count(); ++i) {
    if (columns_of(split.output(i)) < 1) return false;
  }
  return epilogue_before_split(group).residual < 0;
}

/// What the weights of a product are kept in.
DataType kept_type(const NodeView& group, std::int64_t k, std::int64_t n, GemmKind kind,
                   const CompileContext& context) {
  if (!has_16_bit_floats || kind.operands != Precision::float32 ||
      !keeps_fp16_weights(k, n, kind.isa))
    return DataType::float32;
  const auto find = [&] {
    return static_cast<std::int64_t>(lossless_fp16(*group.constant(1)).value_or(DataType::float32));
  };
  return static_cast<DataType>(context.derived != nullptr ? context.derived->number(find) : find());
}

}  // namespace

bool absorbs_epilogue_or_split(const NodeView& group, const Node& next) {
  if (ends_in_split(group)) return false;
  return is_split(next) ? can_hand_out(group, next) : absorbs_epilogue(group, next);
}

ProductEpilogue epilogue_before_split(const NodeView& group) {
  const std::optional<EpilogueSupport> support = product_form(group);
  ORTOOL_CHECK(support.has_value());
  const std::size_t end = group.members().size() - (ends_in_split(group) ? 1 : 0);
  std::optional<ProductEpilogue> epilogue = match_epilogue(group, *support, end);
  ORTOOL_CHECK(epilogue.has_value());
  return std::move(*epilogue);
}

void PackedWeights::take(const NodeView& group, std::int64_t k, std::int64_t n, bool transposed,
                         GemmKind kind, const CompileContext& context) {
  kind_ = kind;
  kind_.weights = kept_type(group, k, n, kind, context);
  if (context.packing != nullptr && !ends_in_split(group) &&
      !context.packing->takes(packed_b_bytes(k, n, kind_))) {
    in_place_.emplace(group.original(*group.node().input(1)), k, n, transposed, kind);
    return;
  }
  pack(group, k, n, transposed, context);
}

void PackedWeights::pack(const NodeView& group, std::int64_t k, std::int64_t n, bool transposed,
                         const CompileContext& context) {
  Tensor b;  // of the whole matrix, once it is needed
  std::vector<std::int64_t> counts = {n};
  if (ends_in_split(group)) {
    counts.clear();
    for (const Value* part : group.outputs()) counts.push_back(columns_of(part));
  }
  std::int64_t first = 0;
  for (const std::int64_t count : counts) {
    Piece& piece = pieces_.emplace_back();
    piece.columns = count;
    piece.b = context.pack(
        packed_b_bytes(k, count, kind_),
        {static_cast<std::int64_t>(kind_.isa), static_cast<std::int64_t>(kind_.operands),
         static_cast<std::int64_t>(kind_.weights), first},
        [&](std::byte* packed) {
          if (b.is_empty()) b = float_tensor(*group.constant(1), context.cap);
          StridedMatrix part{b.data<float>().data(), transposed ? k : n, transposed};
          part.data += transposed ? first * part.stride : first;
          const bool is_float32 =
              kind_.operands == Precision::float32 && kind_.weights == DataType::float32;
          is_float32 ? pack_b_once(k, count, part, kind_.isa, reinterpret_cast<float*>(packed),
                                   context.workers)
                     : pack_b(k, count, part, kind_, packed, context.workers);
        });
    first += count;
  }
}

std::int64_t PackedWeights::size_bytes() const {
  std::int64_t bytes = 0;
  for (const Piece& piece : pieces_) bytes += piece.b.size_bytes();
  return bytes;
}

std::int64_t PackedWeights::workspace_bytes(const GemmSizes& sizes) const {
  return in_place_ ? in_place_->workspace_bytes(sizes) : gemm_workspace_bytes(sizes, kind_);
}

void PackedWeights::multiply(const GemmSizes& sizes, const StridedMatrix& a, float* c,
                             const Epilogue& epilogue, std::byte* workspace,
                             const RunContext& context, Workers& workers) const {
  if (in_place_) {
    in_place_->multiply(sizes, a, c, epilogue, workspace, workers);
    return;
  }
  if (pieces_.size() == 1) {
    gemm(sizes, a, pieces_.front().b.as<std::byte>(), c, sizes.n, epilogue, kind_, workspace,
         workers);
    return;
  }
  std::array<GemmColumns, max_gemm_columns> pieces;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    pieces[i] = {pieces_[i].columns, pieces_[i].b.as<float>(), context.output<float>(i)};
  }
  gemm_columns(sizes, a, std::span(pieces).first(pieces_.size()), epilogue, kind_, workspace,
               workers);
}

}  // namespace ortool::cpu
