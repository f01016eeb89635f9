// Readers for list attributes of classical models, with checks that their lengths agree.
#include "libcore/ops/ml/attribute_lists.hpp"

#include <string>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {

Tensor read_labels(AttributeReader& attributes, std::string_view integers_name,
                   std::string_view strings_name) {
  const std::vector<std::int64_t> integers = read_integers(attributes, integers_name);
  std::vector<std::string> strings =
      attributes.find_strings(strings_name).value_or(std::vector<std::string>());
  if (integers.empty() == strings.empty()) {
    throw Error(ErrorCode::invalid,
                format(integers.empty() ? "neither '{}' nor '{}' is given (expected one of them)"
                                        : "both '{}' and '{}' are given (expected one of them)",
                       integers_name, strings_name));
  }
  if (!integers.empty())
    return Tensor::of<std::int64_t>({static_cast<std::int64_t>(integers.size())}, integers);
  const auto count = static_cast<std::int64_t>(strings.size());
  return Tensor::of_strings({count}, std::move(strings));
}

std::vector<float> read_floats(AttributeReader& attributes, std::string_view name) {
  return attributes.find_numbers(name).value_or(std::vector<float>());
}

std::vector<std::int64_t> read_integers(AttributeReader& attributes, std::string_view name) {
  return attributes.find_integers(name).value_or(std::vector<std::int64_t>());
}

std::vector<double> doubles_of_vector(const Tensor& tensor, std::string_view name) {
  if (tensor.shape().rank() != 1 || !is_floating_point(tensor.type())) {
    throw Error(ErrorCode::invalid,
                format("attribute '{}' is {} of shape {} (expected a vector of floats)", name,
                       name_of(tensor.type()), tensor.shape().to_string()));
  }
  std::vector<double> result(static_cast<std::size_t>(tensor.element_count()));
  read_doubles(tensor, 0, result);
  return result;
}

std::vector<double> read_listed_numbers(AttributeReader& attributes, std::string_view name) {
  const std::vector<float> list = read_floats(attributes, name);
  const std::string tensor_name = format("{}_as_tensor", name);
  const Tensor tensor = attributes.tensor(tensor_name);
  if (tensor.is_empty()) return {list.begin(), list.end()};
  if (!list.empty()) {
    throw Error(ErrorCode::invalid,
                format("both '{}' and '{}' are given (expected one of them)", name, tensor_name));
  }
  return doubles_of_vector(tensor, tensor_name);
}

void check_list_size(std::string_view name, std::size_t found, std::size_t expected,
                     std::string_view what) {
  if (found == expected) return;
  throw Error(ErrorCode::invalid, format("attribute '{}' has {} elements (expected {}, {})", name,
                                         found, expected, what));
}

std::int64_t count_pieces(std::string_view name, std::size_t elements, std::int64_t piece,
                          std::string_view what) {
  const auto count = static_cast<std::int64_t>(elements);
  if (piece < 1 || count == 0 || count % piece != 0) {
    throw Error(ErrorCode::invalid,
                format("attribute '{}' has {} elements, which cannot be divided evenly among {} {}",
                       name, count, piece, what));
  }
  return count / piece;
}

}  // namespace ortool
