// ModelTypesObserver: a session's values in the types that the model declares.
#pragma once

#include "libcore/lower/promote_fp16.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// Shows `observer` the values in the model's types.
class ModelTypesObserver : public ValueObserver {
 public:
  ModelTypesObserver(const PromotedValues& promoted, ValueObserver& observer)
      : promoted_(promoted), observer_(observer) {}
  void observe(const Node& node, std::int64_t index, const RunValue& value) override;

 private:
  const PromotedValues& promoted_;
  ValueObserver& observer_;
};

}  // namespace ortool
