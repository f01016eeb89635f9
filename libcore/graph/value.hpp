// Values of a graph: types, producers, use lists, constants.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/graph_fwd.hpp"
#include "libcore/graph/notes.hpp"
#include "libcore/graph/value_type.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

class Node;

/// One use of a value.
struct Use {
  enum class Kind : std::uint8_t { input, implicit_input, graph_output };
  Kind kind;
  Node* node;          ///< null for graph_output
  std::int32_t index;  ///< index among the inputs, implicit inputs or graph outputs
};

/// A value of a graph: a graph input, a constant, a node's output, or a captured outer value.
/// Modified through its Graph, except for the public setters here.
class Value {
 public:
  std::int32_t id() const { return id_; }
  std::string_view name() const { return name_; }
  Graph& graph() const { return *graph_; }
  /// Also false for a removed value, whose graph() must not be called.
  bool is_in(const Graph& graph) const { return graph_ == &graph; }
  const ValueType& type() const { return *type_; }
  void set_type(ValueType type);

  /// The node that produces it, or null.
  Node* producer() const { return producer_; }
  std::int32_t producer_index() const { return producer_index_; }
  std::span<const Use> uses() const { return uses_; }

  bool is_graph_input() const { return is_graph_input_; }
  bool is_graph_output() const;
  /// Holds a tensor that no run can change.
  bool is_constant() const {
    return !is_graph_input_ && (constant_ != nullptr || is_content_taken_);
  }
  /// A graph input that defaults to constant() if a run does not supply it.
  bool has_default() const { return is_graph_input_ && constant_ != nullptr; }
  /// The tensor, or an empty one. Must not be called once the content was taken.
  const Tensor& constant() const;
  /// Also false for a constant whose content was taken (Graph::take_content).
  bool has_content() const { return constant_ != nullptr; }
  /// In a subgraph: the value of the enclosing graph that this one captures, or null.
  Value* captured() const { return captured_; }

  bool is_external = false;  ///< a constant stored in a file beside the model
  const std::string& doc_string() const { return notes().doc_string; }
  const Metadata& metadata() const { return notes().metadata; }
  /// A shared empty instance for values without notes.
  const Notes& notes() const;
  Notes& mutable_notes();
  SourceFormat spelling = SourceFormat::not_from_file;

 private:
  friend class Graph;
  friend class Node;

  static const std::shared_ptr<const ValueType>& unknown_type();

  std::int32_t id_ = 0;
  std::string_view name_;
  Graph* graph_ = nullptr;
  std::shared_ptr<const ValueType> type_ = unknown_type();
  Node* producer_ = nullptr;
  std::int32_t producer_index_ = -1;
  std::vector<Use> uses_;
  bool is_graph_input_ = false;
  bool is_content_taken_ = false;
  std::unique_ptr<Tensor> constant_;
  std::unique_ptr<Notes> notes_;
  Value* captured_ = nullptr;
  std::int32_t capture_index_ = -1;
};

}  // namespace ortool
