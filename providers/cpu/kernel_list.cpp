// Kernel list of the cpu provider, family by family.
#include "providers/cpu/kernel_list.hpp"

#include <atomic>
#include <deque>
#include <mutex>
#include <utility>

#include "libcore/base/error.hpp"
#include "providers/cpu/kernel_family.hpp"
#include "providers/cpu/unregister_kernels.hpp"

namespace ortool::cpu {
namespace {

using KernelFamily = std::span<const KernelFile> (*)();

// As within a family, the first row is preferred if an operator has several.
// clang-format off
constexpr KernelFamily families[] = {
    attention_kernel_files,
    conv_kernel_files,
    elementwise_kernel_files,
    data_movement_kernel_files,
    experimental_kernel_files,
    experts_kernel_files,
    gemm_kernel_files,
    image_kernel_files,
    ml_kernel_files,
    normalization_kernel_files,
    pooling_kernel_files,
    random_kernel_files,
    recurrent_kernel_files,
    reduction_kernel_files,
    search_kernel_files,
    sequence_kernel_files,
    signal_kernel_files,
    text_kernel_files,
    training_kernel_files,
};
// clang-format on

using KernelFiles = std::vector<std::span<const KernelRow>>;

KernelFiles built_in_kernels() {
  KernelFiles all;
  for (const KernelFamily family : families) {
    for (const KernelFile file : family()) all.push_back(file());
  }
  return all;
}

/// Every state of the list is kept, so that spans of it stay valid.
class KernelRegistry {
 public:
  KernelRegistry() { publish(built_in_kernels()); }

  std::span<const std::span<const KernelRow>> files() const {
    return *newest_.load(std::memory_order_acquire);
  }

  void add(std::span<const KernelRow> rows) {
    const std::lock_guard lock(mutex_);
    KernelFiles next = states_.back();
    next.push_back(rows);
    publish(std::move(next));
  }

  void remove(const KernelRow* rows) {
    const std::lock_guard lock(mutex_);
    KernelFiles next = states_.back();
    std::erase_if(next, [rows](std::span<const KernelRow> file) { return file.data() == rows; });
    publish(std::move(next));
  }

 private:
  void publish(KernelFiles files) {
    states_.push_back(std::move(files));
    newest_.store(&states_.back(), std::memory_order_release);
  }

  std::mutex mutex_;
  std::deque<KernelFiles> states_;
  std::atomic<const KernelFiles*> newest_ = nullptr;
};

KernelRegistry& registry() {
  static KernelRegistry instance;
  return instance;
}

}  // namespace

std::span<const std::span<const KernelRow>> kernel_list() {
  return registry().files();
}

void register_kernels(std::span<const KernelRow> rows) {
  registry().add(rows);
}

void unregister_kernels(const KernelRow* rows) {
  registry().remove(rows);
}

const KernelRow& kernel_row(std::string_view name) {
  for (const std::span<const KernelRow> rows : kernel_list()) {
    for (const KernelRow& row : rows) {
      if (row.name == name) return row;
    }
  }
  ORTOOL_CHECK(false && "no kernel of this name");
}

}  // namespace ortool::cpu
