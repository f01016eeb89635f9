// One follower after the other, in the order in which a kernel can compute them.
#include "providers/cpu/gemm/int8/epilogue.hpp"

#include <algorithm>

#include "libcore/lower/quantized_cluster.hpp"
#include "libcore/tensor/convert.hpp"
#include "providers/cpu/support/int8_clip.hpp"

namespace ortool::cpu {
namespace {

DataType element_of(const Value& value) {
  return value.type().is_tensor() ? value.type().element : DataType::undefined;
}

bool is_onnx(const Node& node, std::string_view op_type) {
  return node.domain().empty() && node.op_type() == op_type;
}

/// Whether a tensor of that shape has a number for all, or as many as `columns` in the last
/// dimension, and no more dimensions than `rank`.
bool is_for_columns(const PartialShape& shape, std::size_t rank, const Dimension& columns) {
  if (!shape || shape->size() > rank) return false;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const Dimension& dimension = (*shape)[i];
    if (!dimension.is_known()) return false;
    const bool is_last = i + 1 == shape->size();
    if (dimension.number() == 1) continue;
    if (!is_last || !columns.is_known() || dimension != columns) return false;
  }
  return true;
}

bool has_known_shape(const Value& value) {
  const PartialShape& shape = value.type().shape;
  return shape && std::all_of(shape->begin(), shape->end(),
                              [](const Dimension& each) { return each.is_known(); });
}

class Reader {
 public:
  explicit Reader(const NodeView& group) : group_(group), members_(group.members()) {}

  std::optional<Int8FusedNodes> read() {
    const bool is_linear = group_.node().op_type() == "QLinearMatMul";
    if (!(is_linear ? read_bytes() : read_sums())) return std::nullopt;
    std::size_t end = members_.size();
    if (result_.is_float && end > next_ && take_quantization(*members_[end - 1])) --end;
    if (end > next_ && !result_.is_float) return std::nullopt;
    std::optional<ProductFollowers> functions = read_followers(group_, next_, end, form());
    if (!functions) return std::nullopt;
    result_.functions = std::move(*functions);
    if (result_.functions.residual >= 0 && !has_known_shape(*members_[end - 1]->output(0)))
      return std::nullopt;
    return result_;
  }

 private:
  const Value* previous() const { return members_[next_ - 1]->output(0); }
  const Node* next() const { return next_ < members_.size() ? members_[next_] : nullptr; }

  /// Cast, and a product with factors.
  bool read_sums() {
    const Node* cast = next();
    if (cast == nullptr) return true;
    if (!is_onnx(*cast, "Cast") || element_of(*cast->output(0)) != DataType::float32) return false;
    result_.is_float = true;
    ++next_;
    const Node* product = next();
    if (product == nullptr || !is_onnx(*product, "Mul") || !product->attributes().empty())
      return true;
    const Value* other = product->input(product->input(0) == previous() ? 1 : 0);
    const PartialShape& sums = previous()->type().shape;
    const bool fits = other != nullptr && other != previous() && sums && sums->size() >= 2 &&
                      element_of(*other) == DataType::float32 &&
                      is_for_columns(other->type().shape, sums->size(), sums->back());
    if (!fits) return false;
    result_.scale = group_.node().input_count();
    ++next_;
    return true;
  }

  /// Clips, and what makes floats of the bytes; these must be made by constants.
  bool read_bytes() {
    const DataType type = element_of(*group_.node().output(0));
    result_.limits = Int8Limits::of(type);
    while (next() != nullptr && is_onnx(*next(), "Clip")) ++next_;
    const std::optional<Int8Limits> limits = int8_limits(
        NodeView({members_.begin(), members_.begin() + next_offset()}, group_.constants()), type);
    if (!limits) return false;
    result_.limits = *limits;
    const Node* node = next();
    if (node == nullptr) return true;
    const std::optional<Quantization> by = dequantized_bytes(node->output(0));
    if (!by || by->bytes != previous() || !makes_bytes_by_constants()) return false;
    if (by->zero_at(0) != element_as_int64(*group_.constant(7), 0)) return false;
    result_.step = by->scale_at(0);
    result_.is_float = true;
    ++next_;
    return true;
  }

  std::ptrdiff_t next_offset() const { return static_cast<std::ptrdiff_t>(next_); }

  bool makes_bytes_by_constants() const {
    return std::all_of(std::begin(single_inputs), std::end(single_inputs), [&](std::int64_t i) {
      const Tensor* constant = group_.constant(i);
      return constant != nullptr && constant->element_count() == 1;
    });
  }

  bool take_quantization(const Node& node) {
    const std::optional<Quantization> to = quantized(node);
    if (!to) return false;
    result_.divisor = to->scale_at(0);
    result_.type = to->type;
    result_.zero_point = static_cast<std::int32_t>(to->zero_at(0));
    return true;
  }

  ProductForm form() const {
    ProductForm form;
    form.has_functions = true;
    const PartialShape& shape = group_.node().output(0)->type().shape;
    if (shape && shape->size() >= 2 && shape->back().is_known())
      form.channels = shape->back().number();
    return form;
  }

  /// QLinearMatMul's scale of a, scale of y and zero point of y.
  static constexpr std::int64_t single_inputs[] = {1, 6, 7};

  const NodeView& group_;
  std::span<const Node* const> members_;
  std::size_t next_ = 1;
  Int8FusedNodes result_;
};

}  // namespace

std::optional<Int8FusedNodes> match_int8_epilogue(const NodeView& group) {
  return Reader(group).read();
}

bool absorbs_int8_epilogue(const NodeView& group, const Node& next) {
  std::vector<const Node*> members(group.members().begin(), group.members().end());
  members.push_back(&next);
  return match_int8_epilogue(NodeView(std::move(members), group.constants())).has_value();
}

}  // namespace ortool::cpu
