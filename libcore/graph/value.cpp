// Values: types shared between neighbors, constants and notes.
#include "libcore/graph/value.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

/// Types that differ only in the causes of unknown dimensions compare equal.
bool has_causes(const ValueType& type) {
  return type.inner != nullptr || !type.rank_cause.cause().empty() ||
         (type.shape &&
          std::any_of(type.shape->begin(), type.shape->end(), [](const Dimension& each) {
            return each.is_unknown() || !each.cause().empty();
          }));
}

}  // namespace

const std::shared_ptr<const ValueType>& Value::unknown_type() {
  static const auto type = std::make_shared<const ValueType>();
  return type;
}

void Value::set_type(ValueType type) {
  if (type.extras == nullptr) type.extras = type_->extras;
  std::shared_ptr<const ValueType>& last = graph_->last_type_;
  const bool is_same =
      last != nullptr && last->extras == type.extras && !has_causes(type) && *last == type;
  if (!is_same) last = std::make_shared<const ValueType>(std::move(type));
  type_ = last;
}

const Tensor& Value::constant() const {
  static const Tensor empty;
  ORTOOL_CHECK(!is_content_taken_);
  return constant_ != nullptr ? *constant_ : empty;
}

const Notes& Value::notes() const {
  return notes_ != nullptr ? *notes_ : no_notes();
}

Notes& Value::mutable_notes() {
  if (notes_ == nullptr) notes_ = std::make_unique<Notes>();
  return *notes_;
}

bool Value::is_graph_output() const {
  return std::any_of(uses_.begin(), uses_.end(),
                     [](const Use& use) { return use.kind == Use::Kind::graph_output; });
}

}  // namespace ortool
