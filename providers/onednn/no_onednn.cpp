// onednn provider of builds without oneDNN 2: always unavailable, with the reason.
#include "providers/onednn/onednn_provider.hpp"

namespace ortool {
namespace {

class AbsentProvider : public Provider {
 public:
  std::string_view name() const override { return "onednn"; }
  std::string version() const override { return {}; }
  std::string unavailable_because() const override {
    return "this build does not include oneDNN 2 (libdnnl-dev of Debian 12)";
  }
  Claims claims(const Graph&) const override { return {}; }
  KernelPtr compile(const NodeView&, const CompileContext&) const override {
    throw Error(ErrorCode::unsupported, unavailable_because());
  }
  std::vector<KernelDescription> kernels() const override { return {}; }
};

}  // namespace

std::shared_ptr<const Provider> make_onednn_provider(cpu::Isa) {
  return std::make_shared<AbsentProvider>();
}

}  // namespace ortool
