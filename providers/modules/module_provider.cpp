// Module provider: claims of a module, and kernels that call it.
#include "providers/modules/module_provider.hpp"

#include <mutex>
#include <unordered_map>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/ops/session/subgraph.hpp"
#include "libcore/provider/subgraph_provider.hpp"
#include "libcore/provider/unavailable_provider.hpp"
#include "providers/modules/module_call.hpp"
#include "providers/modules/module_library.hpp"
#include "providers/modules/module_state.hpp"
#include "providers/modules/subgraph_kernel.hpp"

namespace ortool {
namespace {

using modules::GraphView;
using modules::ModuleCall;
using modules::ModuleState;

bool is_subgraph(const Node& node) {
  return node.op_type() == "Subgraph" && node.domain() == own_domain;
}

class ModuleProvider : public SubgraphProvider {
 public:
  ModuleProvider(std::shared_ptr<const ModuleState> state, std::shared_ptr<const Provider> fallback)
      : state_(std::move(state)), fallback_(std::move(fallback)) {}

  std::string_view name() const override { return state_->name(); }
  std::string version() const override { return state_->description(); }

  bool fuses_operators() const override { return state_->functions().fuses_operators != 0; }

  std::vector<std::string> subgraph_refusals(const Graph& graph) const override {
    const GraphView view(graph);
    ModuleCall call(
        {.provider = state_->name(), .precision = state_->precision(), .claimed = &view});
    call.run("claim", [&](ortool_provider_call* handle) {
      return state_->functions().claim(handle, state_->get(), &view.graph());
    });
    return call.take_refusals();
  }

  Claims claims(const Graph& graph) const override {
    Claims result;
    for (const Node& node : graph.nodes()) {
      if (is_subgraph(node) && read_op<Subgraph>(node).provider == name()) {
        result.taken.push_back({{&node}});
      } else {
        result.refused.push_back(
            {&node, "it takes nodes before they are lowered, and was not given this one"});
      }
    }
    return result;
  }

  KernelPtr compile(const NodeView& view, const CompileContext& context) const override {
    if (!is_subgraph(view.node())) {
      throw Error(ErrorCode::unsupported, format("provider '{}' compiles subgraphs, not {}", name(),
                                                 view.node().op_type()));
    }
    return std::make_unique<const modules::SubgraphKernel>(
        state_, fallback_, take_part(read_op<Subgraph>(view.node()).id), context);
  }

  std::int64_t keep_subgraph(std::unique_ptr<Model> part) const override {
    const std::lock_guard lock(mutex_);
    parts_.emplace(next_id_, std::move(part));
    return next_id_++;
  }

  std::vector<KernelDescription> kernels() const override { return {}; }

 private:
  std::unique_ptr<Model> take_part(std::int64_t id) const {
    const std::lock_guard lock(mutex_);
    const auto found = parts_.find(id);
    if (found == parts_.end())
      throw Error(ErrorCode::unsupported, format("there is no subgraph {} to compile", id));
    std::unique_ptr<Model> part = std::move(found->second);
    parts_.erase(found);
    return part;
  }

  mutable std::mutex mutex_;  ///< guards these two
  mutable std::unordered_map<std::int64_t, std::unique_ptr<Model>> parts_;
  mutable std::int64_t next_id_ = 0;
  std::shared_ptr<const ModuleState> state_;
  std::shared_ptr<const Provider> fallback_;
};

}  // namespace

std::shared_ptr<const Provider> make_module_provider(std::string_view name,
                                                     std::string_view missing_because,
                                                     const ProviderSettings& settings,
                                                     std::shared_ptr<const Provider> fallback) {
  const auto found = modules::find_modules();
  const auto module = found.find(name);
  if (module == found.end()) {
    return std::make_shared<UnavailableProvider>(
        name, modules::reason_of_missing_file(name, missing_because));
  }
  try {
    return std::make_shared<ModuleProvider>(
        std::make_shared<const ModuleState>(module->second, name, settings), std::move(fallback));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::provider_unavailable) throw;
    return std::make_shared<UnavailableProvider>(name, error);
  }
}

}  // namespace ortool
