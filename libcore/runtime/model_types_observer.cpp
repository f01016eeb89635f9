// ModelTypesObserver: values that were promoted to float32 are shown in 16 bits.
#include "libcore/runtime/model_types_observer.hpp"

#include "libcore/tensor/convert.hpp"

namespace ortool {

void ModelTypesObserver::observe(const Node& node, std::int64_t index, const RunValue& value) {
  const Value* const output = node.output(index);
  if (promoted_.added.contains(output)) return;
  const auto type = promoted_.types_in_model.find(output);
  if (type == promoted_.types_in_model.end()) return observer_.observe(node, index, value);
  observer_.observe(node, index, convert(value.tensor(), type->second));
}

}  // namespace ortool
