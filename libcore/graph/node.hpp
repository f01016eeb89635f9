// Nodes of a graph: operators applied to values, in execution order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/attribute.hpp"
#include "libcore/graph/graph_fwd.hpp"
#include "libcore/graph/notes.hpp"
#include "libcore/graph/value.hpp"

namespace ortool {

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
  /// The number of graphs around the node's graph: 0 in a main graph.
  int depth() const;
  /// The version of its domain that the graph is written for, or 0.
  std::int64_t opset() const;

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
  void set_attribute_notes(std::string_view name, SourceFormat attribute_spelling,
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
  SourceFormat spelling = SourceFormat::not_from_file;

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

}  // namespace ortool
