// Kernel rows of a level; on aarch64 copies that name it.
#include "providers/cpu/level_rows.hpp"

#if defined(__aarch64__)
#include <map>
#include <mutex>
#include <string>
#include <utility>
#endif

namespace ortool::cpu {
namespace {

#if defined(__aarch64__)

/// Copies of rows, which stay at their address.
class RowCopies {
 public:
  const KernelRow* at_level(const KernelRow& row, Isa level, std::string_view old_ending,
                            std::string_view ending) {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = copies_.try_emplace({&row, level});
    Copy& copy = place->second;
    if (!is_new) return &copy.row;
    copy.name = row.name;
    if (copy.name.ends_with(old_ending)) {
      copy.name.resize(copy.name.size() - old_ending.size());
      copy.name += ending;
    }
    copy.row = row;
    copy.row.name = copy.name;
    copy.row.isa = level;
    return &copy.row;
  }

 private:
  struct Copy {
    std::string name;
    KernelRow row;
  };
  std::mutex mutex_;
  std::map<std::pair<const KernelRow*, Isa>, Copy> copies_;
};

/// The row for a level, or null.
const KernelRow* row_at(const KernelRow& row, Isa most) {
  static RowCopies copies;
  if (row.isa == Isa::baseline)
    return copies.at_level(row, most, "_baseline", "_" + std::string(isa_name(most)));
  if (row.isa != Isa::avx2 || row.layouts == nullptr) return nullptr;
  if (row.types == "float32") return copies.at_level(row, most, "_avx2", "_neon");
  if (row.types == "int8, uint8" && most >= Isa::dotprod)
    return copies.at_level(row, most, "_avx2", "_" + std::string(isa_name(most)));
  return nullptr;
}

#else

const KernelRow* row_at(const KernelRow& row, Isa most) {
  return row.isa <= most ? &row : nullptr;
}

#endif

}  // namespace

std::vector<const KernelRow*> level_rows(Isa most) {
  std::vector<const KernelRow*> result;
  for (const std::span<const KernelRow> rows : kernel_list()) {
    for (const KernelRow& row : rows) {
      const KernelRow* own = row_at(row, most);
      if (own != nullptr) result.push_back(own);
    }
  }
  return result;
}

}  // namespace ortool::cpu
