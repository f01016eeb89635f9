// Versions and types of SequenceMap: its body processes elements, the node produces sequences.
#include "libcore/ops/controlflow/sequence_map.hpp"

#include <memory>

#include "libcore/ops/controlflow/body_rules.hpp"

namespace ortool {

constinit const OpSchema SequenceMap::schema = {
    "SequenceMap",
    "",
    {{.since = 17,
      .inputs = {{"input_sequence", "S"},
                 {"additional_inputs", "V", Formal::Count::variadic, 0, false}},
      .outputs = {{"out_sequence", "S", Formal::Count::variadic, 1, false}},
      .attributes = {{"body", AttributeKind::graph, true}},
      .types = {{"S", types::all_sequences}, {"V", types::all_tensors | types::all_sequences}}}}};

void SequenceMap::read(AttributeReader& attributes, int) {
  body = attributes.graph("body");
  check_body(*body, attributes.node().input_count(), attributes.node().output_count());
}

void SequenceMap::infer(InferContext& context) const {
  std::vector<InferredValue> inputs;
  for (std::int64_t i = 0; i < context.input_count(); ++i) {
    InferredValue value = context.input(i);
    if (value.type.kind == ValueType::Kind::sequence) {
      const std::shared_ptr<const ValueType> inner = value.type.inner;
      value = {inner != nullptr ? *inner : ValueType(), std::nullopt};
    }
    inputs.push_back(std::move(value));
  }
  std::vector<InferredValue> results = context.infer_body(*body, std::move(inputs));
  for (std::size_t i = 0; i < results.size(); ++i) {
    ValueType type;
    type.kind = ValueType::Kind::sequence;
    type.inner = std::make_shared<const ValueType>(std::move(results[i].type));
    context.set_output(static_cast<std::int64_t>(i), {std::move(type), std::nullopt});
  }
}

}  // namespace ortool
