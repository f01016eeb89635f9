// Checks of output files: that they are writable, and that none is also an input.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "apps/ortool/command.hpp"

namespace ortool {

/// How many words of a command line name the file at `path`, alone or after an equals sign. The
/// file need not exist.
std::int64_t count_words_naming(std::span<const std::string> words, const std::string& path);

/// Fails early instead of at the end of a long run: throws ErrorCode::write_failed if `path` is a
/// folder, or its folder is missing or not writable, and ErrorCode::invalid
/// if it is empty.
void check_can_be_written(std::string_view option, const std::string& path);

/// Throws ErrorCode::invalid if another word of the command line names the file that `option`
/// writes to.
void check_is_no_other_file(const Invocation& invocation, std::string_view option,
                            const std::string& path);

}  // namespace ortool
