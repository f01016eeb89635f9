// The operators on strings, one line each, sorted by domain, then name.
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/text/string_ops.hpp"
#include "libcore/ops/text/tf_idf_vectorizer.hpp"

namespace ortool {
namespace {

constexpr OpEntry text_entries[] = {
    op_entry<RegexFullMatch>(), op_entry<StringConcat>(),    op_entry<StringNormalizer>(),
    op_entry<StringSplit>(),    op_entry<TfIdfVectorizer>(),
};

}  // namespace

std::span<const OpEntry> text_operators() {
  return text_entries;
}

}  // namespace ortool
