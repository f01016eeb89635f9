// Sizes of random inputs: the search of libcore/infer, with one note.
#include "apps/ortool/options/random_sizes.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {

InputSizes choose_sizes(const Invocation& invocation, const Model& model, const InputSizes& given) {
  if (!model.functions.empty()) return {};
  LeastSizes least = find_least_sizes(model, {.given = given, .stop = &invocation.stop});
  if (!least.are_accepted || least.problem.empty()) return {};
  std::erase_if(least.sizes, [&](const auto& size) { return given.contains(size.first); });
  std::vector<std::string> sizes;
  for (const auto& [name, size] : least.sizes) sizes.push_back(format("{} as {}", name, size));
  invocation.note(
      format("dimensions set to the smallest sizes that the model accepts, since not given: {} "
             "(--dim and --shape set them); with 1, {}",
             list_names(sizes), least.problem));
  return std::move(least.sizes);
}

}  // namespace ortool
