// Execution provider interface: claims nodes of a graph and compiles them.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/function_ref.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/provider/cache/packed_bytes.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/node_view.hpp"
#include "libcore/provider/packing_budget.hpp"

namespace ortool {

/// Nodes that a provider runs as one kernel, first the node that determines the operator.
struct Claim {
  std::vector<const Node*> members;
};

/// A node that a provider refuses, and why, in words for the user.
struct Refusal {
  const Node* node;
  std::string reason;
};

struct Claims {
  std::vector<Claim> taken;
  std::vector<Refusal> refused;
};

class DerivedStore;

/// The resources of compile(): threads for packing, the cap that packed constants count against,
/// and where those of earlier sessions are kept.
struct CompileContext {
  Workers& workers;
  MemoryCap* cap = nullptr;          ///< may be null; outlives the kernels
  int max_threads = 1;               ///< of any run; workspaces are sized for them
  PackingBudget* packing = nullptr;  ///< null: every constant matrix is packed
  DerivedStore* derived = nullptr;   ///< null: nothing is kept

  /// The packed constants of the kernel that is compiled: kept ones, or new memory that `fill`
  /// fills. `parameters` are those of the packing that do not follow from the nodes: instruction
  /// set, precision, algorithm. Where `derived` reads, content of constants may be read by `fill`
  /// only, since it may be neither aligned nor in memory.
  PackedBytes pack(std::int64_t bytes, std::initializer_list<std::int64_t> parameters,
                   FunctionRef<void(std::byte*)> fill) const;
};

/// An entry of a provider's kernel list, for `ortool providers --kernels`.
struct KernelDescription {
  std::string_view name;
  std::string_view domain;
  std::string_view op_type;
  std::string_view isa;
  std::string_view types;
};

/// Runs nodes with its own kernels. Immutable after construction and thread-safe.
class Provider {
 public:
  virtual ~Provider() = default;

  virtual std::string_view name() const = 0;
  virtual std::string version() const = 0;
  /// Empty when it is available on this machine, otherwise the reason and a remedy.
  virtual std::string unavailable_because() const { return {}; }

  /// The nodes of `graph` it takes, in groups; for each of the others a reason. Every node of the
  /// graph has passed check_node and shape inference. Bodies are graphs of their own; the runtime
  /// claims the nodes that hold them before any provider is asked.
  virtual Claims claims(const Graph& graph) const = 0;
  /// Why it does not run a node alone that it claimed as a follower; empty: it does. Groups are
  /// split when fusion is disabled, or when another provider has some of their nodes.
  virtual std::string refuses_alone(const Node& node) const {
    static_cast<void>(node);
    return {};
  }
  /// The supported layout assignments of a group that it claimed, the plain one first; an empty
  /// list means plain only. The session chooses (libcore/lower/assign_layouts.hpp), and the view
  /// passed to compile() holds the choice.
  virtual std::vector<LayoutChoice> layouts(const NodeView& group) const {
    static_cast<void>(group);
    return {};
  }
  /// Compiles a group that it claimed. Throws ErrorCode::unsupported for any other.
  virtual KernelPtr compile(const NodeView& view, const CompileContext& context) const = 0;
  /// Its kernels, best first for each operator.
  virtual std::vector<KernelDescription> kernels() const = 0;
};

}  // namespace ortool
