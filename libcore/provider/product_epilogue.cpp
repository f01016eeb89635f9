// Product epilogue: matches followers in sequence, each reading its predecessor's result.
#include "libcore/provider/product_epilogue.hpp"

#include <cmath>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/activation.hpp"
#include "libcore/ops/nn/normalization/batch_normalization.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/provider/clip_bounds.hpp"
#include "libcore/provider/constant_values.hpp"

namespace ortool {
namespace {

/// The maximum number of group inputs; a float16 kernel holds a converted copy of each.
constexpr std::size_t most_group_inputs = 16;

class FollowerReader {
 public:
  FollowerReader(const NodeView& group, const ProductForm& form) : group_(group), form_(form) {}

  std::optional<ProductFollowers> read(std::size_t begin, std::size_t end) {
    if (group_.inputs().size() > most_group_inputs) return std::nullopt;
    next_input_ = group_.node().input_count();
    previous_ = group_.node().output(0);
    for (std::size_t i = 1; i < end; ++i) {
      const Node& node = *group_.members()[i];
      const bool is_known = node.domain().empty() || node.domain() == own_domain;
      if (i >= begin && (!is_known || result_.activation != Activation::none || !take(node)))
        return std::nullopt;
      next_input_ += node.input_count() - 1;
      previous_ = node.output(0);
    }
    return std::move(result_);
  }

 private:
  bool take(const Node& node) {
    if (node.op_type() == "Add") return take_add(node);
    if (node.input(0) != previous_) return false;
    if (node.op_type() == "BatchNormalization") return take_batch_normalization(node);
    return take_activation(node);
  }

  bool take_activation(const Node& node) {
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
      const std::optional<ClipBounds> bounds = known_clip_bounds(node);
      if (!bounds) return false;
      result_.activation = Activation::clip;
      result_.low = bounds->low;
      result_.high = bounds->high;
    }
    return result_.activation != Activation::none || take_function(node);
  }

  bool take_function(const Node& node) {
    if (!form_.has_functions || result_.residual >= 0) return false;
    if (node.op_type() == "Gelu") {
      result_.activation =
          read_op<Gelu>(node).is_approximate ? Activation::gelu_tanh : Activation::gelu;
    } else if (node.op_type() == "Swish") {
      result_.activation = Activation::swish;
      result_.low = read_op<Swish>(node).alpha;
    }
    return result_.activation != Activation::none;
  }

  bool take_batch_normalization(const Node& node) {
    const auto op = read_op<ortool::BatchNormalization>(node);
    if (!form_.can_scale || result_.residual >= 0 || op.is_training || !op.is_per_channel)
      return false;
    std::optional<std::vector<double>> statistics[5];
    for (std::int64_t i = 1; i < 5; ++i) {
      statistics[i] = known_numbers(node.input(i), form_.channels);
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

  bool take_add(const Node& node) {
    // Before version 7 Add broadcast by attributes.
    if (!node.attributes().empty() || result_.residual >= 0) return false;
    const bool is_second = node.input(1) == previous_;
    if (is_second == (node.input(0) == previous_)) return false;
    const Value* other = node.input(is_second ? 0 : 1);
    if (other == nullptr || take_shift(*other)) return other != nullptr;
    if (!has_same_shape(*other)) return false;
    result_.residual = next_input_;
    return true;
  }

  /// A constant with one element per channel, shaped so that the sum keeps the result's shape.
  bool take_shift(const Value& other) {
    const std::optional<std::vector<double>> numbers = known_numbers(&other, form_.channels);
    if (!numbers) return false;
    const Shape& shape = other.constant().shape();
    const std::int64_t axis = shape.rank() - 1 - form_.axes_behind;
    if (axis < 0 || shape[axis] != form_.channels) return false;
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
    result_.scale.assign(static_cast<std::size_t>(form_.channels), 1.0);
    result_.shift.assign(static_cast<std::size_t>(form_.channels), 0.0);
  }

  const NodeView& group_;
  const ProductForm& form_;
  ProductFollowers result_;
  const Value* previous_ = nullptr;
  std::int64_t next_input_ = 0;
};

}  // namespace

std::optional<ProductFollowers> read_followers(const NodeView& group, const ProductForm& form) {
  return read_followers(group, 1, group.members().size(), form);
}

std::optional<ProductFollowers> read_followers(const NodeView& group, std::size_t begin,
                                               std::size_t end, const ProductForm& form) {
  return FollowerReader(group, form).read(begin, end);
}

bool can_follow(const NodeView& group, const Node& next, const ProductForm& form) {
  std::vector<const Node*> members(group.members().begin(), group.members().end());
  members.push_back(&next);
  return read_followers(NodeView(std::move(members)), form).has_value();
}

}  // namespace ortool
