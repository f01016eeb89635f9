// Checks of model functions: no recursion, bounded call depth, bounded size after inlining.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/read/limits.hpp"
#include "libcore/onnx/read/read_function.hpp"

namespace ortool::onnx {
namespace {

constexpr std::int64_t max_call_depth = 100;

using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
using Index = std::map<Key, std::size_t>;

/// The node count of a graph including its subgraphs, and the functions that it calls.
struct Content {
  std::int64_t nodes = 0;
  std::vector<std::size_t> calls;
};

Content content_of(const Graph& graph, const Index& index) {
  Content content;
  std::vector<const Graph*> graphs = {&graph};
  while (!graphs.empty()) {
    const Graph& each = *graphs.back();
    graphs.pop_back();
    for (const Node& node : each.nodes()) {
      ++content.nodes;
      const auto called = index.find(Key(node.domain(), node.op_type(), node.overload()));
      if (called != index.end()) content.calls.push_back(called->second);
      for (const Graph* subgraph : node.subgraphs()) graphs.push_back(subgraph);
    }
  }
  return content;
}

enum class State : std::uint8_t { unseen, open, done };

struct Visit {
  std::size_t function;
  std::size_t next_call = 0;
};

class CallGraph {
 public:
  explicit CallGraph(const Model& model) : model_(model) {
    for (std::size_t i = 0; i < model.functions.size(); ++i) {
      const Function& function = model.functions[i];
      const auto [entry, is_new] =
          index_.emplace(Key(function.domain, function.name, function.overload), i);
      if (is_new) continue;
      throw Error(ErrorCode::invalid, format("function {} is defined twice", quote(function.name)),
                  "give each function a name of its own")
          .with_id("function.repeated");
    }
    for (const Function& function : model.functions) {
      contents_.push_back(content_of(*function.body, index_));
    }
    states_.resize(contents_.size(), State::unseen);
    sizes_.resize(contents_.size());
    depths_.resize(contents_.size());
  }

  void check() {
    for (std::size_t i = 0; i < contents_.size(); ++i) visit(i);
    const Content main = content_of(*model_.graph, index_);
    const std::int64_t size = size_of(main);
    if (size > LoadBudget::max_nodes) fail_size("the main graph");
  }

 private:
  void visit(std::size_t first) {
    if (states_[first] != State::unseen) return;
    std::vector<Visit> stack = {{first}};
    states_[first] = State::open;
    while (!stack.empty()) {
      Visit& top = stack.back();
      const Content& content = contents_[top.function];
      if (top.next_call == content.calls.size()) {
        finish(top.function);
        stack.pop_back();
        continue;
      }
      const std::size_t called = content.calls[top.next_call++];
      if (states_[called] == State::open) fail_cycle(stack, called);
      if (states_[called] == State::unseen) {
        states_[called] = State::open;
        stack.push_back({called});
      }
    }
  }

  void finish(std::size_t function) {
    const Content& content = contents_[function];
    states_[function] = State::done;
    sizes_[function] = size_of(content);
    for (const std::size_t called : content.calls) {
      depths_[function] = std::max(depths_[function], depths_[called] + 1);
    }
    const std::string name = quote(model_.functions[function].name);
    if (sizes_[function] > LoadBudget::max_nodes) fail_size("function " + name);
    if (depths_[function] > max_call_depth) {
      throw Error(ErrorCode::invalid,
                  format("function {} calls others more than {} deep", name, max_call_depth),
                  "no real model needs this; the file looks crafted")
          .with_id("function.depth");
    }
  }

  /// The number of nodes after inlining all calls; saturates just above the limit.
  std::int64_t size_of(const Content& content) const {
    std::int64_t size = content.nodes;
    for (const std::size_t called : content.calls) {
      size = std::min(size + sizes_[called], LoadBudget::max_nodes + 1);
    }
    return size;
  }

  [[noreturn]] void fail_cycle(const std::vector<Visit>& stack, std::size_t called) const {
    std::vector<std::string_view> names;
    bool is_inside = false;
    for (const Visit& each : stack) {
      is_inside |= each.function == called;
      if (is_inside) names.push_back(model_.functions[each.function].name);
    }
    throw Error(ErrorCode::invalid,
                format("functions call each other in a cycle: {}", list_names(names)),
                "a function may not call itself, not even through others")
        .with_id("function.cycle");
  }

  [[noreturn]] static void fail_size(const std::string& what) {
    throw Error(ErrorCode::invalid,
                format("{} has more than {} nodes once its functions are inlined", what,
                       LoadBudget::max_nodes),
                "no real model needs this; the file looks crafted")
        .with_id("function.size");
  }

  const Model& model_;
  Index index_;
  std::vector<Content> contents_;
  std::vector<State> states_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> depths_;
};

}  // namespace

void check_functions(const Model& model) {
  if (!model.functions.empty()) CallGraph(model).check();
}

}  // namespace ortool::onnx
