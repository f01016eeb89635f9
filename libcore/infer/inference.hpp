// The state of one inference over a model: what is known of values, and how much work is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// Bodies and calls inside one another.
inline constexpr int most_open_graphs = 400;

/// The key of a function's name.
std::string name_of_callee(std::string_view domain, std::string_view name,
                           std::string_view overload);

/// Walks graphs in order, their bodies with what is known where they stand. One use.
class Inference {
 public:
  explicit Inference(Model& model);

  void infer_graph(const Graph& graph);
  /// A body given what is known of its inputs, as many as it has or none at all.
  std::vector<InferredValue> infer_body(const Graph& body, std::vector<InferredValue> inputs);

  /// The value's type; nameless dimensions of graph inputs have a symbol of their own here.
  const ValueType& type_of(const Value& value) const;
  // What is known of a value beyond its type; a captured value is looked up where it was captured.
  const Tensor* tensor_of(const Value& value) const;
  const KnownElements* elements_of(const Value& value) const;
  void set_tensor(const Value& value, const Tensor& tensor);
  void set_elements(const Value& value, KnownElements elements);
  void forget(const Value& value);
  InferredValue known_of(const Value& value) const;
  /// What is known of the elements of values that no constant holds, once all is inferred.
  std::unordered_map<const Value*, KnownElements> take_elements() { return std::move(elements_); }

  /// The value's declared type without the symbols that cannot be believed where `inferred` leaves
  /// a dimension open; nothing when all may stay. A symbol of a graph input is never believed of a
  /// value that a node makes, any other of one dimension only: equal symbols mean equal sizes to
  /// rewriting, and a file's word is no proof of that. Outputs of operators that say nothing of
  /// their types, as those of unknown domains, are what the file declares.
  std::optional<ValueType> believed_type(const Value& value, const ValueType& inferred);

  /// Once a value; the file's claim that its node contradicts.
  void warn(const Value& value, const ValueType& declared, const ValueType& inferred);

 private:
  struct Callee {
    const Function* function = nullptr;
    std::int64_t node_count = -1;  ///< of the body; -1 until counted
    /// Outputs by what is known of inputs and attributes.
    std::unordered_map<std::string, std::vector<InferredValue>> calls;
    int shown = 0;  ///< calls whose types the body itself was given
    std::vector<std::pair<Value*, ValueType>> declared;
  };

  void infer_node(Node& node);
  void infer_call(Node& node, Callee& callee);
  Callee* find_callee(const Node& node);
  std::vector<InferredValue> run_call(const Node& node, Callee& callee);
  /// The body shows the types of its only call; of several it keeps what the file declares.
  static void show_types(const Graph& copy, Callee& callee);
  /// Keeps what the file declares of a body's values, or sets them back to it.
  void reset_body(const Graph& body);

  void name_dimensions(const Value& input);
  /// Whether the symbol may fill the dimension `axis` of the value.
  bool claim_symbol(const std::string& symbol, const Value& value, std::size_t axis);

  Model& model_;
  std::unordered_map<const Value*, ValueType> input_types_;
  std::unordered_set<std::string> input_symbols_;
  /// The dimension that each symbol of values that nodes make was first believed of.
  std::unordered_map<std::string, std::pair<const Value*, std::size_t>> claimed_symbols_;
  std::unordered_map<const Value*, KnownElements> elements_;
  std::unordered_map<const Value*, Tensor> tensors_;
  std::int64_t element_count_ = 0;
  /// Types that the file declares inside bodies, which are inferred more than once.
  std::unordered_map<const Graph*, std::vector<std::pair<Value*, ValueType>>> declared_;
  std::unordered_set<const Value*> warned_;
  std::unordered_map<std::string, Callee> callees_;
  std::int64_t work_left_ = 0;     ///< nodes that repeated bodies may still take
  std::int64_t copied_nodes_ = 0;  ///< of function bodies, over all calls
  int open_graphs_ = 0;
};

}  // namespace ortool
