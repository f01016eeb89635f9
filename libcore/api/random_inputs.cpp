// A random value an input, with sizes that all inputs share.
#include "libcore/api/random_inputs.hpp"

#include <optional>

namespace ortool {

RandomInputs make_random_inputs(const Model& model, const RandomInputOptions& random,
                            std::int64_t index, MemoryCap& memory) {
  RandomInputs made;
  SymbolSizes sizes = random.sizes;
  const auto seed = static_cast<std::uint64_t>(random.seed + index);
  std::int64_t position = -1;
  for (const Value* input : model.inputs()) {
    ++position;
    if (input->has_default()) continue;
    const auto range = random.ranges.find(input->name());
    const auto wanted = range != random.ranges.end() ? std::optional(range->second) : std::nullopt;
    made.values.emplace_back(
        std::string(input->name()),
        random_value(*input, sizes, made.taken_as_1, seed, position, wanted, memory));
  }
  return made;
}

}  // namespace ortool
