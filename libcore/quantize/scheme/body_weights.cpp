// Quantized weights in subgraph bodies: counts the graphs that read each, creates the copies.
#include "libcore/quantize/scheme/body_weights.hpp"

#include "libcore/base/error.hpp"

namespace ortool {

bool BodyLevels::takes_copies(const Value& weights, DataType levels) const {
  const auto found = readers_.find(&weights);
  ORTOOL_CHECK(found != readers_.end());
  const auto graphs = static_cast<std::int64_t>(found->second.size());
  return graphs == 1 || graphs * element_bits(levels) < element_bits(weights.constant().type());
}

StoredLevels BodyLevels::copy_in(Graph& graph, const StoredLevels& stored) {
  if (&stored.levels->graph() == &graph) return stored;
  StoredLevels& copy = copies_[{stored.levels, &graph}];
  if (copy.levels != nullptr) return copy;
  copy.levels = &graph.add_constant("", stored.levels->constant());
  copy.scales = &graph.add_constant("", stored.scales->constant());
  if (stored.zero_points != nullptr)
    copy.zero_points = &graph.add_constant("", stored.zero_points->constant());
  return copy;
}

}  // namespace ortool
