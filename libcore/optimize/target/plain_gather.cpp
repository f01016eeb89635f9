// GatherBlockQuantized as Gather of packed rows and arithmetic on them: the table stays codes.
// https://onnx.ai/onnx/operators/onnx__Gather.html
#include <algorithm>
#include <utility>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/weights/gather_block_quantized.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/target/target_tables.hpp"
#include "libcore/optimize/target/weight_codes.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;
using Integers = std::vector<std::int64_t>;

bool is_small_integer(DataType type) {
  return type == DataType::int4 || type == DataType::uint4;
}

bool has_one_scale(const Decomposition& out) {
  const PartialShape scales = out.shape(2);
  return std::all_of(scales->begin(), scales->end(),
                     [](const Dimension& size) { return size == Dimension(1); });
}

/// The data, its scales and zero points, of which the same elements are gathered.
class GatheredBlocks {
 public:
  GatheredBlocks(Decomposition& out, const GatherBlockQuantized& op, const Dimensions& data)
      : out_(out),
        op_(op),
        rank_(static_cast<std::int64_t>(data.size())),
        axis_(normalize_axis(op.gather_axis, rank_)),
        blocked_(normalize_axis(op.quantize_axis, rank_)),
        data_type_(out.element(0)),
        type_(out.element(2)),
        indices_rank_(out.rank(1)),
        has_one_scale_(has_one_scale(out)) {
    const std::int64_t per_byte = data_type_ == DataType::uint8 ? 8 / op.bits : 1;
    const std::int64_t stored = data[static_cast<std::size_t>(blocked_)].number();
    size_ = blocked_ == rank_ - 1 ? stored * per_byte : stored;
    block_size_ = op.block_size > 0 ? op.block_size : std::max<std::int64_t>(1, size_);
  }

  Value& output() const {
    Value& codes = gathered(*out_.input(0), out_.element(0));
    Value& given = *out_.input(2);
    Value& scales = has_one_scale_ ? out_.add("Reshape", {&given, &out_.integers({})})
                                   : spread(gathered_by_block(given));
    Value* zeros = zero_points();
    Value& centered = zeros == nullptr ? codes : out_.add("Sub", {&codes, zeros});
    return out_.add("Mul", {&centered, &scales});
  }

 private:
  /// The rank of what is gathered, and its axis of blocks.
  std::int64_t result_rank() const { return rank_ - 1 + indices_rank_; }
  std::int64_t result_axis() const {
    return blocked_ < axis_ ? blocked_ : blocked_ - 1 + indices_rank_;
  }
  bool is_along_blocks() const { return axis_ == blocked_; }

  Value& rows_of(Value& x, Value& indices) const { return gather(out_, x, indices, axis_); }

  /// Codes of the rows that are wanted, as floats.
  Value& gathered(Value& x, DataType type) const {
    if (type == DataType::uint8 && op_.bits < 8) {
      Value& rows = rows_of(x, *out_.input(1));
      return cast_to(out_, unpacked_codes(out_, rows, result_rank(), op_.bits), type_);
    }
    if (type == DataType::uint8) return cast_to(out_, rows_of(x, *out_.input(1)), type_);
    // Gather has no integers of 4 bits.
    return rows_of(add_since(out_, opset_of_type("Cast", "input", type), "Cast", {&x},
                             plain_attributes({{"to", static_cast<std::int64_t>(type_)}})),
                   *out_.input(1));
  }

  /// What has one element for each block.
  Value& gathered_by_block(Value& x) const {
    Value* indices = out_.input(1);
    if (is_along_blocks()) {
      Value& wide = cast_to(out_, *indices, DataType::int64);
      indices = &out_.add("Div", {&wide, &integer_scalar(out_, block_size_)});
    }
    return rows_of(x, *indices);
  }

  /// An element for each of a block.
  Value& spread(Value& x) const {
    if (is_along_blocks()) return x;
    Integers blocks(static_cast<std::size_t>(size_));
    for (std::size_t i = 0; i < blocks.size(); ++i)
      blocks[i] = static_cast<std::int64_t>(i) / block_size_;
    return gather(out_, x, out_.integers(blocks), result_axis());
  }

  Value* zero_points() const {
    Value* const given = out_.input(3);
    const bool is_bytes = data_type_ == DataType::uint8;
    if (given == nullptr) {
      const std::int64_t middle = std::int64_t{1} << (op_.bits - 1);
      return is_bytes ? &scalar(out_, type_, static_cast<double>(middle)) : nullptr;
    }
    if (is_bytes && op_.bits < 8) return &spread(gathered(*given, data_type_));
    Value& wide = add_since(out_, opset_of_type("Cast", "input", data_type_), "Cast", {given},
                            plain_attributes({{"to", static_cast<std::int64_t>(type_)}}));
    return &spread(gathered_by_block(wide));
  }

  Decomposition& out_;
  const GatherBlockQuantized& op_;
  std::int64_t rank_;
  std::int64_t axis_;
  std::int64_t blocked_;
  DataType data_type_;
  DataType type_;
  std::int64_t indices_rank_;
  bool has_one_scale_;
  std::int64_t size_ = 0;
  std::int64_t block_size_ = 1;
};

/// Whether scales have the sizes of the data, but for the axis of blocks, rather than 1.
bool has_scales_of_blocks(const Decomposition& out, std::size_t blocked) {
  const PartialShape data = out.shape(0);
  const PartialShape scales = out.shape(2);
  const bool is_integer = out.element(0) == DataType::uint8 || is_small_integer(out.element(0));
  if (is_integer || has_one_scale(out)) return true;
  for (std::size_t i = 0; i < scales->size(); ++i) {
    if (i != blocked && !((*scales)[i] == (*data)[i])) return false;
  }
  return true;
}

Results gather_block_quantized(Decomposition& out) {
  const auto op = read_op<GatherBlockQuantized>(out.node());
  const PartialShape data = out.shape(0);
  if (!data || out.rank(1) < 0 || !out.shape(2) || out.element(0) == DataType::undefined ||
      out.element(2) == DataType::undefined)
    return {};
  const auto blocked = static_cast<std::size_t>(
      normalize_axis(op.quantize_axis, static_cast<std::int64_t>(data->size())));
  if (!(*data)[blocked].is_known() || !has_scales_of_blocks(out, blocked)) return {};
  const GatheredBlocks blocks(out, op, *data);
  return {&blocks.output()};
}

}  // namespace

std::span<const DecompositionRow> plain_gathers() {
  static constexpr DecompositionRow rows[] = {{"GatherBlockQuantized", gather_block_quantized}};
  return rows;
}

}  // namespace ortool
