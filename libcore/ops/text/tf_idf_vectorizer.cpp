// Schema of TfIdfVectorizer, and checks that its pool, counts and columns are consistent.
#include "libcore/ops/text/tf_idf_vectorizer.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/ops/ml/attribute_lists.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

namespace {

constexpr std::int64_t max_columns = std::int64_t{1} << 31;

/// The number of n-grams in the pool. Throws ErrorCode::invalid unless `begins` divides the pool
/// into complete n-grams.
std::int64_t count_pool(const std::vector<std::int64_t>& begins, std::int64_t pool_size) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::int64_t begin = begins[i];
    const std::int64_t end = i + 1 < begins.size() ? begins[i + 1] : pool_size;
    const auto length = static_cast<std::int64_t>(i) + 1;
    if (begin < 0 || end < begin || end > pool_size || (end - begin) % length != 0) {
      throw Error(ErrorCode::invalid,
                  format("ngram_counts puts the {}-grams at {} to {} of a pool of {} (expected "
                         "whole n-grams inside it)",
                         length, begin, end, pool_size));
    }
    count += (end - begin) / length;
  }
  return count;
}

}  // namespace

constinit const OpSchema TfIdfVectorizer::schema = {
    "TfIdfVectorizer",
    "",
    {{.since = 9,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T1"}},
      .attributes = {{"max_gram_length", AttributeKind::integer, true},
                     {"max_skip_count", AttributeKind::integer, true},
                     {"min_gram_length", AttributeKind::integer, true},
                     {"mode", AttributeKind::string, true},
                     {"ngram_counts", AttributeKind::integers, true},
                     {"ngram_indexes", AttributeKind::integers, true},
                     {"pool_int64s", AttributeKind::integers},
                     {"pool_strings", AttributeKind::strings},
                     {"weights", AttributeKind::floats}},
      .types = {{"T", types_of({DataType::int32, DataType::int64, DataType::string})},
                {"T1", types::float32_only}}}}};

void TfIdfVectorizer::read(AttributeReader& attributes, int) {
  mode = attributes.choice("mode", {"TF", "IDF", "TFIDF"}, Mode());
  shortest = attributes.integer("min_gram_length");
  longest = attributes.integer("max_gram_length");
  max_skipped = attributes.integer("max_skip_count");
  pool = read_labels(attributes, "pool_int64s", "pool_strings");
  begins = read_integers(attributes, "ngram_counts");
  if (shortest < 1 || longest < shortest || longest > static_cast<std::int64_t>(begins.size())) {
    throw Error(ErrorCode::invalid,
                format("n-grams are of {} to {} elements, but ngram_counts has {} (expected 1 up "
                       "to that)",
                       shortest, longest, begins.size()));
  }
  if (max_skipped < 0) {
    throw Error(ErrorCode::invalid,
                format("max_skip_count is {} (expected 0 or more)", max_skipped));
  }
  columns = read_integers(attributes, "ngram_indexes");
  const std::int64_t count = count_pool(begins, pool.element_count());
  check_list_size("ngram_indexes", columns.size(), static_cast<std::size_t>(count),
                  "one per n-gram of the pool");
  weights = read_floats(attributes, "weights");
  if (!weights.empty())
    check_list_size("weights", weights.size(), columns.size(), "one per n-gram of the pool");
  for (const std::int64_t column : columns) {
    if (column < 0 || column >= max_columns) {
      throw Error(ErrorCode::invalid,
                  format("ngram_indexes holds {} (expected 0 to {})", column, max_columns - 1));
    }
    column_count = std::max(column_count, column + 1);
  }
}

void TfIdfVectorizer::infer(InferContext& context) const {
  const DataType element = context.element(0);
  const bool is_string = pool.type() == DataType::string;
  if (element != DataType::undefined && (element == DataType::string) != is_string) {
    throw Error(ErrorCode::invalid, format("the input is {}, but the pool is {}", name_of(element),
                                           name_of(pool.type())));
  }
  PartialShape shape = context.shape(0);
  if (shape) {
    if (shape->empty() || shape->size() > 2) {
      throw Error(ErrorCode::invalid,
                  format("the input has the shape {} (expected C or N x C)", to_string(shape)));
    }
    shape->back() = column_count;
  }
  context.set_output(0, DataType::float32, std::move(shape));
}

}  // namespace ortool
