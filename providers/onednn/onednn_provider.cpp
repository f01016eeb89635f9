// onednn provider: claims nodes by the kernel list and fuses the nodes that a kernel absorbs.
#include "providers/onednn/onednn_provider.hpp"

#include <oneapi/dnnl/dnnl.h>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/provider/node_group.hpp"
#include "libcore/provider/unavailable_provider.hpp"
#include "providers/onednn/kernel_list.hpp"

namespace ortool {
namespace {

using onednn::KernelRow;

/// Sets oneDNN's maximum instruction set, which is possible until its first use; false if it has
/// another one.
bool set_level(cpu::Isa most) {
  const dnnl_cpu_isa_t wanted = most >= cpu::Isa::avx512 ? dnnl_cpu_isa_all
                                : most == cpu::Isa::avx2 ? dnnl_cpu_isa_avx2
                                                         : dnnl_cpu_isa_sse41;
  if (dnnl_set_max_cpu_isa(wanted) == dnnl_success) return true;
  const dnnl_cpu_isa_t found = dnnl_get_effective_cpu_isa();
  return most >= cpu::Isa::avx512 ? found >= dnnl_cpu_isa_avx512_core : found == wanted;
}

const KernelRow* find_row(const Node& node) {
  if (!node.domain().empty()) return nullptr;
  for (const KernelRow& row : onednn::kernel_list()) {
    if (row.op_type == node.op_type()) return &row;
  }
  return nullptr;
}

class OnednnProvider : public Provider {
 public:
  explicit OnednnProvider(cpu::Isa most) : isa_(most), has_isa_(set_level(most)) {
    tools_.cache = std::make_shared<onednn::PrimitiveCache>();
    tools_.isa = most;
    tools_.blocked = most >= cpu::Isa::avx512 ? Layout::blocked16 : Layout::blocked8;
    tools_.block = block_of(tools_.blocked);
  }

  std::string_view name() const override { return "onednn"; }
  std::string version() const override {
    const dnnl_version_t* version = dnnl_version();
    return format("{}.{}.{}", version->major, version->minor, version->patch);
  }
  std::string unavailable_because() const override {
    if (has_isa_) return {};
    return format("oneDNN is already in use with another instruction set than {}",
                  cpu::isa_name(isa_));
  }

  Claims claims(const Graph& graph) const override {
    Claims result;
    std::unordered_set<const Node*> absorbed;
    for (const Node& node : graph.nodes()) {
      if (absorbed.contains(&node)) continue;
      const KernelRow* row = find_row(node);
      std::string reason = refuses_alone(node);
      if (!reason.empty()) {
        result.refused.push_back({&node, std::move(reason)});
        continue;
      }
      const auto absorbs = [row](const NodeView& group, const Node& next) {
        return row->absorbs != nullptr && row->absorbs(group, next);
      };
      result.taken.push_back({gather_group(node, absorbed, absorbs)});
    }
    return result;
  }

  std::string refuses_alone(const Node& node) const override {
    const KernelRow* row = find_row(node);
    return row != nullptr ? row->refuses(NodeView(node), tools_)
                          : format("oneDNN is not used for {}", node.op_type());
  }

  std::vector<LayoutChoice> layouts(const NodeView& group) const override {
    const KernelRow* row = find_row(group.node());
    if (row == nullptr || row->layouts == nullptr) return {};
    return row->layouts(group, tools_);
  }

  KernelPtr compile(const NodeView& view, const CompileContext& context) const override {
    const KernelRow* row = find_row(view.node());
    if (row == nullptr)
      throw Error(ErrorCode::unsupported,
                  format("oneDNN is not used for {}", view.node().op_type()));
    return row->compile(view, *row, tools_, context);
  }

  std::vector<KernelDescription> kernels() const override {
    std::vector<KernelDescription> result;
    for (const KernelRow& row : onednn::kernel_list())
      result.push_back({row.name, "", row.op_type, cpu::isa_name(isa_), "float32"});
    return result;
  }

 private:
  cpu::Isa isa_;
  bool has_isa_;
  onednn::Tools tools_;
};

}  // namespace

std::shared_ptr<const Provider> make_onednn_provider(cpu::Isa most) {
  try {
    return std::make_shared<OnednnProvider>(most);
  } catch (const Error& error) {  // its library is loaded here
    if (error.code() != ErrorCode::provider_unavailable) throw;
    return std::make_shared<UnavailableProvider>("onednn", error);
  }
}

}  // namespace ortool
