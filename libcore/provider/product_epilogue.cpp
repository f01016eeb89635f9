// Product epilogue: matches nodes in sequence, each reading its predecessor's result.
#include "libcore/provider/product_epilogue.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/activation.hpp"
#include "libcore/ops/nn/normalization/batch_normalization.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/provider/clip_bounds.hpp"
#include "libcore/provider/constant_values.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// The maximum number of group inputs; a float16 kernel holds a converted copy of each.
constexpr std::size_t max_group_inputs = 16;

DataType element_of(const Value& value) {
  return value.type().is_tensor() ? value.type().element : DataType::undefined;
}

bool is_onnx(const Node& node, std::string_view op_type) {
  return node.domain().empty() && node.op_type() == op_type;
}

/// Whether a tensor of that shape has one element, or `columns` elements in the last dimension, and
/// at most `rank` dimensions.
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

/// Reads a bound of an int8 Clip, if constant; an omitted bound leaves `limit` as it is.
bool read_bound(const NodeView& group, const Value* bound, std::int64_t& limit) {
  if (bound == nullptr) return true;
  const Tensor* constant = group.constant(bound);
  if (constant == nullptr || constant->element_count() != 1) return false;
  if (!is_8bit_type(constant->type())) return false;
  limit = element_as_int64(*constant, 0);
  return true;
}

/// QLinearMatMul's scale of a, scale of y and zero point of y; the latter of QLinearConv, too.
constexpr std::int64_t single_matmul_inputs[] = {1, 6, 7};
constexpr std::int64_t result_zero_input = 7;

class EpilogueReader {
 public:
  EpilogueReader(const NodeView& group, const EpilogueSupport& support)
      : group_(group), support_(support) {}

  std::optional<ProductEpilogue> read(std::size_t end) {
    if (group_.inputs().size() > max_group_inputs) return std::nullopt;
    end_ = end;
    next_input_ = group_.node().input_count();
    previous_ = group_.node().output(0);
    if (!take_integers()) return std::nullopt;
    if (result_.to_float && next() != nullptr && absorb_quantization(*group_.members()[end_ - 1]))
      --end_;
    const bool has_floats = support_.sums == EpilogueSupport::Sums::float32 || result_.to_float;
    while (const Node* node = next()) {
      const bool is_known = node->domain().empty() || node->domain() == own_domain;
      if (!has_floats || !is_known || result_.activation != Activation::none || !take(*node))
        return std::nullopt;
      pass(*node);
    }
    // Integer products have no unfused path for a residual that must be broadcast.
    if (result_.to_float && result_.residual >= 0 && !has_known_shape(*previous_))
      return std::nullopt;
    return std::move(result_);
  }

 private:
  const Node* next() const { return next_ < end_ ? group_.members()[next_] : nullptr; }
  /// Moves on behind a matched node.
  void pass(const Node& node) {
    next_input_ += node.input_count() - 1;
    previous_ = node.output(0);
    ++next_;
  }

  bool take_integers() {
    switch (support_.sums) {
      case EpilogueSupport::Sums::int32:
        return take_cast();
      case EpilogueSupport::Sums::int8:
        return take_clips() && take_dequantization();
      default:
        return true;
    }
  }

  /// A Cast, and a Mul by the scale of the sums.
  bool take_cast() {
    const Node* cast = next();
    if (cast == nullptr) return true;
    if (!is_onnx(*cast, "Cast") || element_of(*cast->output(0)) != DataType::float32) return false;
    result_.to_float = true;
    pass(*cast);
    const Node* product = next();
    if (product == nullptr || !is_onnx(*product, "Mul") || !product->attributes().empty())
      return true;
    const Value* other = product->input(product->input(0) == previous_ ? 1 : 0);
    const PartialShape& sums = previous_->type().shape;
    const bool fits = other != nullptr && other != previous_ && sums && sums->size() >= 2 &&
                      element_of(*other) == DataType::float32 &&
                      is_for_columns(other->type().shape, sums->size(), sums->back());
    if (!fits) return false;
    result_.factors = next_input_;
    pass(*product);
    return true;
  }

  bool take_clips() {
    const Value* zero = group_.node().input(result_zero_input);
    result_.bounds = Int8Bounds::of(zero != nullptr ? element_of(*zero) : element_of(*previous_));
    for (const Node* clip = next(); clip != nullptr && is_onnx(*clip, "Clip"); clip = next()) {
      Int8Bounds given = result_.bounds;
      if (clip->input(0) != previous_ || !read_bound(group_, clip->input(1), given.low) ||
          !read_bound(group_, clip->input(2), given.high))
        return false;
      // As Clip does: the lower bound first, then the upper one.
      const auto clipped = [&](std::int64_t value) {
        return std::min(std::max(value, given.low), given.high);
      };
      result_.bounds = {clipped(result_.bounds.low), clipped(result_.bounds.high)};
      pass(*clip);
    }
    return true;
  }

  /// A DequantizeLinear of the same zero point, if scales and zero points are constant.
  bool take_dequantization() {
    const Node* node = next();
    if (node == nullptr) return true;
    if (!support_.can_dequantize) return false;
    const std::optional<Quantization> by = dequantized_bytes(node->output(0));
    if (!by || by->bytes != previous_ || !is_made_by_constants()) return false;
    if (by->zero_at(0) != element_as_int64(*group_.constant(result_zero_input), 0)) return false;
    result_.step = by->scale_at(0);
    result_.to_float = true;
    pass(*node);
    return true;
  }

  bool is_made_by_constants() const {
    return std::all_of(std::begin(single_matmul_inputs), std::end(single_matmul_inputs),
                       [&](std::int64_t i) {
                         const Tensor* constant = group_.constant(i);
                         return constant != nullptr && constant->element_count() == 1;
                       });
  }

  bool absorb_quantization(const Node& node) {
    const std::optional<Quantization> to = quantized(node);
    if (!to) return false;
    result_.divisor = to->scale_at(0);
    result_.type = to->type;
    result_.zero_point = static_cast<std::int32_t>(to->zero_at(0));
    return true;
  }

  bool take(const Node& node) {
    if (node.op_type() == "Add") return absorb_add(node);
    if (node.input(0) != previous_) return false;
    if (node.op_type() == "BatchNormalization") return absorb_batch_normalization(node);
    return absorb_activation(node);
  }

  bool absorb_activation(const Node& node) {
    if (node.op_type() == "Relu") {
      result_.activation = Activation::relu;
    } else if (node.op_type() == "LeakyRelu") {
      result_.activation = Activation::leaky_relu;
      result_.low = read_op<LeakyRelu>(node).alpha;
    } else if (node.op_type() == "HardSwish") {
      result_.activation = Activation::hard_swish;
      result_.low = 1.0F / 6.0F;
      result_.high = 0.5F;
    } else if (node.op_type() == "Clip") {
      const std::optional<ClipBounds> bounds = known_clip_bounds(group_, node);
      if (!bounds) return false;
      result_.activation = Activation::clip;
      result_.low = bounds->low;
      result_.high = bounds->high;
    }
    return result_.activation != Activation::none || absorb_function(node);
  }

  bool absorb_function(const Node& node) {
    if (!support_.has_functions || result_.residual >= 0) return false;
    if (node.op_type() == "Gelu") {
      result_.activation =
          read_op<Gelu>(node).is_approximate ? Activation::gelu_tanh : Activation::gelu;
    } else if (node.op_type() == "Swish") {
      result_.activation = Activation::swish;
      result_.low = read_op<Swish>(node).alpha;
    }
    return result_.activation != Activation::none;
  }

  bool absorb_batch_normalization(const Node& node) {
    const auto op = read_op<ortool::BatchNormalization>(node);
    if (!support_.can_scale || result_.residual >= 0 || op.is_training || !op.is_per_channel)
      return false;
    std::optional<std::vector<double>> statistics[5];
    for (std::int64_t i = 1; i < 5; ++i) {
      statistics[i] = known_numbers(group_.constant(node.input(i)), support_.channels);
      if (!statistics[i]) return false;
    }
    start_affine();
    const auto number = [&](int which, std::size_t channel) {
      return (*statistics[which])[channel];
    };
    for (std::size_t i = 0; i < result_.scale.size(); ++i) {
      const double factor =
          number(1, i) / std::sqrt(number(4, i) + static_cast<double>(op.epsilon));
      result_.scale[i] *= factor;
      result_.shift[i] = result_.shift[i] * factor + number(2, i) - number(3, i) * factor;
    }
    return true;
  }

  bool absorb_add(const Node& node) {
    // Before version 7 Add broadcast by attributes.
    if (!node.attributes().empty() || result_.residual >= 0) return false;
    const bool is_second = node.input(1) == previous_;
    if (is_second == (node.input(0) == previous_)) return false;
    const Value* other = node.input(is_second ? 0 : 1);
    if (other == nullptr || absorb_shift(*other)) return other != nullptr;
    if (!has_same_shape(*other)) return false;
    result_.residual = next_input_;
    return true;
  }

  /// A constant with one element per channel, shaped so that the sum keeps the result's shape.
  bool absorb_shift(const Value& other) {
    const Tensor* constant = group_.constant(&other);
    const std::optional<std::vector<double>> numbers = known_numbers(constant, support_.channels);
    if (!numbers) return false;
    const Shape& shape = constant->shape();
    const std::int64_t axis = shape.rank() - 1 - support_.axes_behind;
    if (axis < 0 || shape[axis] != support_.channels) return false;
    const PartialShape& target = previous_->type().shape;
    if (!target || static_cast<std::int64_t>(target->size()) < shape.rank()) return false;
    start_affine();
    for (std::size_t i = 0; i < result_.shift.size(); ++i) result_.shift[i] += (*numbers)[i];
    return true;
  }

  bool has_same_shape(const Value& other) const {
    const ValueType& a = previous_->type();
    const ValueType& b = other.type();
    return a.is_tensor() && b.is_tensor() && a.element == b.element && a.shape && b.shape &&
           *a.shape == *b.shape;
  }

  void start_affine() {
    if (!result_.scale.empty()) return;
    result_.scale.assign(static_cast<std::size_t>(support_.channels), 1.0);
    result_.shift.assign(static_cast<std::size_t>(support_.channels), 0.0);
  }

  const NodeView& group_;
  const EpilogueSupport& support_;
  ProductEpilogue result_;
  const Value* previous_ = nullptr;
  std::int64_t next_input_ = 0;
  std::size_t next_ = 1;
  std::size_t end_ = 1;
};

}  // namespace

std::optional<ProductEpilogue> match_epilogue(const NodeView& group,
                                              const EpilogueSupport& support) {
  return match_epilogue(group, support, group.members().size());
}

std::optional<ProductEpilogue> match_epilogue(const NodeView& group, const EpilogueSupport& support,
                                              std::size_t members) {
  return EpilogueReader(group, support).read(members);
}

ProductEpilogue epilogue_of(const NodeView& group) {
  const std::optional<EpilogueSupport> support = product_form(group);
  ORTOOL_CHECK(support.has_value());
  std::optional<ProductEpilogue> epilogue = match_epilogue(group, *support);
  ORTOOL_CHECK(epilogue.has_value());
  return std::move(*epilogue);
}

bool can_join_epilogue(const NodeView& group, const Node& next, const EpilogueSupport& support) {
  std::vector<const Node*> members(group.members().begin(), group.members().end());
  members.push_back(&next);
  return match_epilogue(NodeView(std::move(members), group.constants()), support).has_value();
}

bool absorbs_epilogue(const NodeView& group, const Node& next) {
  const std::optional<EpilogueSupport> support = product_form(group);
  return support && can_join_epilogue(group, next, *support);
}

}  // namespace ortool
