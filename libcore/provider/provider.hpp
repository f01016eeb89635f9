// The interface of an execution provider: what it takes, and how it computes it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/provider/aligned_constants.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/node_view.hpp"
#include "libcore/provider/packing_budget.hpp"

namespace ortool {

/// Nodes that a provider takes as one kernel, first the node that gives the operator.
struct Claim {
  std::vector<const Node*> members;
};

/// A node a provider does not take, and why, in words for the user.
struct Refusal {
  const Node* node;
  std::string reason;
};

struct Claims {
  std::vector<Claim> taken;
  std::vector<Refusal> refused;
};

/// What compile() may use: threads for packing, and the cap that packed constants count against.
struct CompileContext {
  Workers& workers;
  MemoryCap* cap = nullptr;          ///< may be null; outlives the kernels
  int most_threads = 1;              ///< that any run will bring; workspaces are sized for them
  PackingBudget* packing = nullptr;  ///< null: every constant matrix is packed
  /// The bytes of constants as they lie in the model; null where the graph has those.
  const AlignedConstants* constants = nullptr;

  /// The constant of `value` as it lies in the model, aligned to anything: keeping it costs
  /// nothing.
  const Tensor& original(const Value& value) const {
    return constants != nullptr ? constants->original(value) : value.constant();
  }
};

/// A row of a provider's kernel list, for `ortool providers --kernels`.
struct KernelDescription {
  std::string_view name;
  std::string_view domain;
  std::string_view op_type;
  std::string_view isa;
  std::string_view types;
};

/// Computes nodes in a way of its own. Const after construction and safe for many threads.
class Provider {
 public:
  virtual ~Provider() = default;

  virtual std::string_view name() const = 0;
  virtual std::string version() const = 0;
  /// Empty when it can be used here, else why not and what to do.
  virtual std::string unavailable_because() const { return {}; }

  /// The nodes of `graph` it takes, in groups; for each of the rest a reason. Every node of the
  /// graph has passed check_node and shape inference. Bodies are graphs of their own; the nodes
  /// that hold them are claimed by the runtime before anybody is asked.
  virtual Claims claims(const Graph& graph) const = 0;
  /// Why it does not compute a node alone that it claimed behind another one; empty: it does.
  /// Groups are taken apart where nothing is to be fused, or another provider has some of their
  /// nodes.
  virtual std::string refuses_alone(const Node& node) const {
    static_cast<void>(node);
    return {};
  }
  /// The ways a group that it claimed can be computed, the plain one first; an empty list stands
  /// for that one alone. The session chooses (libcore/lower/assign_layouts.hpp), and the view that
  /// compile() sees holds the choice.
  virtual std::vector<LayoutChoice> layouts(const NodeView& group) const {
    static_cast<void>(group);
    return {};
  }
  /// Compiles what it claimed. Throws ErrorCode::unsupported for what it did not.
  virtual KernelPtr compile(const NodeView& view, const CompileContext& context) const = 0;
  /// The kernels it has, best first for each operator.
  virtual std::vector<KernelDescription> kernels() const = 0;
};

}  // namespace ortool
