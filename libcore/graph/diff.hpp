// Structural diff of two models, independent of the names of nodes and values and of their order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/stop_token.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/tensor/delta.hpp"

namespace ortool {

struct DiffOptions {
  bool reads_weights = true;        ///< false: compares stored tensors by type and shape only
  const StopToken* stop = nullptr;  ///< polled throughout
  /// Whether the attribute only restates its default; if empty, no attribute does.
  std::function<bool(const Node&, const Attribute&)> is_default = {};
  /// Whether the order of the node's inputs is irrelevant; if empty, it always matters.
  std::function<bool(const Node&)> is_commutative = {};
};

/// One difference as text, before and after; nothing where it is absent.
struct FieldChange {
  std::string field;  ///< "attribute pads", "input 1", "opset ai.onnx"
  std::optional<std::string> before;
  std::optional<std::string> after;
};

/// A node that exists in only one of the models.
struct UnmatchedNode {
  const Node* node;
  std::string place;  ///< "" in the main graph, else "then_branch of 'If_3'" or "function f"
};

struct ChangedNode {
  const Node* before;
  const Node* after;
  std::string place;
  std::vector<FieldChange> changes;
};

/// An input or output of the main graph; the name or type is absent if the model does not have it.
struct ChangedValue {
  bool is_output;
  const Value* before;  ///< null: added
  const Value* after;   ///< null: removed
};

/// A stored tensor: an initializer, an input's default, or the value of a Constant node.
struct ChangedWeight {
  const Value* before;  ///< null: added
  const Value* after;   ///< null: removed
  std::string place;
  std::optional<TensorDelta> delta;
};

struct RenamedNode {
  const Node* before;
  const Node* after;
};

/// Points into both models, which must outlive it.
struct ModelDiff {
  std::vector<UnmatchedNode> added;
  std::vector<UnmatchedNode> removed;
  std::vector<ChangedNode> changed;
  std::vector<ChangedWeight> weights;
  std::vector<ChangedValue> values;    ///< inputs and outputs: added, removed or with another type
  std::vector<FieldChange> interface;  ///< outputs computed by another node
  std::vector<FieldChange> opsets;
  std::vector<FieldChange> metadata;
  std::vector<FieldChange> functions;        ///< added, removed, or with changed attributes
  std::vector<FieldChange> header;           ///< producer, versions, doc strings: no difference
  std::vector<RenamedNode> renamed_nodes;    ///< no difference
  std::vector<ChangedValue> renamed_values;  ///< inputs and outputs: no difference
  std::vector<std::pair<const Value*, const Value*>> matched_values;  ///< of matched nodes
  std::int64_t matched_nodes = 0;
  std::int64_t reordered_nodes = 0;       ///< minimum number of moves to get the other order
  std::int64_t renamed_inner_values = 0;  ///< node results and stored tensors
  std::int64_t same_weights = 0;

  /// Whether the models compute different things. Renaming, reordering, header fields and the
  /// duplication of equal tensors do not count.
  bool is_different() const;
};

/// Compares the models as stored in their files; inner shapes, doc strings and metadata of nodes
/// and values are ignored. Nodes are matched by what they compute and how they are connected; names
/// break ties. Takes time proportional to edges and bytes of weights.
ModelDiff diff_models(const Model& before, const Model& after, const DiffOptions& options = {});

}  // namespace ortool
