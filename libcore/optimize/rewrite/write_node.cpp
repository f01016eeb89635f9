// Data movement nodes: the catalog tells whether axes are an attribute or an input.
#include "libcore/optimize/rewrite/write_node.hpp"

#include <algorithm>
#include <utility>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

bool has_attribute(const Graph& graph, std::string_view op_type, std::string_view name) {
  const OpEntry* entry = find_op("", op_type);
  const OpVersion* version = entry->schema->at(graph.opset(""));
  return version != nullptr && version->find_attribute(name) != nullptr;
}

}  // namespace

Value& add_with_axes(Replacement& replacement, std::string_view op_type, Value& x, Integers axes,
                     NewAttributes attributes) {
  if (has_attribute(replacement.graph(), op_type, "axes")) {
    attributes.push_back({"axes", std::move(axes)});
    return replacement.add(op_type, {&x}, std::move(attributes));
  }
  Value& given = replacement.integers(std::move(axes));
  return replacement.add(op_type, {&x, &given}, std::move(attributes));
}

Value& add_reshape(Replacement& replacement, Value& x, Integers shape) {
  if (has_attribute(replacement.graph(), "Reshape", "shape"))
    return replacement.add("Reshape", {&x}, {{"shape", std::move(shape)}});
  return replacement.add("Reshape", {&x, &replacement.integers(std::move(shape))});
}

Value& add_transpose(Replacement& replacement, Value& x, Integers order) {
  return replacement.add("Transpose", {&x}, {{"perm", std::move(order)}});
}

bool can_write(const SliceParams& params, const Graph& graph) {
  return !has_attribute(graph, "Slice", "starts") ||
         std::all_of(params.steps.begin(), params.steps.end(), [](auto step) { return step == 1; });
}

Value& add_slice(Replacement& replacement, Value& x, SliceParams params) {
  if (has_attribute(replacement.graph(), "Slice", "starts")) {
    return replacement.add("Slice", {&x},
                           {{"axes", std::move(params.axes)},
                            {"starts", std::move(params.starts)},
                            {"ends", std::move(params.ends)}});
  }
  const bool has_steps =
      std::any_of(params.steps.begin(), params.steps.end(), [](auto step) { return step != 1; });
  std::vector<Value*> inputs = {&x, &replacement.integers(std::move(params.starts)),
                                &replacement.integers(std::move(params.ends)),
                                &replacement.integers(std::move(params.axes))};
  if (has_steps) inputs.push_back(&replacement.integers(std::move(params.steps)));
  return replacement.add("Slice", std::move(inputs));
}

}  // namespace ortool
