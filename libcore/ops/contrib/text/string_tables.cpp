// Schemas of the table operators of ai.onnx.contrib, and how their tables are read.
#include "libcore/ops/contrib/text/string_tables.hpp"

#include <charconv>
#include <string_view>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool::extensions {
namespace {

/// Calls body(line) for each line of a text that is not empty.
template <typename Body>
void for_each_line(std::string_view text, Body body) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) body(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

[[noreturn]] void fail_line(std::string_view line, std::string_view expected) {
  throw Error(ErrorCode::invalid,
              format("the table has the line {} (expected {})", quote(line), expected));
}

/// Integers between white space.
std::vector<std::int64_t> read_vector(std::string_view text, std::string_view line) {
  std::vector<std::int64_t> numbers;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return numbers;
    text.remove_prefix(begin);
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    if (problem != std::errc() || stop == text.data() ||
        (stop != end && *stop != ' ' && *stop != '\t' && *stop != '\r'))
      fail_line(line, "a text, a tab and integers between spaces");
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  }
}

std::vector<VectorEntry> read_vectors(std::string_view table) {
  std::vector<VectorEntry> entries;
  for_each_line(table, [&](std::string_view line) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) fail_line(line, "a text, a tab and integers between spaces");
    entries.push_back({std::string(line.substr(0, tab)), read_vector(line.substr(tab + 1), line)});
    const std::size_t size = entries.front().vector.size();
    if (size == 0 || entries.back().vector.size() != size)
      fail_line(line, format("{} integers, as in the first line, and at least one", size));
  });
  if (entries.empty()) throw Error(ErrorCode::invalid, "the table 'map' has no line");
  return entries;
}

constexpr std::initializer_list<AttributeSpec> table_attributes = {
    {"map", AttributeKind::string, true}, {"unk", AttributeKind::string, false, ""}};

}  // namespace

constinit const OpSchema StringMapping::schema = {
    "StringMapping",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"input", "tensor(string)"}},
      .outputs = {{"output", "tensor(string)"}},
      .attributes = {{"map", AttributeKind::string, true}}}}};

constinit const OpSchema StringToVector::schema = {"StringToVector",
                                                   extensions_domain,
                                                   {{.since = 1,
                                                     .inputs = {{"text", "tensor(string)"}},
                                                     .outputs = {{"token_ids", "tensor(int64)"}},
                                                     .attributes = table_attributes}}};

constinit const OpSchema VectorToString::schema = {"VectorToString",
                                                   extensions_domain,
                                                   {{.since = 1,
                                                     .inputs = {{"token_ids", "tensor(int64)"}},
                                                     .outputs = {{"text", "tensor(string)"}},
                                                     .attributes = table_attributes}}};

void StringMapping::read(AttributeReader& attributes, int) {
  const std::string table = attributes.string("map");
  for_each_line(table, [&](std::string_view line) {
    const std::size_t tab = line.find('\t');
    const bool is_entry = tab != std::string_view::npos && tab + 1 < line.size() &&
                          line.find('\t', tab + 1) == std::string_view::npos;
    if (!is_entry) fail_line(line, "a text, a tab and its replacement");
    entries.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  });
}

void StringMapping::infer(InferContext& context) const {
  context.set_output(0, DataType::string, context.shape(0));
}

void StringToVector::read(AttributeReader& attributes, int) {
  const std::string table = attributes.string("map");
  entries = read_vectors(table);
  const std::string text = attributes.string("unk");
  unknown = read_vector(text, text);
  if (unknown.size() != entries.front().vector.size()) {
    throw Error(ErrorCode::invalid,
                format("'unk' has {} integers, but vectors of the table have {} (expected as many)",
                       unknown.size(), entries.front().vector.size()));
  }
}

void StringToVector::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  if (shape) shape->emplace_back(static_cast<std::int64_t>(unknown.size()));
  context.set_output(0, DataType::int64, std::move(shape));
}

void VectorToString::read(AttributeReader& attributes, int) {
  const std::string table = attributes.string("map");
  entries = read_vectors(table);
  unknown = attributes.string("unk");
}

std::int64_t VectorToString::vector_size() const {
  return static_cast<std::int64_t>(entries.front().vector.size());
}

void VectorToString::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  const bool are_scalars = shape && vector_size() == 1 && shape->size() <= 1;
  if (shape && !are_scalars) {
    check_rank_at_least(context, 0, "token_ids", 1);
    check_dimension("the length of a vector", shape->back(), vector_size());
    shape->pop_back();
  }
  context.set_output(0, DataType::string, std::move(shape));
}

}  // namespace ortool::extensions
