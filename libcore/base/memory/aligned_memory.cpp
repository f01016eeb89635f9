// Manually aligned allocation with a header before each block, and requests for large pages.
#include "libcore/base/memory/aligned_memory.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

namespace ortool {
namespace {

constexpr std::size_t alignment_bytes = 64;
/// The large-page size of most x86-64 systems; a wrong value only costs speed.
constexpr std::size_t large_page_bytes = std::size_t{2} << 20;

/// Header before the data: malloc() aligns to 16, so there are at least 16 bytes.
struct Record {
  void* block;
  void* manager;
};
static_assert(sizeof(Record) <= 16);

Record record_of(const std::byte* data) {
  Record record;
  std::memcpy(&record, data - sizeof(record), sizeof(record));
  return record;
}

/// Walking through weights and activations with small pages costs a TLB miss every 4 KiB. Only
/// whole large pages are requested, so the rest of the block keeps small pages and no extra memory
/// is used. A system without large pages refuses, which is harmless.
void ask_for_large_pages(std::byte* data, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  const std::size_t whole = bytes / large_page_bytes * large_page_bytes;
  if (whole > 0) static_cast<void>(::madvise(data, whole, MADV_HUGEPAGE));
#endif
}

}  // namespace

/// Aligned manually, because aligned_alloc() of older C libraries leaves gaps that the next block
/// of the same size does not fit into.
std::byte* allocate_aligned(std::size_t bytes) noexcept {
  const bool is_large = bytes >= large_page_bytes;
  const std::size_t alignment = is_large ? large_page_bytes : alignment_bytes;
  void* block = std::malloc(bytes + alignment);
  if (block == nullptr) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  auto* data = static_cast<std::byte*>(block) + (alignment - begin % alignment);
  const Record record = {block, nullptr};
  std::memcpy(data - sizeof(record), &record, sizeof(record));
  if (is_large) ask_for_large_pages(data, bytes);
  return data;
}

void free_aligned(std::byte* data) noexcept {
  if (data != nullptr) std::free(record_of(data).block);
}

void* manager_of(const std::byte* data) noexcept {
  return record_of(data).manager;
}

void set_manager(std::byte* data, void* manager) noexcept {
  const Record record = {record_of(data).block, manager};
  std::memcpy(data - sizeof(record), &record, sizeof(record));
}

}  // namespace ortool
