// Reads --shard I/N, auto and auto/N.
#include "apps/ortool/parts/shard_options.hpp"

#include <cstdlib>

#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/options/written_files.hpp"
#include "apps/ortool/parts/shard_environment.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/parse_number.hpp"

namespace ortool {
namespace {

constexpr std::string_view automatic = "auto";

/// N of "auto/N".
std::optional<std::int64_t> given_count(std::string_view text) {
  if (text == automatic) return std::nullopt;
  std::int64_t count = 0;
  if (read_integer(text.substr(automatic.size() + 1), count) && count >= 1 && count <= max_shards)
    return count;
  throw Error(ErrorCode::invalid,
              format("option --shard: {} does not name 1 to {} shards", quote(text), max_shards),
              "write auto/7 for seven shards")
      .with_id("usage.value");
}

}  // namespace

OptionSpec shard_option() {
  return {.name = "shard",
          .value = "I/N",
          .help =
              "only the I-th of N equal parts, from 1/N to N/N, which `ortool merge` joins; auto "
              "or auto/N: as the scheduler's environment says",
          .suggestions = {"auto"}};
}

OptionSpec part_out_option() {
  return {.name = "part-out",
          .value = "FILE",
          .help = "with --shard: where to write what the shard found, for `ortool merge`",
          .completes = Completion::files};
}

std::string shard_line(const Part& part, std::string_view items) {
  const auto [first, end] = part.items;
  const std::string from = end > first ? format(", from {} on", first) : std::string();
  return format("shard {}: {} of {} {}{}\n", part.task.shard.to_string(), end - first,
                part.task.items, items, from);
}

std::optional<Shard> read_shard(const Invocation& invocation) {
  if (!invocation.options.has("shard")) return std::nullopt;
  const std::string text = invocation.options.text("shard");
  if (text != automatic && !text.starts_with("auto/")) return parse_shard(text);
  const FoundShard found =
      shard_from_environment(given_count(text), [](const char* name) { return std::getenv(name); });
  invocation.messages.info(format("shard {}, from {}", found.shard.to_string(), found.variable));
  return found.shard;
}

std::optional<Shard> read_shard_and_part(const Invocation& invocation) {
  const OptionValues& options = invocation.options;
  if (!options.has("shard")) {
    refuse_any(options, {"part-out"}, "without --shard", "--shard I/N runs one part of the task");
    return std::nullopt;
  }
  const std::optional<Shard> shard = read_shard(invocation);
  if (!options.has("part-out")) {
    throw Error(ErrorCode::invalid, "--shard needs a file for what the shard finds",
                format("add --part-out FILE, such as --part-out {}-of-{}.part", shard->index + 1,
                       shard->count))
        .with_id("usage.output");
  }
  const std::string path = options.text("part-out");
  if (path == "-") {
    throw Error(ErrorCode::invalid, "option --part-out: a part cannot go to standard output",
                "name a file")
        .with_id("usage.value");
  }
  check_can_be_written("part-out", path);
  check_is_no_other_file(invocation, "part-out", path);
  return shard;
}

}  // namespace ortool
