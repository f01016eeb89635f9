// Quantized weights in subgraph bodies: counts the graphs that read each, creates the copies.
#include "libcore/quantize/scheme/subgraph_weights.hpp"

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {

bool SubgraphWeights::takes_copies(const Value& weights, DataType codes) const {
  const auto found = consumers_.find(&weights);
  ORTOOL_CHECK(found != consumers_.end());
  const auto graphs = static_cast<std::int64_t>(found->second.size());
  return graphs == 1 || graphs * element_bits(codes) < element_bits(weights.constant().type());
}

QuantizedConstants SubgraphWeights::copy_in(Graph& graph, const QuantizedConstants& stored) {
  if (&stored.codes->graph() == &graph) return stored;
  QuantizedConstants& copy = copies_[{stored.codes, &graph}];
  if (copy.codes != nullptr) return copy;
  copy.codes = &graph.add_constant("", stored.codes->constant());
  copy.scales = &graph.add_constant("", stored.scales->constant());
  if (stored.zero_points != nullptr)
    copy.zero_points = &graph.add_constant("", stored.zero_points->constant());
  return copy;
}

}  // namespace ortool
