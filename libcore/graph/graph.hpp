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

#include "libcore/graph/graph_fwd.hpp"
#include "libcore/graph/node.hpp"
#include "libcore/graph/notes.hpp"
#include "libcore/graph/value.hpp"
#include "libcore/graph/value_type.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Maps a domain ("" for ai.onnx) to its opset version.
using OpsetImports = std::map<std::string, std::int64_t, std::less<>>;

/// A value's quantization annotation in the file: the tensors with its scale and zero point.
struct QuantizationAnnotation {
  std::string value;
  Metadata parameters;
  SourceFormat spelling = SourceFormat::not_from_file;
  Residue residue;
};

/// An opset import as stored in the file, for order and spelling; Graph::opsets() is authoritative.
struct DeclaredOpset {
  std::string domain;
  std::int64_t version = 0;
  SourceFormat spelling = SourceFormat::not_from_file;
  Residue residue;
};

/// A declaration of a value in the file that differs from the value's own properties.
struct OwnDeclaration {
  std::string name;
  ValueType type;
  SourceFormat spelling = SourceFormat::not_from_file;
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
  SourceFormat spelling = SourceFormat::not_from_file;
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
