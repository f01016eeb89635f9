// Divergence search: runs both sessions in lockstep until a pair of values differs.
#include "libcore/verify/divergence.hpp"

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/diff.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// How many nodes compute a value of each name, over all graphs.
std::unordered_map<std::string_view, int> count_names(const Model& model) {
  std::unordered_map<std::string_view, int> counts;
  for (const Node* node : nodes_in(model)) {
    for (std::int64_t i = 0; i < node->output_count(); ++i) {
      if (node->output(i) != nullptr) ++counts[node->output(i)->name()];
    }
  }
  return counts;
}

/// Values to compare; empty when those of the same names are.
std::vector<ValuePair> pair_values(const Model& model, const Model& other, const StopToken* stop) {
  DiffOptions options;
  options.reads_weights = false;
  options.stop = stop;
  const ModelDiff diff = diff_models(model, other, options);
  const auto mine = count_names(model);
  const auto others = count_names(other);
  const auto is_unique = [](const auto& counts, std::string_view name) {
    const auto found = counts.find(name);
    return found != counts.end() && found->second == 1;
  };
  std::vector<ValuePair> pairs;
  std::unordered_set<std::string_view> paired;
  std::unordered_set<std::string_view> taken;
  bool has_renamed = false;
  for (const auto& [before, after] : diff.matched_values) {
    if (!is_unique(mine, before->name()) || !is_unique(others, after->name())) continue;
    pairs.push_back({std::string(before->name()), std::string(after->name())});
    paired.insert(before->name());
    taken.insert(after->name());
    has_renamed = has_renamed || before->name() != after->name();
  }
  if (!has_renamed) return {};
  for (const auto& [name, count] : mine) {
    if (count == 1 && is_unique(others, name) && paired.count(name) == 0 && taken.count(name) == 0)
      pairs.push_back({std::string(name), std::string(name)});
  }
  return pairs;
}

/// False for values that mean different things: a float and what it was quantized to.
bool are_comparable(const RunValue& mine, const RunValue& others) {
  const bool are_tensors =
      mine.kind() == RunValue::Kind::tensor && others.kind() == RunValue::Kind::tensor;
  if (!are_tensors) return true;
  const DataType type = mine.tensor().type();
  const DataType other = others.tensor().type();
  return type == other || (is_floating_point(type) && is_floating_point(other));
}

/// Floats of two types are compared as the narrower one.
Judge::Verdict compare_values(const Judge& judge, const RunValue& mine, const RunValue& others) {
  if (mine.kind() != RunValue::Kind::tensor || others.kind() != RunValue::Kind::tensor)
    return judge.compare_output(mine, others);
  const DataType type = mine.tensor().type();
  const DataType other = others.tensor().type();
  if (bytes_of(type, 1) < bytes_of(other, 1))
    return judge.compare_output(mine, RunValue(convert(others.tensor(), type)));
  if (type != other) return judge.compare_output(RunValue(convert(mine.tensor(), other)), others);
  return judge.compare_output(mine, others);
}

}  // namespace

DivergenceSearch find_divergence(const ObservedRun& run, const ObservedRun& other,
                                 const Judge& judge) {
  DivergenceSearch search;
  PairedRuns runs(pair_values(run.session.model(), other.session.model(), run.options.stop));
  runs.run(run, other,
           [&](const Node& node, std::int64_t index, const RunValue& mine, const RunValue& others) {
             if (!are_comparable(mine, others)) return true;
             ++search.matched_values;
             if (search.first) return true;
             const Judge::Verdict verdict = compare_values(judge, mine, others);
             if (verdict.has_passed) return true;
             search.first = Divergence{std::string(node.name()), std::string(node.op_type()),
                                       std::string(node.output(index)->name()), verdict.reason,
                                       verdict.comparison.sqnr_db};
             return true;
           });
  search.values = runs.computed();
  return search;
}

}  // namespace ortool
