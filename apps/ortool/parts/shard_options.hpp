// Options of sharded commands: --shard and --part-out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apps/ortool/command.hpp"
#include "libcore/dataset/parts/part_file.hpp"

namespace ortool {

OptionSpec shard_option();
OptionSpec part_out_option();

/// "shard 2/3: 192 of 539 samples, from 192 on", as a line.
std::string shard_line(const Part& part, std::string_view items);

/// The shard of --shard, nothing without the option. Throws ErrorCode::invalid for one that is
/// malformed or out of range, and where `auto` finds none.
std::optional<Shard> read_shard(const Invocation& invocation);

/// The same for commands that write the part to --part-out: throws ErrorCode::invalid if one of the
/// two options is given without the other, and for a file that cannot be written.
std::optional<Shard> read_shard_and_part(const Invocation& invocation);

}  // namespace ortool
