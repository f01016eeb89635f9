// Report of inspect --diff as JSON and text.
#include "apps/ortool/inspect/diff_report.hpp"

#include <algorithm>
#include <functional>

#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/escape.hpp"
#include "libcore/graph/diff/node_hash.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool {
namespace {

constexpr std::size_t max_listed_changes = 12;
constexpr std::size_t max_listed_neighbors = 4;

std::string operator_of(const Node& node) {
  return (node.domain().empty() ? "" : std::string(node.domain()) + ".") +
         std::string(node.op_type());
}

std::vector<std::string_view> input_names(const Node& node) {
  std::vector<std::string_view> names;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    names.push_back(node.input(i) != nullptr ? node.input(i)->name() : "");
  }
  return names;
}

/// Names of the nodes that read the node's outputs, each once; graph outputs by name.
std::vector<std::string_view> consumer_names(const Node& node) {
  std::vector<std::string_view> names;
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    if (node.output(i) == nullptr) continue;
    for (const Use& use : node.output(i)->uses()) {
      const bool is_output = use.kind == Use::Kind::graph_output;
      const std::string_view name = is_output ? node.output(i)->name() : use.node->name();
      if (names.empty() || names.back() != name) names.push_back(name);
    }
  }
  return names;
}

Json optional_text(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json();
}

Json changes_block(const std::vector<FieldChange>& changes) {
  Json list = Json::list();
  for (const FieldChange& change : changes) {
    list.add(Json::object()
                 .set("field", change.field)
                 .set("before", optional_text(change.before))
                 .set("after", optional_text(change.after)));
  }
  return list;
}

Json unmatched_nodes_block(const std::vector<UnmatchedNode>& nodes) {
  Json list = Json::list();
  for (const UnmatchedNode& unmatched : nodes) {
    list.add(Json::object()
                 .set("name", unmatched.node->name())
                 .set("op_type", unmatched.node->op_type())
                 .set("domain", unmatched.node->domain())
                 .set("location", unmatched.place)
                 .set("inputs", Json::list_of(input_names(*unmatched.node)))
                 .set("consumers", Json::list_of(consumer_names(*unmatched.node))));
  }
  return list;
}

Json nodes_block(const ModelDiff& diff) {
  Json changed = Json::list();
  for (const ChangedNode& node : diff.changed) {
    changed.add(Json::object()
                    .set("before", node.before->name())
                    .set("after", node.after->name())
                    .set("op_type", node.after->op_type())
                    .set("domain", node.after->domain())
                    .set("location", node.place)
                    .set("changes", changes_block(node.changes)));
  }
  Json renamed = Json::list();
  for (const RenamedNode& node : diff.renamed_nodes) {
    renamed.add(Json::object().set("before", node.before->name()).set("after", node.after->name()));
  }
  return Json::object()
      .set("matched", diff.matched_nodes)
      .set("reordered", diff.reordered_nodes)
      .set("added", unmatched_nodes_block(diff.added))
      .set("removed", unmatched_nodes_block(diff.removed))
      .set("changed", std::move(changed))
      .set("renamed", std::move(renamed));
}

Json tensor_block(const Value* value) {
  if (value == nullptr) return Json();
  const diff::StoredTensor tensor = diff::tensor_of(*value);
  return Json::object()
      .set("name", value->name())
      .set("dtype", name_of(tensor.type))
      .set("shape", Json::list_of(tensor.shape));
}

Json weights_block(const ModelDiff& diff) {
  Json list = Json::list();
  for (const ChangedWeight& weight : diff.weights) {
    Json delta;
    if (weight.delta) {
      delta = Json::object()
                  .set("count", weight.delta->count)
                  .set("changed", weight.delta->changed)
                  .set("max_abs", weight.delta->max_abs)
                  .set("mean_abs", weight.delta->mean_abs)
                  .set("relative", weight.delta->relative)
                  .set("cosine", weight.delta->cosine)
                  .set("sqnr_db", weight.delta->sqnr_db);
    }
    list.add(Json::object()
                 .set("before", tensor_block(weight.before))
                 .set("after", tensor_block(weight.after))
                 .set("location", weight.place)
                 .set("delta", std::move(delta)));
  }
  return Json::object().set("same", diff.same_weights).set("different", std::move(list));
}

Json values_block(const std::vector<ChangedValue>& values, bool is_output) {
  const auto block = [](const Value* value) {
    return value == nullptr
               ? Json()
               : Json::object().set("name", value->name()).set("type", value->type().to_string());
  };
  Json list = Json::list();
  for (const ChangedValue& value : values) {
    if (value.is_output != is_output) continue;
    list.add(Json::object().set("before", block(value.before)).set("after", block(value.after)));
  }
  return list;
}

/// "inputs 'x', 'w'; consumers 'pool'".
std::string neighbors_text(const Node& node) {
  const auto names_text = [](const std::vector<std::string_view>& names) {
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), max_listed_neighbors); ++i) {
      text += (i > 0 ? ", " : "") + quote(names[i], 60);
    }
    if (names.size() > max_listed_neighbors) {
      text += format(" and {} more", names.size() - max_listed_neighbors);
    }
    return text.empty() ? std::string("nothing") : text;
  };
  return format("inputs {}; consumers {}", names_text(input_names(node)),
                names_text(consumer_names(node)));
}

std::string place_text(const std::string& place) {
  return place.empty() ? "" : format(" in {}", shorten(place, 80));
}

std::string change_text(const FieldChange& change) {
  const std::string field = shorten(change.field, 120);
  if (!change.before) return format("{} added: {}", field, shorten(*change.after, 160));
  if (!change.after) return format("{} removed: {}", field, shorten(*change.before, 160));
  return format("{}: {} -> {}", field, shorten(*change.before, 160), shorten(*change.after, 160));
}

std::string stored_text(const Value& value) {
  const diff::StoredTensor tensor = diff::tensor_of(value);
  return format("{} {}[{}]", quote(value.name(), 80), name_of(tensor.type),
                tensor.shape.to_string());
}

std::string weight_text(const ChangedWeight& weight) {
  const std::string place = place_text(weight.place);
  if (weight.before == nullptr) return format("+ {}{}", stored_text(*weight.after), place);
  if (weight.after == nullptr) return format("- {}{}", stored_text(*weight.before), place);
  const diff::StoredTensor before = diff::tensor_of(*weight.before);
  const diff::StoredTensor after = diff::tensor_of(*weight.after);
  std::string text = "~ " + stored_text(*weight.before);
  const bool is_same_kind = before.type == after.type && before.shape == after.shape;
  if (weight.before->name() != weight.after->name() || !is_same_kind) {
    text += " -> " + stored_text(*weight.after);
  }
  text += place;
  if (!weight.delta) return text;
  const TensorDelta& delta = *weight.delta;
  return text + format(
                    "\n      {} of {} numbers differ, max {}, mean {}, relative {}, cosine {}, "
                    "SQNR {} dB",
                    delta.changed, delta.count, readable_number(delta.max_abs),
                    readable_number(delta.mean_abs), readable_number(delta.relative),
                    readable_number(delta.cosine), readable_number(delta.sqnr_db));
}

std::string changed_value_text(const ChangedValue& value) {
  const auto text = [](const Value& one) {
    return format("{} {}", quote(one.name(), 80), shorten(one.type().to_string(), 120));
  };
  const std::string_view kind = value.is_output ? "output" : "input";
  if (value.before == nullptr) return format("+ {} {}", kind, text(*value.after));
  if (value.after == nullptr) return format("- {} {}", kind, text(*value.before));
  return format("~ {} {} -> {}", kind, text(*value.before), text(*value.after));
}

/// A heading with a count and the first entries below it; nothing without entries.
template <typename List, typename Line>
std::string section(std::string_view title, const List& list, const Line& line) {
  if (list.empty()) return "";
  std::string text = format("{}: {}\n", title, list.size());
  for (std::size_t i = 0; i < std::min(list.size(), max_listed_changes); ++i) {
    text += "  " + line(list[i]) + "\n";
  }
  if (list.size() > max_listed_changes)
    text += format("  ... and {} more\n", list.size() - max_listed_changes);
  return text;
}

std::string changed_node_text(const ChangedNode& node) {
  std::string text = format("~ {} {}{}", operator_of(*node.before), quote(node.before->name(), 80),
                            place_text(node.place));
  for (const FieldChange& change : node.changes) text += "\n      " + change_text(change);
  return text;
}

std::string renamed_text(const ModelDiff& diff) {
  std::vector<std::string> parts;
  if (!diff.renamed_nodes.empty()) parts.push_back(format("{} nodes", diff.renamed_nodes.size()));
  if (diff.renamed_inner_values > 0) {
    parts.push_back(format("{} inner values and stored tensors", diff.renamed_inner_values));
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "renamed: " : ", ") + part;
  return text.empty() ? text : text + "\n";
}

}  // namespace

Json diff_block(const ModelDiff& diff, std::string_view path) {
  return Json::object()
      .set("other", Json::object().set("path", path))
      .set("is_different", diff.is_different())
      .set("nodes", nodes_block(diff))
      .set("weights", weights_block(diff))
      .set("inputs", values_block(diff.values, false))
      .set("outputs", values_block(diff.values, true))
      .set("wiring", changes_block(diff.interface))
      .set("opsets", changes_block(diff.opsets))
      .set("metadata", changes_block(diff.metadata))
      .set("functions", changes_block(diff.functions))
      .set("header", changes_block(diff.header))
      .set("renamed_inputs", values_block(diff.renamed_values, false))
      .set("renamed_outputs", values_block(diff.renamed_values, true))
      .set("renamed_inner_values", diff.renamed_inner_values);
}

std::string diff_text(const ModelDiff& diff, std::string_view path, std::string_view other_path) {
  const bool has_other_names =
      !diff.renamed_nodes.empty() || !diff.renamed_values.empty() || diff.renamed_inner_values > 0;
  std::string text = format("{} -> {}\n", printable(path), printable(other_path));
  if (diff.is_different()) {
    text += "different\n";
  } else if (has_other_names || diff.reordered_nodes > 0) {
    text += has_other_names ? "the same under other names\n" : "the same in another order\n";
  } else {
    text += "the same\n";
  }
  text += format("nodes matched: {}, in another order: {}; equal stored tensors: {}\n",
                 diff.matched_nodes, diff.reordered_nodes, diff.same_weights);
  const auto unmatched = [](std::string_view sign) {
    return [sign](const UnmatchedNode& node) {
      return format("{} {} {}{} ({})", sign, operator_of(*node.node), quote(node.node->name(), 80),
                    place_text(node.place), neighbors_text(*node.node));
    };
  };
  text += section("inputs and outputs that differ", diff.values, changed_value_text);
  text += section("outputs with another producer", diff.interface, change_text);
  text += section("opsets that differ", diff.opsets, change_text);
  text += section("metadata that differ", diff.metadata, change_text);
  text += section("functions that differ", diff.functions, change_text);
  text += section("nodes added", diff.added, unmatched("+"));
  text += section("nodes removed", diff.removed, unmatched("-"));
  text += section("nodes changed", diff.changed, changed_node_text);
  text += section("stored tensors that differ", diff.weights, weight_text);
  text += section("inputs and outputs renamed", diff.renamed_values, changed_value_text);
  text += renamed_text(diff);
  text += section("header (not counted as a difference)", diff.header, change_text);
  return text;
}

}  // namespace ortool
