// Known operands: values that a kernel needs before it runs, because shapes depend on them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "libcore/ops/value_or.hpp"
#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// The integers of `value`: from the attribute, or from its input if that is known now. Empty if it
/// is omitted. Throws ErrorCode::unsupported, which names it, if it is known only at run time.
std::optional<std::vector<std::int64_t>> known_operand(
    const PrepareContext& context, const ValueOrInput<std::vector<std::int64_t>>& value,
    std::string_view name);

/// The same for a required value.
std::vector<std::int64_t> required_operand(const PrepareContext& context,
                                           const ValueOrInput<std::vector<std::int64_t>>& value,
                                           std::string_view name);

}  // namespace ortool::cpu
