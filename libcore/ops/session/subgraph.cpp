// Schema and shape rule of Subgraph, whose outputs have the types that they had in the part.
#include "libcore/ops/session/subgraph.hpp"

#include "libcore/graph/graph.hpp"

namespace ortool {

constinit const OpSchema Subgraph::schema = {
    "Subgraph",
    "ortool",
    {{.since = 1,
      .inputs = {{"inputs", "V", Formal::Count::variadic, 0, false}},
      .outputs = {{"outputs", "V", Formal::Count::variadic, 1, false}},
      .attributes = {{"provider", AttributeKind::string, true},
                     {"id", AttributeKind::integer, true},
                     {"types", AttributeKind::types, true}},
      .types = {{"V", types::all_tensors_ir13}}}}};

void Subgraph::read(AttributeReader& attributes, int) {
  provider = attributes.string("provider");
  id = attributes.integer("id");
  attributes.ignore("types");
  const Attribute* held = attributes.node().find_attribute("types");
  if (held != nullptr) types = std::get<std::vector<ValueType>>(held->value);
}

void Subgraph::infer(InferContext& context) const {
  for (std::size_t i = 0; i < types.size(); ++i)
    context.set_output_type(static_cast<std::int64_t>(i), types[i]);
}

}  // namespace ortool
