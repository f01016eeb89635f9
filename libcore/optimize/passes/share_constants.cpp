// Constant deduplication: merges constants of equal content.
#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "libcore/base/file/file.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/passes/passes.hpp"

namespace ortool {
namespace {

/// Bytes at either end that are compared before the rest.
constexpr std::int64_t looked_at_bytes = 256;
constexpr std::int64_t piece_bytes = std::int64_t{4} << 20;

std::string_view text_of(const Tensor& tensor, std::int64_t first, std::int64_t count) {
  return {reinterpret_cast<const char*>(tensor.bytes()) + first, static_cast<std::size_t>(count)};
}

std::size_t hash_of(const Tensor& tensor) {
  const std::int64_t bytes = tensor.size_bytes();
  const std::int64_t count = std::min(bytes, looked_at_bytes);
  const std::hash<std::string_view> hash;
  std::size_t result =
      hash(tensor.shape().to_string()) * 31 + static_cast<std::size_t>(tensor.type());
  result = result * 31 + hash(text_of(tensor, 0, count));
  return result * 31 + hash(text_of(tensor, bytes - count, count));
}

/// Compares in chunks; the pages of a mapped file are released after each.
bool have_equal_bytes(const Tensor& a, const Tensor& b, const RewriteOptions& options) {
  for (std::int64_t at = 0; at < a.size_bytes(); at += piece_bytes) {
    options.poll();
    const std::int64_t count = std::min(piece_bytes, a.size_bytes() - at);
    const bool is_equal = text_of(a, at, count) == text_of(b, at, count);
    if (a.size_bytes() > piece_bytes) {
      drop_pages({a.bytes() + at, static_cast<std::size_t>(count)});
      drop_pages({b.bytes() + at, static_cast<std::size_t>(count)});
    }
    if (!is_equal) return false;
  }
  return true;
}

bool have_equal_content(const Tensor& a, const Tensor& b, const RewriteOptions& options) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         (a.bytes() == b.bytes() || have_equal_bytes(a, b, options));
}

bool can_share(const Value& value) {
  return value.is_constant() && !value.is_graph_output() &&
         value.constant().type() != DataType::string;
}

void share_constants_in(Graph& graph, const RewriteOptions& options, PassNotes& notes) {
  std::unordered_multimap<std::size_t, Value*> known;
  for (Value* value : graph.values()) {
    if (!can_share(*value)) continue;
    options.poll();
    const std::size_t hash = hash_of(value->constant());
    const auto [first, last] = known.equal_range(hash);
    Value* same = nullptr;
    int looks = 0;
    for (auto each = first; each != last && same == nullptr && looks < 8; ++each, ++looks) {
      if (have_equal_content(each->second->constant(), value->constant(), options))
        same = each->second;
    }
    if (same == nullptr) {
      known.emplace(hash, value);
      continue;
    }
    if (!notes.permits(value->name())) return;
    graph.replace_uses(*value, *same);
    graph.remove_value(*value);
  }
}

}  // namespace

Pass share_constants() {
  return {.name = "deduplicate-constants",
          .summary = "merges equal constants",
          .run = [](Model& model, const RewriteOptions& options, RewriteReport& report) {
            PassNotes notes("deduplicate-constants", options, report);
            for (Graph* graph : graphs_in(*model.graph)) share_constants_in(*graph, options, notes);
          }};
}

}  // namespace ortool
