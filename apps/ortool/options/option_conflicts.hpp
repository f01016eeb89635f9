// Option conflicts: options that have no effect with or without others.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "apps/ortool/option_values.hpp"
#include "libcore/base/error.hpp"

namespace ortool {

/// For what the user asks for and nothing would come of.
Error applies_to_nothing(std::string message, std::string hint);

/// For an option that has no effect `because`, such as "with --data".
Error no_effect(std::string_view option, std::string_view because, std::string hint);

/// Throws no_effect() for the first of `names` that is given.
void refuse_any(const OptionValues& options, std::initializer_list<std::string_view> names,
                std::string_view because, std::string_view hint);

}  // namespace ortool
