// Alignment by hand, with a record in front of the bytes, and requests for large pages.
#include "libcore/base/memory/aligned_memory.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

namespace ortool {
namespace {

constexpr std::size_t alignment_bytes = 64;
/// Of most x86-64 systems; a wrong guess costs speed alone.
constexpr std::size_t large_page_bytes = std::size_t{2} << 20;

/// Lies in front of the bytes: malloc() aligns to 16, so that there are 16 bytes at least.
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

/// Weights and activations that are walked through page by page cost a look into the page table for
/// every 4 KiB. The bytes behind the last whole large page keep small ones, so that no memory is
/// taken that nobody asked for. A system without large pages refuses, which changes nothing.
void ask_for_large_pages(std::byte* data, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  const std::size_t whole = bytes / large_page_bytes * large_page_bytes;
  if (whole > 0) static_cast<void>(::madvise(data, whole, MADV_HUGEPAGE));
#endif
}

}  // namespace

/// Aligned by hand: aligned_alloc() of older C libraries leaves holes that the next bytes of the
/// same size do not fit into.
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
