// Validation of element types given by attributes.
#include "libcore/ops/element_type.hpp"

#include "libcore/base/format.hpp"

namespace ortool {

std::optional<DataType> read_element_type(AttributeReader& attributes, std::string_view name,
                                          std::string_view type_parameter) {
  const std::optional<std::int64_t> number = attributes.find_integer(name);
  if (!number) return std::nullopt;
  if (*number <= 0 || *number >= data_type_count) {
    throw Error(ErrorCode::invalid,
                format("attribute '{}' is {} (expected the number of a type, 1 to {})", name,
                       *number, data_type_count - 1));
  }
  const auto type = static_cast<DataType>(*number);
  check_element_type(attributes.version(), type_parameter, type, format("attribute '{}'", name));
  return type;
}

void check_element_type(const OpVersion& version, std::string_view type_parameter, DataType type,
                        std::string_view what) {
  if (type == DataType::undefined || version.allowed(type_parameter).contains(type)) return;
  throw Error(ErrorCode::invalid,
              format("{} is {}, which version {} of the operator does not produce", what,
                     name_of(type), version.since));
}

}  // namespace ortool
