// Run-time sizes by Shape and Slice, in the form of the graph's opset.
#include "libcore/optimize/rewrite/size_source.hpp"

#include "libcore/graph/graph.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"

namespace ortool {

std::optional<SizeSource> find_size(const Graph& graph, const Dimension& size) {
  for (Value* input : graph.inputs()) {
    const Dimensions* dimensions = dimensions_of(*input);
    if (dimensions == nullptr) continue;
    for (std::size_t i = 0; i < dimensions->size(); ++i) {
      if (are_equal((*dimensions)[i], size)) return SizeSource{input, static_cast<std::int64_t>(i)};
    }
  }
  return std::nullopt;
}

Value& add_size(Replacement& replacement, const SizeSource& source) {
  Value& shape = replacement.add("Shape", {source.value});
  return add_slice(replacement, shape, {{0}, {source.axis}, {source.axis + 1}, {1}});
}

}  // namespace ortool
