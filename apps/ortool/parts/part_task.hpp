// Part task: what a sharded command depends on, so that only parts of the same task are joined.
#pragma once

#include <initializer_list>
#include <string_view>

#include "apps/ortool/command.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "libcore/dataset/parts/part_file.hpp"

namespace ortool {

/// The task of this command and shard, without data and items. Settings are the options that may
/// change the result, all but `unimportant` and those of files that are written, of messages,
/// limits and threads; options that name files count by the files' contents. `loaded` may be null.
/// Throws ErrorCode::invalid for a model from standard input.
PartTask part_task(const Invocation& invocation, std::string_view command, std::string_view kind,
                   const Shard& shard, const LoadedModel* loaded,
                   std::initializer_list<std::string_view> unimportant = {});

/// The hash of a file's bytes.
std::string hash_of_file(const std::string& path);

/// The hash of a text.
std::string hash_of_text(std::string_view text);

}  // namespace ortool
