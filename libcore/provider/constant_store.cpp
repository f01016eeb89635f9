// Taking constants out of graphs, aligned copies for a while, and giving memory back.
#include "libcore/provider/constant_store.hpp"

#include <cstring>
#include <span>
#include <utility>

#include "libcore/base/file/file.hpp"
#include "libcore/base/file/mapping_guard.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/provider/cache/derived_store.hpp"

namespace ortool {
namespace {

constexpr std::int64_t min_weight_bytes = 64 * 1024;

std::span<const std::byte> bytes_of_content(const Tensor& constant) {
  return {constant.bytes(), static_cast<std::size_t>(constant.size_bytes())};
}

/// Whether kernels alone read the content. Parameters of operators are integers or a few numbers,
/// and shapes may depend on them.
bool is_weight(const Tensor& constant) {
  const bool may_be_shape =
      constant.type() == DataType::int64 || constant.type() == DataType::int32;
  return !may_be_shape && constant.type() != DataType::string &&
         constant.size_bytes() >= min_weight_bytes;
}

/// Whether reading the content keeps other parts of a file in memory, of which systems map some
/// pages around each that is read.
bool is_small_part_of_file(const Tensor& constant) {
  return constant.size_bytes() < min_weight_bytes &&
         !remembered_mapping_around(bytes_of_content(constant)).empty();
}

Tensor copy_of(const Tensor& constant) {
  Tensor copy(constant.type(), constant.shape());
  std::memcpy(copy.mutable_bytes(), constant.bytes(),
              static_cast<std::size_t>(constant.size_bytes()));
  return copy;
}

/// Whether it needs no alignment, since results that depend on it are found in a cache.
bool is_left_as_it_is(const Tensor& constant, const DerivedStore* derived) {
  return derived != nullptr && derived->is_reading() && constant.type() != DataType::string &&
         constant.size_bytes() >= min_derived_bytes;
}

}  // namespace

void ConstantStore::add(const Value& constant, Tensor content, bool is_weight) {
  entries_[&constant] = {.type = content.type(),
                         .shape = content.shape(),
                         .content = std::move(content),
                         .original = {},
                         .open_uses = constant.uses().size(),
                         .is_weight = is_weight};
}

const ConstantStore::Entry& ConstantStore::entry(const Value& constant) const {
  const auto found = entries_.find(&constant);
  ORTOOL_CHECK(found != entries_.end());
  return found->second;
}

ConstantStore ConstantStore::take(Graph& main) {
  ConstantStore store;
  for (Graph* graph : graphs_in(main)) {
    for (Value* value : graph->values()) {
      if (!value->is_constant()) continue;
      const bool moves = is_weight(value->constant());
      // What lowering has read of it is read again to be packed.
      if (moves) drop_pages(bytes_of_content(value->constant()));
      store.add(*value, moves ? graph->take_content(*value) : value->constant(), moves);
    }
  }
  return store;
}

ConstantStore ConstantStore::share(std::span<Value* const> values, const DerivedStore* derived) {
  ConstantStore store;
  for (const Value* value : values) {
    if (value == nullptr || !value->is_constant()) continue;
    const bool is_left = is_left_as_it_is(value->constant(), derived);
    store.add(*value, is_left ? value->constant() : value->constant().aligned(), false);
  }
  return store;
}

const Tensor* ConstantStore::find(const Value& constant) const {
  const Tensor& content = entry(constant).content;
  return content.is_empty() ? nullptr : &content;
}

Operand ConstantStore::operand(const Value& constant) const {
  const Entry& found = entry(constant);
  return {found.type, found.shape, find(constant)};
}

const Tensor& ConstantStore::original(const Value& constant) const {
  const Entry& found = entry(constant);
  return found.original.is_empty() ? found.content : found.original;
}

void ConstantStore::align(std::span<const Value* const> values, const DerivedStore* derived) {
  for (const Value* value : values) {
    if (value == nullptr || !value->is_constant()) continue;
    Entry& entry = entries_.at(value);
    if (entry.content.is_aligned() || is_left_as_it_is(entry.content, derived)) continue;
    Tensor copy = entry.content.aligned();
    entry.original = std::exchange(entry.content, std::move(copy));
  }
}

/// A constant that runs read stays aligned.
void ConstantStore::keep_aligned(Entry& entry, DerivedStore* derived) {
  const Tensor original = entry.original.is_empty() ? entry.content : std::move(entry.original);
  entry.original = Tensor();
  if (derived == nullptr || original.is_aligned()) return;
  const Tensor content = entry.content;
  entry.content = derived->derive("aligned " + derived->key_of(original), content.type(),
                                  content.shape(), [&] { return content.aligned(); });
}

void ConstantStore::finish_use(const Value& constant, bool is_read_at_run_time,
                               DerivedStore* derived) {
  Entry& entry = entries_.at(&constant);
  entry.is_read_at_run_time |= is_read_at_run_time;
  --entry.open_uses;
  if (entry.is_read_at_run_time) {
    keep_aligned(entry, derived);
    // A copy takes less memory than the pages around the constant. It is not made before the last
    // kernel: where a constant lies in a file is part of the keys of what is derived from it.
    if (entry.open_uses == 0 && is_small_part_of_file(entry.content))
      entry.content = copy_of(entry.content);
    return;
  }
  if (!entry.original.is_empty()) entry.content = std::exchange(entry.original, Tensor());
  if (entry.open_uses > 0) return;
  if (drop_pages(bytes_of_content(entry.content))) return;
  if (entry.is_weight) entry.content = Tensor();
}

}  // namespace ortool
