// Part files: a text header over a payload, protected by one hash.
#include "libcore/dataset/parts/part_file.hpp"

#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/sha256.hpp"
#include "libcore/json/json.hpp"

namespace ortool {
namespace {

constexpr std::string_view any_begin = "ortool part ";
constexpr std::string_view file_begin = "ortool part 1\n";
constexpr std::size_t hash_digits = 64;
constexpr std::int64_t max_part_bytes = std::int64_t{16} << 30;

std::string hash_of(std::string_view text) {
  return sha256_of(std::as_bytes(std::span<const char>(text.data(), text.size())));
}

Json task_json(const Part& part) {
  const PartTask& task = part.task;
  Json settings = Json::object();
  for (const auto& [name, value] : task.settings) settings.set(name, value);
  return Json::object()
      .set("kind", task.kind)
      .set("ortool", task.version)
      .set("model", text_or_null(task.model))
      .set("data", task.data)
      .set("items", task.items)
      .set("settings", std::move(settings))
      .set("shard", task.shard.to_string())
      .set("first", part.items.first)
      .set("end", part.items.second)
      .set("isa", task.isa);
}

[[noreturn]] void refuse_file(const std::string& path, std::string_view what, std::string hint) {
  throw Error(ErrorCode::invalid, std::string(what), std::move(hint)).with_id("part.file").in(path);
}

/// Reads members of the header, which is known to be as it was written.
class HeaderReader {
 public:
  HeaderReader(const Json& header, const std::string& path) : header_(header), path_(path) {}

  std::string text(std::string_view key) const {
    const Json* value = header_.find(key);
    if (value != nullptr && value->is_null()) return {};
    if (value == nullptr || !value->is_text()) fail(key);
    return value->text();
  }
  std::int64_t integer(std::string_view key) const {
    const Json* value = header_.find(key);
    constexpr double most = 0x1p53;
    if (value == nullptr || !value->is_number() || !(value->number() >= 0) ||
        value->number() > most)
      fail(key);
    return static_cast<std::int64_t>(value->number());
  }
  std::vector<std::pair<std::string, std::string>> settings() const {
    std::vector<std::pair<std::string, std::string>> read;
    const Json* list = header_.find("settings");
    if (list == nullptr || !list->is_object()) fail("settings");
    for (const auto& [name, value] : list->members()) {
      if (!value.is_text()) fail("settings");
      read.emplace_back(name, value.text());
    }
    return read;
  }

 private:
  [[noreturn]] void fail(std::string_view key) const {
    refuse_file(path_, format("the header has no valid {}", quote(key)),
                "run its shard again to replace it");
  }

  const Json& header_;
  const std::string& path_;
};

}  // namespace

std::string serialize_part(const Part& part) {
  const std::string rest = task_json(part).write_compact() + "\n" + part.payload;
  return std::string(file_begin) + hash_of(rest) + "\n" + rest;
}

bool is_part(std::string_view bytes) {
  return bytes.starts_with(any_begin);
}

Part parse_part(std::string_view bytes, const std::string& path) {
  if (!is_part(bytes))
    refuse_file(path, "this is not a part of a sharded result",
                "give the files that commands with --shard wrote");
  if (!bytes.starts_with(file_begin))
    refuse_file(path, "another version of ortool wrote this part",
                "run and merge all shards with the same version");
  bytes.remove_prefix(file_begin.size());
  const bool has_hash = bytes.size() > hash_digits && bytes[hash_digits] == '\n';
  const std::string_view rest = has_hash ? bytes.substr(hash_digits + 1) : std::string_view();
  const std::size_t line = rest.find('\n');
  if (line == std::string_view::npos || hash_of(rest) != bytes.substr(0, hash_digits))
    refuse_file(path, "the part is damaged or cut off: its checksum does not match",
                "run its shard again to replace it");
  const Json header = parse_json(rest.substr(0, line), path);
  const HeaderReader read(header, path);
  Part part;
  part.path = path;
  part.task = {read.text("kind"),
               read.text("ortool"),
               read.text("model"),
               read.text("data"),
               read.integer("items"),
               read.settings(),
               parse_shard(read.text("shard")),
               read.text("isa")};
  part.items = {read.integer("first"), read.integer("end")};
  part.payload = rest.substr(line + 1);
  return part;
}

Part read_part_file(const std::string& path, MemoryCap* cap) {
  return parse_part(read_text_file(path, max_part_bytes, cap), path);
}

Part read_part_again(const Part& known, MemoryCap* cap) {
  Part part = read_part_file(known.path, cap);
  if (part.task == known.task && part.items == known.items) return part;
  refuse_file(known.path, "the part was replaced while it was being merged", "merge again");
}

void write_part_file(const Part& part) {
  AtomicFile file(part.path);
  file.write(serialize_part(part));
  file.commit();
}

}  // namespace ortool
