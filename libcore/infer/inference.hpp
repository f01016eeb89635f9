// Inference: the state of one shape inference over a model, with known values and work limits.
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

/// The maximum nesting depth of bodies and calls.
inline constexpr int max_open_graphs = 400;

/// The lookup key of a function.
std::string name_of_callee(std::string_view domain, std::string_view name,
                           std::string_view overload);

/// Infers graphs in order, and bodies in the context of their nodes. For single use.
class Inference {
 public:
  explicit Inference(Model& model);

  void infer_graph(const Graph& graph);
  /// Infers a body, given what is known of its inputs (one entry for each, or none at all).
  std::vector<InferredValue> infer_body(const Graph& body, std::vector<InferredValue> inputs);

  /// The type of a value; unnamed dimensions of graph inputs have a generated symbol here.
  const ValueType& type_of(const Value& value) const;
  // What is known of a value beyond its type; captured values are looked up at their origin.
  const Tensor* tensor_of(const Value& value) const;
  const KnownElements* elements_of(const Value& value) const;
  void set_tensor(const Value& value, const Tensor& tensor);
  void set_elements(const Value& value, KnownElements elements);
  void forget(const Value& value);
  InferredValue known_of(const Value& value) const;
  /// The known elements of values that are not constants, after inference.
  std::unordered_map<const Value*, KnownElements> take_elements() { return std::move(elements_); }

  /// The declared type of a value, with those symbols made unknown that are not trusted for a
  /// dimension that `inferred` leaves unknown; nothing when all are trusted. Rewriting takes equal
  /// symbols for equal sizes, which a declaration does not prove: a symbol of a graph input is
  /// never trusted for an inner value, any other symbol for one dimension only. What a file
  /// declares for outputs of operators without inference, such as those of unknown domains, is
  /// kept.
  std::optional<ValueType> trusted_type(const Value& value, const ValueType& inferred);

  /// Reports a declared type that contradicts the inferred one, once for each value.
  void warn(const Value& value, const ValueType& declared, const ValueType& inferred);

 private:
  struct Callee {
    const Function* function = nullptr;
    std::int64_t node_count = -1;  ///< of the body; -1 until counted
    /// Results of calls by what is known of their inputs and attributes.
    std::unordered_map<std::string, std::vector<InferredValue>> calls;
    int shown = 0;  ///< number of calls whose types the body was given
    std::vector<std::pair<Value*, ValueType>> declared;
  };

  void infer_node(Node& node);
  void infer_call(Node& node, Callee& callee);
  Callee* find_callee(const Node& node);
  std::vector<InferredValue> run_call(const Node& node, Callee& callee);
  /// The body shows the types of its only call; with several calls it keeps the declared ones.
  static void show_types(const Graph& copy, Callee& callee);
  /// Saves the declared types of a body's values, or restores them.
  void reset_body(const Graph& body);

  void name_dimensions(const Value& input);
  /// Whether the symbol may name dimension `axis` of the value.
  bool claim_symbol(const std::string& symbol, const Value& value, std::size_t axis);

  Model& model_;
  std::unordered_map<const Value*, ValueType> input_types_;
  std::unordered_set<std::string> input_symbols_;
  /// The dimension that each symbol of inner values was first trusted for.
  std::unordered_map<std::string, std::pair<const Value*, std::size_t>> claimed_symbols_;
  std::unordered_map<const Value*, KnownElements> elements_;
  std::unordered_map<const Value*, Tensor> tensors_;
  std::int64_t element_count_ = 0;
  /// Declared types inside bodies, which are inferred more than once.
  std::unordered_map<const Graph*, std::vector<std::pair<Value*, ValueType>>> declared_;
  std::unordered_set<const Value*> warned_;
  std::unordered_map<std::string, Callee> callees_;
  std::int64_t work_left_ = 0;     ///< node budget for repeated inference of bodies
  std::int64_t copied_nodes_ = 0;  ///< in function bodies, over all calls
  int open_graphs_ = 0;
};

}  // namespace ortool
