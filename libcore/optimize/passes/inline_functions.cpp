// Function inlining by a worklist of graphs; inlined bodies may contain further calls.
#include "libcore/optimize/passes/inline_functions.hpp"

#include <map>
#include <tuple>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/nested_names.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/body_copier.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/infer/instantiate.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/optimize/passes/passes.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_inlined_nodes = 1'000'000;
constexpr int max_nested_calls = 100;

class Inliner {
 public:
  explicit Inliner(Model& model) : model_(model) {
    for (const Function& function : model.functions) {
      functions_.emplace(Name(canonical_domain(function.domain), function.name, function.overload),
                         &function);
    }
  }

  void run() {
    std::vector<Graph*> open = {model_.graph.get()};
    while (!open.empty()) {
      Graph& graph = *open.back();
      open.pop_back();
      inline_calls(graph);
      for (const Node& node : graph.nodes()) {
        for (Graph* body : node.subgraphs()) open.push_back(body);
      }
    }
  }

 private:
  using Name = std::tuple<std::string_view, std::string_view, std::string_view>;

  const Function* callee(const Node& node) const {
    const auto found = functions_.find(Name(node.domain(), node.op_type(), node.overload()));
    return found != functions_.end() ? found->second : nullptr;
  }

  void inline_calls(Graph& graph) {
    std::map<const Node*, int> depths;  ///< of inlined nodes
    for (Node* node = graph.first_node(); node != nullptr;) {
      const Function* function = callee(*node);
      if (function == nullptr) {
        node = node->next();
        continue;
      }
      const auto known = depths.find(node);
      const int depth = known != depths.end() ? known->second + 1 : 1;
      Node* const before = node->previous();
      Node* const behind = node->next();
      inline_call(graph, *node, *function, depth);
      Node* const first = before != nullptr ? before->next() : graph.first_node();
      for (Node* made = first; made != behind; made = made->next()) depths[made] = depth;
      node = first;
    }
  }

  void inline_call(Graph& graph, Node& call, const Function& function, int depth) {
    inlined_nodes_ += count_nodes(*function.body);
    if (depth > max_nested_calls || inlined_nodes_ > max_inlined_nodes) {
      throw Error(
          ErrorCode::invalid,
          format("calls of function '{}' do not terminate (limits: {} nested calls, {} nodes)",
                 function.name, max_nested_calls, max_inlined_nodes),
          "a function must not call itself")
          .at_node(call.name(), call.op_type())
          .with_id("function.recursion");
    }
    check_opsets(graph, call, function);
    BodyCopier copier(function, call);
    copier.copy_nodes_before_call(graph, call);
    std::vector<Value*> outputs;
    for (std::int64_t i = 0; i < call.output_count(); ++i) outputs.push_back(call.output(i));
    Node* const behind = call.next();
    graph.remove_node(call);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] == nullptr || i >= function.body->outputs().size()) continue;
      Value& made = *copier.copy_of(*function.body->outputs()[i]);
      // Graph outputs keep their names.
      if (outputs[i]->is_graph_output()) {
        Value* const from[] = {&made};
        Value* const to[] = {outputs[i]};
        graph.add_node("Identity", "", from, to, {}, behind);
      } else {
        graph.replace_uses(*outputs[i], made);
      }
    }
  }

  /// Inlined nodes are interpreted by the opsets of their new graph.
  static void check_opsets(const Graph& graph, const Node& call, const Function& function) {
    std::vector<const Graph*> open = {function.body.get()};
    while (!open.empty()) {
      const Graph& body = *open.back();
      open.pop_back();
      for (const Node& node : body.nodes()) {
        for (const Graph* inner : node.subgraphs()) open.push_back(inner);
        const std::int64_t own = body.opset(node.domain());
        const std::int64_t around = graph.opset(node.domain());
        const OpEntry* entry = find_op(node.domain(), node.op_type());
        if (entry == nullptr || own == around) continue;
        if (own > 0 && around > 0 && entry->schema->at(own) == entry->schema->at(around)) continue;
        throw Error(
            ErrorCode::unsupported,
            format(
                "function '{}' uses {} of opset {}, which the model's opset {} defines differently",
                function.name, node.op_type(), own, around),
            "export the model with the same opset for its functions")
            .at_node(call.name(), call.op_type())
            .with_id("function.opset");
      }
    }
  }

  Model& model_;
  std::map<Name, const Function*> functions_;
  std::int64_t inlined_nodes_ = 0;
};

}  // namespace

void inline_functions(Model& model) {
  if (model.functions.empty()) return;
  Inliner(model).run();
  make_names_unique(*model.graph);
}

Pass inline_functions_pass() {
  return {.name = "inline-functions",
          .summary = "inlines calls of the model's own functions",
          .run = [](Model& model, const RewriteOptions& options, RewriteReport& report) {
            if (model.functions.empty()) return;
            PassNotes notes("inline-functions", options, report);
            try {
              inline_functions(model);
            } catch (const Error& error) {
              if (error.code() != ErrorCode::unsupported) throw;
              notes.left("the model", error.message());
              return;
            }
            for (const Function& function : model.functions) notes.changed(function.name);
            model.functions.clear();
            infer_shapes(model);
          }};
}

}  // namespace ortool
