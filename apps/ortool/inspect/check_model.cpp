// Asking each gate and collecting what it throws.
#include "apps/ortool/inspect/check_model.hpp"

#include <algorithm>

#include "libcore/graph/verify.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/check_node.hpp"

namespace ortool {
namespace {

constexpr std::size_t most_problems = 1000;

template <typename Body>
void collect(std::vector<Error>& problems, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    const bool is_about_the_model =
        error.code() == ErrorCode::invalid || error.code() == ErrorCode::unsupported;
    if (!is_about_the_model) throw;
    problems.push_back(error);
  }
}

void check_nodes(const Model& model, const Graph& main_graph, const StopToken& stop,
                 std::vector<Error>& problems) {
  std::vector<const Graph*> open = {&main_graph};
  while (!open.empty()) {
    const Graph* graph = open.back();
    open.pop_back();
    for (const Node& node : graph->nodes()) {
      stop.poll();
      if (problems.size() >= most_problems) return;
      for (const Graph* inside : node.subgraphs()) open.push_back(inside);
      const bool is_function =
          model.find_function(node.domain(), node.op_type(), node.overload) != nullptr;
      if (!is_function) collect(problems, [&] { check_node(node); });
    }
  }
}

}  // namespace

std::vector<Error> find_problems(Model& model, const StopToken& stop) {
  std::vector<Error> problems;
  collect(problems, [&] { verify(*model.graph); });
  check_nodes(model, *model.graph, stop, problems);
  for (const Function& function : model.functions) {
    check_nodes(model, *function.body, stop, problems);
  }
  const bool is_valid = std::none_of(problems.begin(), problems.end(), [](const Error& error) {
    return error.code() == ErrorCode::invalid;
  });
  if (is_valid) collect(problems, [&] { infer_shapes(model); });
  return problems;
}

}  // namespace ortool
