// Files that a command writes: whether they can be, and that none of them is one it reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "apps/ortool/command.hpp"

namespace ortool {

/// How many words of a command line name the file at `path`, alone or behind an equals sign. The
/// file need not exist.
std::int64_t count_words_naming(std::span<const std::string> words, const std::string& path);

/// What a long run would only find out at its end: throws ErrorCode::write_failed where `path` is a
/// folder, or lies in one that is not there or not the user's to write to, and ErrorCode::invalid
/// where it is empty.
void check_can_be_written(std::string_view option, const std::string& path);

/// Throws ErrorCode::invalid where another word of the command line names the file that `option`
/// shall write to.
void check_is_no_other_file(const Invocation& invocation, std::string_view option,
                            const std::string& path);

}  // namespace ortool
