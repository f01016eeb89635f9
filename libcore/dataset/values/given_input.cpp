// Given inputs, converted to those of a session.
#include "libcore/dataset/values/given_input.hpp"

namespace ortool {

NamedValues named_values(std::span<const GivenInput> inputs) {
  NamedValues values;
  for (const GivenInput& input : inputs) values.emplace_back(input.name, input.value);
  return values;
}

}  // namespace ortool
