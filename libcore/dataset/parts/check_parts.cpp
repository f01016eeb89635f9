// The task that most parts share is taken for the right one, so that messages name the odd file.
#include "libcore/dataset/parts/check_parts.hpp"

#include <algorithm>
#include <map>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

constexpr std::size_t hash_shown = 12;
constexpr std::size_t max_listed_shards = 10;

/// The part that agrees with most others.
const Part& most_common(const std::vector<Part>& parts) {
  const Part* best = &parts.front();
  std::int64_t most = 0;
  for (const Part& part : parts) {
    const auto same = std::count_if(parts.begin(), parts.end(), [&](const Part& other) {
      return task_difference(other.task, part.task).empty();
    });
    if (same > most) best = &part;
    most = std::max(most, static_cast<std::int64_t>(same));
    // Others can at best be as common.
    if (2 * most >= static_cast<std::int64_t>(parts.size())) break;
  }
  return *best;
}

std::string text_difference(std::string_view what, const std::string& found,
                            const std::string& expected) {
  if (found == expected) return {};
  const auto shown = [](const std::string& text) {
    if (text.empty()) return std::string("none");
    const bool is_hash =
        text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
    return is_hash ? text.substr(0, hash_shown) + "..." : quote(shorten(text, 60));
  };
  return format("{} is {} instead of {}", what, shown(found), shown(expected));
}

std::string setting_difference(const PartTask& found, const PartTask& expected) {
  std::map<std::string, std::pair<std::string, std::string>> values;
  for (const auto& [name, value] : found.settings) values[name].first = value;
  for (const auto& [name, value] : expected.settings) values[name].second = value;
  for (const auto& [name, pair] : values) {
    std::string text =
        text_difference(format("the setting {}", quote(name)), pair.first, pair.second);
    if (!text.empty()) return text;
  }
  return {};
}

std::string list_shards(const std::vector<Shard>& shards) {
  std::string text;
  for (std::size_t i = 0; i < std::min(shards.size(), max_listed_shards); ++i)
    text += format("{}{}", i > 0 ? ", " : "", shards[i].to_string());
  if (shards.size() > max_listed_shards)
    text += format(" and {} more", shards.size() - max_listed_shards);
  return text;
}

}  // namespace

std::string task_difference(const PartTask& found, const PartTask& expected) {
  const std::string texts[] = {
      text_difference("the kind", found.kind, expected.kind),
      text_difference("the version of ortool", found.version, expected.version),
      text_difference("the hash of the model", found.model, expected.model),
      text_difference("the hash of the data", found.data, expected.data),
      text_difference("the number of items", std::to_string(found.items),
                      std::to_string(expected.items)),
      setting_difference(found, expected),
      text_difference("the number of shards", std::to_string(found.shard.count),
                      std::to_string(expected.shard.count))};
  for (const std::string& text : texts) {
    if (!text.empty()) return text;
  }
  return {};
}

void refuse_part(const std::string& path, std::string difference) {
  throw Error(ErrorCode::invalid, format("is a part of another task: {}", difference),
              "merge parts of the same command, which differ in the shard only")
      .with_id("part.foreign")
      .in(path);
}

void check_parts(std::vector<Part>& parts) {
  ORTOOL_CHECK(!parts.empty());
  const Part& usual = most_common(parts);
  for (const Part& part : parts) {
    std::string difference = task_difference(part.task, usual.task);
    if (difference.empty()) continue;
    // Of two parts, neither is the odd one.
    if (parts.size() == 2) difference += format(" as in {}", usual.path);
    refuse_part(part.path, std::move(difference));
  }
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.task.shard.index < b.task.shard.index;
  });
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].task.shard != parts[i - 1].task.shard) continue;
    throw Error(ErrorCode::invalid,
                format("shard {} is given twice: {} and {}", parts[i].task.shard.to_string(),
                       parts[i - 1].path, parts[i].path),
                "leave one of them out")
        .with_id("part.twice");
  }
  std::vector<Shard> missing;
  const std::int64_t count = parts.front().task.shard.count;
  std::size_t next = 0;
  for (std::int64_t index = 0; index < count; ++index) {
    if (next < parts.size() && parts[next].task.shard.index == index) {
      ++next;
    } else {
      missing.push_back({index, count});
    }
  }
  if (missing.empty()) return;
  throw Error(
      ErrorCode::invalid,
      format("{} {} missing: {}", missing.size() == 1 ? "a shard" : "shards",
             missing.size() == 1 ? "is" : "are", list_shards(missing)),
      format("run the command with --shard {} and add the file", missing.front().to_string()))
      .with_id("part.missing");
}

std::vector<std::string> other_isas(const std::vector<Part>& parts) {
  std::map<std::string, std::int64_t> counts;
  for (const Part& part : parts) ++counts[part.task.isa];
  if (counts.size() == 1) return {};
  const auto usual =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<std::string> files;
  for (const Part& part : parts) {
    if (part.task.isa != usual->first)
      files.push_back(format("{}: {} instead of {}", part.path, part.task.isa, usual->first));
  }
  return files;
}

}  // namespace ortool
