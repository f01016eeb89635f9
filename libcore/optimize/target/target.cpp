// Writing for a target: contrib and own operators become those that the target has.
#include "libcore/optimize/target/target.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/check_node.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/optimize/contrib/decompose_contrib.hpp"
#include "libcore/optimize/opset/convert_opset.hpp"
#include "libcore/optimize/target/target_tables.hpp"

namespace ortool {
namespace {

using PlainTable = std::span<const DecompositionRow> (*)();

constexpr PlainTable plain_tables[] = {
    plain_attention,        plain_causal_convolutions, plain_experts,
    plain_gathers,          plain_group_attention,     plain_linear_attention,
    plain_recurrent_layers, plain_rotary_embeddings,   plain_weight_products,
};

const OpSchema* standard_schema(const Node& node) {
  const OpEntry* entry = node.domain() == own_domain ? find_op("", node.op_type()) : nullptr;
  return entry != nullptr ? entry->schema : nullptr;
}

template <typename Visit>
void each_node(const Model& model, Visit visit) {
  for (const Graph* graph : graphs_in(std::as_const(*model.graph))) {
    for (const Node& node : graph->nodes()) visit(node);
  }
}

bool is_decomposed_function(const Node& node) {
  const std::span<const DecompositionRow> rows = decomposed_functions();
  return std::any_of(rows.begin(), rows.end(),
                     [&](const auto& row) { return row.op_type == node.op_type(); });
}

/// Replaces nodes by a table, and infers the types of what is new.
std::int64_t replace(Model& model, std::span<const DecompositionRow> rows) {
  const std::int64_t count = decompose(model, rows);
  if (count > 0) infer_shapes(model);
  return count;
}

Decomposition::Results same_in_onnx(Decomposition& out) {
  const OpSchema* schema = standard_schema(out.node());
  const OpVersion* version = schema != nullptr ? schema->at(out.opset()) : nullptr;
  if (version == nullptr || !fits_version(out.node(), *version)) return {};
  return out.add_alike(out.node().op_type(), "");
}

/// ortool's operators that ONNX has too, sorted.
std::span<const DecompositionRow> operators_in_onnx() {
  static const std::vector<DecompositionRow> rows = [] {
    std::vector<DecompositionRow> made;
    for (const OpEntry& entry : catalog()) {
      if (std::string_view(entry.schema->domain) != own_domain) continue;
      if (find_op("", entry.schema->name) == nullptr) continue;
      constexpr std::int64_t most_outputs = 16;
      made.push_back({entry.schema->name, same_in_onnx, most_outputs, own_domain});
    }
    return made;
  }();
  return rows;
}

/// The first opset whose version of the operator has the node's inputs and attributes.
std::int64_t first_opset_of_form(const Node& node, const OpSchema& schema) {
  for (const OpVersion& version : schema.versions) {
    if (fits_version(node, version)) return version.since;
  }
  return schema.versions.begin()->since;
}

/// Raises the model's opset to the first one that has all operators which are not decomposed.
void raise_opset(Model& model) {
  std::int64_t needed = model.opset("");
  each_node(model, [&](const Node& node) {
    const OpSchema* schema = standard_schema(node);
    if (schema != nullptr && !is_decomposed_function(node))
      needed = std::max(needed, first_opset_of_form(node, *schema));
  });
  if (needed == model.opset("")) return;
  convert_opset(model, needed);
  infer_shapes(model);
}

std::int64_t write_own_as_onnx(Model& model) {
  std::int64_t count = replace(model, unfused_normalizations());
  raise_opset(model);
  count += replace(model, operators_in_onnx());
  count += replace(model, decomposed_functions());
  return count;
}

void check_domains(const Model& model, std::string_view target,
                   std::initializer_list<std::string_view> allowed) {
  std::vector<Error> parts;
  std::vector<std::string> names;
  each_node(model, [&](const Node& node) {
    const bool is_allowed =
        std::find(allowed.begin(), allowed.end(), node.domain()) != allowed.end();
    if (is_allowed || node.domain().starts_with("ai.onnx")) return;
    names.push_back(format("{}.{}", node.domain(), node.op_type()));
    parts.push_back(Error(ErrorCode::unsupported, format("the operator has no form for {}", target))
                        .at_node(node.name(), node.op_type())
                        .with_id("optimize.target"));
  });
  if (parts.empty()) return;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  Error error(ErrorCode::unsupported,
              format("{} of its nodes cannot be written for {}: {}", parts.size(), target,
                     list_names(names)),
              format("{} lists the nodes under errors", setting_name("json")));
  error.with_id("optimize.target");
  for (const Error& part : parts) error.add_part(part);
  throw error;
}

/// Readers of a file look up each domain that it imports.
void drop_other_imports(Graph& graph) {
  OpsetImports kept;
  for (const auto& [domain, version] : graph.opsets()) {
    if (domain.empty() || domain.starts_with("ai.onnx")) kept.emplace(domain, version);
  }
  graph.set_opsets(std::move(kept));
}

}  // namespace

std::int64_t write_for_onnx(Model& model) {
  std::int64_t count = decompose_contrib_operators(model);
  if (count > 0) infer_shapes(model);
  for (const PlainTable table : plain_tables) count += replace(model, table());
  count += write_own_as_onnx(model);
  check_domains(model, "target onnx", {""});
  drop_other_imports(*model.graph);
  return count;
}

std::int64_t write_for_onnxruntime(Model& model) {
  std::int64_t count = replace(model, attention_with_mask_rows());
  count += replace(model, packed_attention());
  // Its SkipLayerNormalization takes six times as long as Add and LayerNormalization on a CPU.
  count += replace(model, unfused_normalizations());
  count += replace(model, onnxruntime_forms());
  count += write_own_as_onnx(model);
  return count;
}

}  // namespace ortool
