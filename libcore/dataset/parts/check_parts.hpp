// Check of parts before they are joined: all shards of one task, each exactly once.
#pragma once

#include <string>
#include <vector>

#include "libcore/dataset/parts/part_file.hpp"

namespace ortool {

/// Sorts the parts by shard. Throws ErrorCode::invalid, naming files and what differs, for parts of
/// another kind, version, model, data, number of items, setting or number of shards than most are,
/// for a shard that is given twice, and for missing ones.
void check_parts(std::vector<Part>& parts);

/// Throws the error of a file that is of another task; `difference` says in what.
[[noreturn]] void refuse_part(const std::string& path, std::string difference);

/// What distinguishes two tasks, such as "the setting --top is '5' instead of '3'"; empty for the
/// same. Shards' numbers do not count.
std::string task_difference(const PartTask& found, const PartTask& expected);

/// Files that ran with another instruction set than most, whose results may differ in the last
/// bits: "b.part: avx2 instead of avx512".
std::vector<std::string> other_isas(const std::vector<Part>& parts);

}  // namespace ortool
