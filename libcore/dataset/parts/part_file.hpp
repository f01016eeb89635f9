// Part file: what one shard found, with all that tells which parts belong together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/dataset/parts/shard.hpp"

namespace ortool {

/// The task that all shards share.
struct PartTask {
  std::string kind;        ///< "calibration", "evaluation", "errors" or "benchmark"
  std::string version;     ///< of ortool
  std::string model;       ///< hash of the file and its external data; empty: no single model
  std::string data;        ///< what identifies the data, as a hash
  std::int64_t items = 0;  ///< samples, or models, of all shards together
  /// What the result depends on besides, by name.
  std::vector<std::pair<std::string, std::string>> settings = {};
  Shard shard = {};
  std::string isa = {};  ///< the instruction set of the kernels; may differ between parts

  bool operator==(const PartTask&) const = default;
};

struct Part {
  std::string path;  ///< for messages
  PartTask task;
  std::pair<std::int64_t, std::int64_t> items;  ///< of this shard, a half-open range
  std::string payload;                          ///< what the shard found
};

/// The bytes of a part file: a line that names the format, a hash of all that follows, the task as
/// a line of JSON, and the payload.
std::string serialize_part(const Part& part);

/// Whether the bytes begin as a part file does.
bool is_part(std::string_view bytes);

/// The inverse of serialize_part(). Throws ErrorCode::invalid for files that are no parts, that
/// another version wrote, and that are damaged or cut off.
Part parse_part(std::string_view bytes, const std::string& path);

/// Reads a file. Throws as parse_part() and read_text_file() do.
Part read_part_file(const std::string& path, MemoryCap* cap);

/// Reads the file of `known` again, which was read before and whose payload need not be kept until
/// then. Throws ErrorCode::invalid if it is another part by now.
Part read_part_again(const Part& known, MemoryCap* cap);

/// Writes a file completely or not at all.
void write_part_file(const Part& part);

}  // namespace ortool
