// Taking constants out of graphs, aligned copies for a while, and giving memory back.
#include "libcore/provider/constant_store.hpp"

#include <utility>

#include "libcore/base/file/file.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/provider/cache/derived_store.hpp"

namespace ortool {
namespace {

/// Whether kernels alone read the content. Parameters of operators are integers or a few numbers,
/// and shapes may depend on them.
bool is_weight(const Tensor& constant) {
  constexpr std::int64_t min_bytes = 64 * 1024;
  const bool may_be_shape =
      constant.type() == DataType::int64 || constant.type() == DataType::int32;
  return !may_be_shape && constant.type() != DataType::string && constant.size_bytes() >= min_bytes;
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
  if (entry.is_read_at_run_time) return keep_aligned(entry, derived);
  if (!entry.original.is_empty()) entry.content = std::exchange(entry.original, Tensor());
  if (entry.open_uses > 0) return;
  const Tensor& content = entry.content;
  if (drop_pages({content.bytes(), static_cast<std::size_t>(content.size_bytes())})) return;
  if (entry.is_weight) entry.content = Tensor();
}

}  // namespace ortool
