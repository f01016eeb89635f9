// ModelTypesObserver: values that were promoted to float32 are shown as float16.
#include "libcore/runtime/model_types_observer.hpp"

#include "libcore/tensor/convert.hpp"

namespace ortool {

void ModelTypesObserver::observe(const Node& node, std::int64_t index, const RunValue& value) {
  const Value* const output = node.output(index);
  if (promoted_.added.contains(output)) return;
  if (!promoted_.float16_in_model.contains(output)) return observer_.observe(node, index, value);
  observer_.observe(node, index, convert(value.tensor(), DataType::float16));
}

}  // namespace ortool
