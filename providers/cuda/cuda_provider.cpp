// cuda provider: opens the device, claims parts of graphs, and compiles them.
#include "providers/cuda/cuda_provider.hpp"

#include <mutex>
#include <set>

#include "libcore/base/format.hpp"
#include "libcore/base/log.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/provider/device/device_provider.hpp"
#include "providers/cuda/operators/float8_products.hpp"
#include "providers/cuda/operators/operator_table.hpp"
#include "providers/cuda/partition.hpp"
#include "providers/cuda/provider_settings.hpp"
#include "providers/cuda/subgraph_kernel.hpp"

namespace ortool::cuda {

namespace {

/// Parts of one graph above which copies between them are likely to take most of the time.
constexpr std::size_t many_parts = 8;

/// A value of one run that the next one reads.
class CudaFeedMemory : public FeedMemory {
 public:
  CudaFeedMemory(std::shared_ptr<Device> device, std::int64_t bytes)
      : device_(device), buffer_(std::move(device), bytes, "a value kept between runs") {}

  std::byte* address() const override { return static_cast<std::byte*>(buffer_.data()); }
  std::int64_t bytes() const override { return buffer_.bytes(); }
  void read(std::byte* to, std::int64_t bytes) const override {
    device_->read(to, buffer_.data(), bytes);
  }
  void write(const std::byte* from, std::int64_t bytes) const override {
    device_->write(buffer_.data(), from, bytes);
  }

 private:
  std::shared_ptr<Device> device_;
  DeviceBuffer buffer_;
};

class CudaProvider : public DeviceProvider {
 public:
  CudaProvider(const OpenDevice& open, std::string_view options, const std::string& cache_dir)
      : settings_(read_settings(options)) {
    try {
      device_ = open(settings_.device, settings_.memory_limit);
      if (settings_.plan.tunes && !cache_dir.empty()) device_->keep_timings(cache_dir);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::provider_unavailable) throw;
      reason_ = error.message();
    }
  }

  std::string_view name() const override { return "cuda"; }
  std::string version() const override { return device_->description(); }
  std::string unavailable_because() const override { return reason_; }

  Claims claims(const Graph& graph) const override {
    Claims claims = partition(graph);
    if (claims.taken.size() > many_parts) warn_of_copies(claims);
    return claims;
  }

  std::string refuses_alone(const Node& node) const override {
    if (!node.subgraphs().empty()) return "control flow is run by the runtime";
    if (is_shape_arithmetic(node) && refusal_of(node).empty()) return {};
    return node.op_type() == "Shape" || node.op_type() == "Size" ? "" : refusal_of(node);
  }

  std::shared_ptr<const FeedMemory> keep(std::int64_t bytes) const override {
    return std::make_shared<const CudaFeedMemory>(device_, bytes);
  }

  std::string refuses_float8(const Node& product) const override {
    return cuda::refuses_float8(product, device_->compute_capability());
  }

  KernelPtr compile(const NodeView& view, const CompileContext&) const override {
    return std::make_unique<const SubgraphKernel>(device_, settings_.plan, view);
  }

  std::vector<KernelDescription> kernels() const override {
    std::vector<KernelDescription> result;
    for (const ElementRow& row : element_rows())
      result.push_back({"elementwise", row.domain, row.op_type, "cuda", types_of(row.types)});
    for (const auto& rows : operator_families()) {
      for (const OperatorRow& row : rows)
        result.push_back({"device", row.domain, row.op_type, "cuda", types_of(row.types)});
    }
    return result;
  }

 private:
  static std::string_view types_of(OperatorTypes types) {
    switch (types) {
      case OperatorTypes::floats:
        return "float32, float16, bfloat16";
      case OperatorTypes::reals:
        return "float32, float16, bfloat16, float64";
      case OperatorTypes::numbers:
        return "floats, bool, integers of 8 to 64 bits";
      default:
        return "all of 1, 2, 4 or 8 bytes";
    }
  }

  void warn_of_copies(const Claims& claims) const {
    std::set<std::string> reasons;
    for (const Refusal& refusal : claims.refused)
      reasons.insert(format("{}: {}", refusal.node->op_type(), refusal.reason));
    std::string text;
    std::size_t listed = 0;
    for (const std::string& reason : reasons) {
      if (listed++ == 3) break;
      text += (text.empty() ? "" : "; ") + reason;
    }
    log_warn(
        format("cuda: {} parts of the graph run on the device, with copies between them, since "
               "{} nodes do not ({})",
               claims.taken.size(), claims.refused.size(), text));
  }

  ProviderSettings settings_;
  std::shared_ptr<Device> device_;
  std::string reason_;
};

}  // namespace

std::shared_ptr<const Provider> make_provider_on(const OpenDevice& open, std::string_view options,
                                                 const std::string& cache_dir) {
  return std::make_shared<CudaProvider>(open, options, cache_dir);
}

}  // namespace ortool::cuda
