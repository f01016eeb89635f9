// Defined operators: kept as text, and parsed anew for each model, which owns its functions.
#include "libcore/api/defined_ops.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

/// Domain, name and overload.
using FunctionKey = std::tuple<std::string, std::string, std::string>;

FunctionKey key_of(const Function& function) {
  return {function.domain, function.name, function.overload};
}

struct DefinedOps {
  std::mutex mutex;
  /// For each function, the text that defines it, among others perhaps.
  std::map<FunctionKey, std::shared_ptr<const std::string>> texts;
};

DefinedOps& defined_ops() {
  static auto* const instance = new DefinedOps;
  return *instance;
}

/// What the nodes of a graph and of its bodies may call.
void gather_calls(const Graph& graph, std::set<FunctionKey>& calls) {
  for (const Graph* each : graphs_in(graph)) {
    for (const Node& node : each->nodes())
      calls.insert(
          {std::string(node.domain()), std::string(node.op_type()), std::string(node.overload())});
  }
}

}  // namespace

void define_ops(std::string_view text, const std::string& name) {
  try {
    const std::vector<Function> functions = parse_functions(text);
    const auto kept = std::make_shared<const std::string>(text);
    if (functions.empty()) {
      throw Error(ErrorCode::invalid, "defines no function",
                  "write <domain: \"my.domain\", opset_import: [\"\": 18]> Twice (x) => (y) { y = "
                  "Add (x, x) }")
          .with_id("custom_op.definition");
    }
    for (const Function& function : functions) {
      if (!canonical_domain(function.domain).empty()) continue;
      throw Error(ErrorCode::invalid,
                  format("function {} has no domain of its own", quote(function.name)),
                  "operators of ONNX cannot be defined anew; write <domain: \"my.domain\", …>")
          .with_id("custom_op.definition");
    }
    DefinedOps& all = defined_ops();
    const std::lock_guard lock(all.mutex);
    for (const Function& function : functions) all.texts.insert_or_assign(key_of(function), kept);
  } catch (Error& error) {
    throw error.in(name);
  }
}

void add_defined_ops(Model& model) {
  DefinedOps& all = defined_ops();
  const std::lock_guard lock(all.mutex);
  if (all.texts.empty()) return;
  std::set<FunctionKey> own;
  std::set<FunctionKey> calls;
  gather_calls(*model.graph, calls);
  for (const Function& function : model.functions) {
    own.insert(key_of(function));
    gather_calls(*function.body, calls);
  }
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const FunctionKey& call : std::set<FunctionKey>(calls)) {
      const auto found = all.texts.find(call);
      if (found == all.texts.end() || own.contains(call)) continue;
      for (Function& function : parse_functions(*found->second)) {
        if (key_of(function) != call) continue;
        gather_calls(*function.body, calls);
        own.insert(call);
        model.functions.push_back(std::move(function));
        has_changed = true;
        break;
      }
    }
  }
}

}  // namespace ortool
