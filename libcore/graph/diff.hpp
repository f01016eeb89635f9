// What is different between two models, whatever their nodes and values are called and in whatever
// order they stand.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/stop_token.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/tensor/delta.hpp"

namespace ortool {

struct DiffOptions {
  bool reads_weights = true;        ///< false: stored tensors count by type and shape alone
  const StopToken* stop = nullptr;  ///< polled all along
  /// Whether the attribute says what holds without it; may be empty: then none does.
  std::function<bool(const Node&, const Attribute&)> is_default = {};
  /// Whether the order of the node's inputs means nothing; may be empty: then it always does mean
  /// something.
  std::function<bool(const Node&)> is_commutative = {};
};

/// One thing as text, before and after; nothing where it is absent.
struct FieldChange {
  std::string field;  ///< "attribute pads", "input 1", "opset ai.onnx"
  std::optional<std::string> before;
  std::optional<std::string> after;
};

/// A node that only one of the models has.
struct LoneNode {
  const Node* node;
  std::string place;  ///< "" in the main graph, else "then_branch of 'If_3'" or "function f"
};

struct ChangedNode {
  const Node* before;
  const Node* after;
  std::string place;
  std::vector<FieldChange> changes;
};

/// An input or output of the main graph; the name or type is absent where the model lacks it.
struct ChangedValue {
  bool is_output;
  const Value* before;  ///< null: added
  const Value* after;   ///< null: removed
};

/// A stored tensor: an initialiser, an input's default, or what a Constant node holds.
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
  std::vector<LoneNode> added;
  std::vector<LoneNode> removed;
  std::vector<ChangedNode> changed;
  std::vector<ChangedWeight> weights;
  std::vector<ChangedValue> values;    ///< inputs and outputs: added, removed or of another type
  std::vector<FieldChange> interface;  ///< outputs that another node makes
  std::vector<FieldChange> opsets;
  std::vector<FieldChange> metadata;
  std::vector<FieldChange> functions;        ///< added, removed, or with other attributes
  std::vector<FieldChange> header;           ///< producer, versions, doc strings: no difference
  std::vector<RenamedNode> renamed_nodes;    ///< no difference
  std::vector<ChangedValue> renamed_values;  ///< inputs and outputs: no difference
  std::int64_t matched_nodes = 0;
  std::int64_t reordered_nodes = 0;       ///< the fewest to move to get the other order
  std::int64_t renamed_inner_values = 0;  ///< results of nodes and stored tensors
  std::int64_t same_weights = 0;

  /// Whether the models do different things: renaming, reordering, the header and how often equal
  /// tensors are stored do not count.
  bool is_different() const;
};

/// Compares the models as their files have them; shapes inside are not looked at, and neither are
/// doc strings and metadata of nodes and values. Nodes are matched by what they do and what they
/// are connected to, names decide between equals. The time grows with edges and bytes of weights.
ModelDiff diff_models(const Model& before, const Model& after, const DiffOptions& options = {});

}  // namespace ortool
