// AttributeReader: reads a node's attributes by name and type, and rejects those that nobody reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/node.hpp"
#include "libcore/ops/choice.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

/// Passed to an operator's `read`. Attribute kinds have already been checked against the schema, so
/// a getter that names an attribute of another kind is a programming error. Values are checked by
/// `read`, which throws ErrorCode::invalid; the caller adds the name of the node.
class AttributeReader {
 public:
  AttributeReader(const Node& node, const OpVersion& version) : node_(node), version_(version) {}

  const Node& node() const { return node_; }
  const OpVersion& version() const { return version_; }

  /// Whether this version of the operator has the attribute.
  bool knows(std::string_view name) const { return version_.find_attribute(name) != nullptr; }
  bool has(std::string_view name) const { return node_.find_attribute(name) != nullptr; }

  std::int64_t integer(std::string_view name, std::int64_t default_value = 0);
  float number(std::string_view name, float default_value = 0);
  bool flag(std::string_view name, bool default_value = false);
  std::string string(std::string_view name, std::string_view default_value = {});
  /// Throws ErrorCode::invalid when the value is outside [least, most].
  std::int64_t integer_in(std::string_view name, std::int64_t default_value, std::int64_t least,
                          std::int64_t most);
  /// Maps the attribute's string to the enumerator at the same position as in `texts`. Throws
  /// ErrorCode::invalid for any other string.
  template <typename Enumeration>
  Enumeration choice(std::string_view name, std::initializer_list<std::string_view> texts,
                     Enumeration default_value) {
    if (!has(name)) return default_value;
    return static_cast<Enumeration>(find_choice(name, string(name), {texts.begin(), texts.size()}));
  }
  std::optional<std::int64_t> find_integer(std::string_view name);
  std::optional<float> find_number(std::string_view name);
  std::optional<std::vector<std::int64_t>> find_integers(std::string_view name);
  std::optional<std::vector<float>> find_numbers(std::string_view name);
  std::optional<std::vector<std::string>> find_strings(std::string_view name);
  /// An empty tensor when the attribute is absent.
  Tensor tensor(std::string_view name);
  Graph* graph(std::string_view name);
  /// Null when the attribute is absent.
  const SparseTensor* sparse_tensor(std::string_view name);
  const ValueType* type(std::string_view name);

  /// The attribute where this version has it; otherwise the input at `input_index` if present, as a
  /// value when that input is constant.
  ValueOrInput<std::vector<std::int64_t>> integers_or_input(std::string_view name,
                                                            std::int64_t input_index);
  ValueOrInput<std::int64_t> integer_or_input(std::string_view name, std::int64_t input_index);
  ValueOrInput<float> number_or_input(std::string_view name, std::int64_t input_index);

  /// Marks an attribute without effect (a legacy hint) as read.
  void ignore(std::string_view name);

 private:
  template <typename T>
  const T* find(std::string_view name);

  const Node& node_;
  const OpVersion& version_;
};

/// The elements of a constant integer tensor as int64, or of a floating-point tensor as float.
/// Throws ErrorCode::invalid for other element types.
std::vector<std::int64_t> integers_of(const Tensor& tensor);
std::vector<float> numbers_of(const Tensor& tensor);

}  // namespace ortool
