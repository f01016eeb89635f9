// Float reasons propagate from node to node and name the first node that causes them.
#include "libcore/quantize/report/float_reasons.hpp"

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

std::string node_text(const Node& node) {
  if (node.name().empty()) return std::string(node.op_type());
  return format("{} ({})", quote(node.name(), 80), node.op_type());
}

}  // namespace

std::string FloatReasons::start_of(const Value& from) const {
  const Value* value = &from;
  while (value->captured() != nullptr) value = value->captured();
  const Node* producer = value->producer();
  if (producer == nullptr) return {};
  const auto found = starts_.find(producer);
  return found != starts_.end() ? found->second : node_text(*producer);
}

std::string FloatReasons::of_input(const Value& from) const {
  const std::string start = start_of(from);
  if (start.empty()) return "it reads a model input, before any quantized node";
  return format("its input comes from {}, which computes in float", start);
}

std::string FloatReasons::of_result(const Node& end) const {
  std::string consumer;
  for (std::int64_t i = 0; i < end.output_count(); ++i) {
    const Value* output = end.output(i);
    if (output == nullptr) continue;
    if (output->is_graph_output()) return "its result is a model output, which stays float";
    for (const Use& use : output->uses()) {
      if (use.node == nullptr) continue;
      const auto found = results_.find(use.node);
      if (found != results_.end()) return found->second;
      if (consumer.empty()) consumer = node_text(*use.node);
    }
  }
  if (consumer.empty()) return "nothing reads its result";
  return format("its result goes to {}, which computes in float", consumer);
}

void FloatReasons::note_start(const Node& node) {
  starts_.emplace(&node, node_text(node));
}

void FloatReasons::note_input(const Node& node, const Value& from) {
  starts_.emplace(&node, start_of(from));
}

void FloatReasons::note_result(const Node& node, const std::string& reason) {
  results_.emplace(&node, reason);
}

}  // namespace ortool
