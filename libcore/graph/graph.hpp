// Graph, Node and Value: the in-memory graph, with use lists and captures of outer values.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "libcore/graph/attribute.hpp"
#include "libcore/graph/notes.hpp"
#include "libcore/graph/value_type.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

class Graph;
class Node;
class Value;

/// Maps a domain ("" for ai.onnx) to its opset version.
using OpsetImports = std::map<std::string, std::int64_t, std::less<>>;

/// A value's quantization annotation in the file: the tensors with its scale and zero point.
struct QuantizationAnnotation {
  std::string value;
  Metadata parameters;
  SourceSpelling spelling = SourceSpelling::not_from_file;
  Residue residue;
};

/// An opset import as stored in the file, for order and spelling; Graph::opsets() is authoritative.
struct DeclaredOpset {
  std::string domain;
  std::int64_t version = 0;
  SourceSpelling spelling = SourceSpelling::not_from_file;
  Residue residue;
};

/// A declaration of a value in the file that differs from the value's own properties.
struct OwnDeclaration {
  std::string name;
  ValueType type;
  SourceSpelling spelling = SourceSpelling::not_from_file;
  Notes notes;
};

/// An entry in the file that declares a value, by the value's properties or by its own.
struct DeclaredValue {
  Value* value = nullptr;  ///< null: no node produces it
  std::unique_ptr<OwnDeclaration> own;
};

/// An initializer that the file stores as sparse; the value's constant is its dense form.
struct SparseInitializer {
  Value* value = nullptr;
  SparseTensor tensor;
  const std::byte* dense_bytes = nullptr;  ///< of the dense form; other ones: a new tensor
};

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
  SourceSpelling spelling = SourceSpelling::not_from_file;

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

/// An operator applied to values, as plain data in the form and opset in which it was loaded.
class Node {
 public:
  std::int32_t id() const { return id_; }
  /// The name in the file, or "<OpType>_<index in the file>" if it has none.
  std::string_view name() const { return name_; }
  bool has_name_of_its_own() const { return has_name_; }
  std::string_view op_type() const { return op_type_; }
  /// Empty for ONNX's own operators ("ai.onnx" is stored as empty).
  std::string_view domain() const { return domain_; }
  Graph& graph() const { return *graph_; }

  std::int64_t input_count() const { return static_cast<std::int64_t>(inputs_.size()); }
  std::int64_t output_count() const { return static_cast<std::int64_t>(outputs_.size()); }
  /// Null when the index is past the end or the input is omitted.
  Value* input(std::int64_t index) const;
  Value* output(std::int64_t index) const;
  /// Outer values that the node's subgraphs capture, grouped by subgraph in order.
  std::int64_t implicit_input_count() const {
    return static_cast<std::int64_t>(implicit_inputs_.size());
  }
  Value* implicit_input(std::int64_t index) const;

  std::span<const Attribute> attributes() const { return attributes_; }
  const Attribute* find_attribute(std::string_view name) const;
  /// Adds or replaces the attribute.
  void set_attribute(Attribute attribute);
  bool remove_attribute(std::string_view name);
  /// For an existing attribute.
  void set_attribute_notes(std::string_view name, SourceSpelling attribute_spelling,
                           std::unique_ptr<Notes> notes);
  /// Creates an empty subgraph in the attribute `name`; `append` adds it to a list of graphs.
  Graph& make_subgraph(std::string_view name, bool append = false);
  /// All graphs in attributes, in order.
  std::vector<Graph*> subgraphs() const;

  /// The next and previous node in execution order; null at the ends.
  Node* next() const { return next_; }
  Node* previous() const { return previous_; }

  /// Distinguishes functions of the same name.
  std::string_view overload() const { return overload_; }
  void set_overload(std::string_view overload);
  const std::string& doc_string() const { return notes().doc_string; }
  const Metadata& metadata() const { return notes().metadata; }
  const Notes& notes() const;
  Notes& mutable_notes();
  SourceSpelling spelling = SourceSpelling::not_from_file;

 private:
  friend class Graph;

  struct Slot {
    Value* value = nullptr;
    std::int32_t use_position = -1;  ///< index of this slot in the value's use list
  };

  std::int32_t id_ = 0;
  std::string_view name_;
  bool has_name_ = false;
  std::string_view op_type_;
  std::string_view domain_;
  std::string_view overload_;
  Graph* graph_ = nullptr;
  std::unique_ptr<Notes> notes_;
  std::vector<Slot> inputs_;
  std::vector<Value*> outputs_;
  std::vector<Slot> implicit_inputs_;
  std::vector<Attribute> attributes_;
  Node* previous_ = nullptr;
  Node* next_ = nullptr;
};

/// Nodes in execution order; the node just visited may be removed.
class NodeRange {
 public:
  class Iterator {
   public:
    explicit Iterator(Node* node) : node_(node), next_(node != nullptr ? node->next() : nullptr) {}
    Node& operator*() const { return *node_; }
    Iterator& operator++() {
      *this = Iterator(next_);
      return *this;
    }
    bool operator!=(const Iterator& other) const { return node_ != other.node_; }

   private:
    Node* node_;
    Node* next_;
  };
  explicit NodeRange(Node* first) : first_(first) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(nullptr); }

 private:
  Node* first_;
};

/// A graph with its nodes and values. Not thread-safe while it changes; safe to read.
class Graph {
 public:
  explicit Graph(std::string name = {});
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  /// The node whose attribute holds this graph; null for a main graph or a function body.
  Node* owner() const { return owner_; }
  /// The opset version of `domain` in this graph, or 0; subgraphs use that of the outermost graph.
  std::int64_t opset(std::string_view domain) const;
  /// Only for a main graph or a function body.
  void set_opsets(OpsetImports opsets) { opsets_ = std::move(opsets); }
  const OpsetImports& opsets() const;
  /// The number of enclosing graphs: 0 for a main graph.
  int depth() const;

  // Values. Names are unique within a graph; an empty name requests a new unique one.
  Value& add_value(std::string_view name, ValueType type = {});
  Value& add_input(std::string_view name, ValueType type = {});
  Value& add_constant(std::string_view name, Tensor tensor);
  /// Makes the value a constant, or with an empty tensor a non-constant.
  void set_constant(Value& value, Tensor tensor);
  /// Moves the tensor out of a constant, which remains a constant of its type; the caller keeps the
  /// content.
  Tensor take_content(Value& constant);
  void add_output(Value& value);
  /// Makes an existing value without a producer a graph input.
  void mark_input(Value& value);
  /// Turns a graph input with a default into a constant.
  void make_default_constant(Value& input);
  Value* find_value(std::string_view name) const;
  /// The value inside this graph that captures `outer`, a value of the enclosing graph. Created on
  /// first use and removed with its last use.
  Value& capture(Value& outer);
  /// Removes a value without producer and uses.
  void remove_value(Value& value);
  /// `name` must be unused in this graph. Data stored by name follows the value.
  void rename_value(Value& value, std::string_view name);
  /// A name that was never used in the main graph or any graph nested in it: `base`, or `base` with
  /// a number appended.
  std::string unused_name(std::string_view base) const;

  std::span<Value* const> inputs() const { return inputs_; }
  std::span<Value* const> outputs() const { return outputs_; }
  std::span<Value* const> captures() const { return captures_; }
  void set_output(std::int64_t index, Value& value);
  /// All values, in order of creation.
  std::vector<Value*> values() const;
  std::int64_t value_count() const { return static_cast<std::int64_t>(live_values_); }

  // Nodes.
  /// Adds a node at the end of the order, or before `before`. Null inputs and outputs are omitted
  /// ones. Outputs must not have another producer.
  Node& add_node(std::string_view op_type, std::string_view domain, std::span<Value* const> inputs,
                 std::span<Value* const> outputs, std::string_view name = {},
                 Node* before = nullptr);
  /// Removes a node; its outputs remain as values without a producer.
  void remove_node(Node& node);
  void set_input(Node& node, std::int64_t index, Value* value);
  void add_input_to(Node& node, Value* value);
  void remove_last_input(Node& node);
  /// Redirects every use of `from` to `to`, including graph outputs.
  void replace_uses(Value& from, Value& to);
  /// Moves `node` before `before` (null: to the end).
  void move_node(Node& node, Node* before);

  NodeRange nodes() const { return NodeRange(first_); }
  Node* first_node() const { return first_; }
  std::int64_t node_count() const { return node_count_; }

  std::string doc_string;
  Metadata metadata;
  std::vector<QuantizationAnnotation> quantization_annotations;

  // Data needed only for writing the file; values removed from the graph may still be in these
  // lists.
  SourceSpelling spelling = SourceSpelling::not_from_file;
  Residue residue;
  std::vector<DeclaredOpset> declared_opsets;
  std::vector<DeclaredValue> declared_values;  ///< value_info, in file order
  std::vector<std::unique_ptr<OwnDeclaration>>
      output_declarations;  ///< by output; null: the value's own declaration
  std::vector<Value*> initializer_order;
  std::vector<SparseInitializer> sparse_initializers;

 private:
  friend class Node;
  friend class Value;
  struct Names {
    std::unordered_set<std::string> all;
  };

  std::string_view intern(std::string_view name);
  std::string fresh_name();
  void add_use(Value& value, Node::Slot& slot, Use use);
  void drop_use(Value& value, std::int32_t position);
  void link(Node& node, Node* before);
  void unlink(Node& node);
  void drop_capture(Value& value);
  void forget_capture(const Value& value);
  static Node::Slot* slot_of(const Use& use);

  std::string name_;
  std::shared_ptr<Names> names_;
  Node* owner_ = nullptr;
  OpsetImports opsets_;
  std::deque<Value> value_arena_;
  std::deque<Node> node_arena_;
  std::unordered_map<std::string_view, Value*> by_name_;
  std::vector<Value*> inputs_;
  std::vector<Value*> outputs_;
  std::vector<std::int32_t> output_use_positions_;
  std::vector<Value*> captures_;
  std::unordered_map<const Value*, Value*> capture_of_;
  Node* first_ = nullptr;
  Node* last_ = nullptr;
  std::int64_t node_count_ = 0;
  std::int64_t live_values_ = 0;
  std::int64_t next_fresh_ = 0;
  std::shared_ptr<const ValueType> last_type_;  ///< consecutive equal types are stored once
};

}  // namespace ortool
