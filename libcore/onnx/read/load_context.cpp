// Warnings, error prefixes, and key-value entries.
#include "libcore/onnx/read/load_context.hpp"

#include <utility>

#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/onnx/messages.hpp"

namespace ortool::onnx {
namespace {

constexpr std::size_t max_warnings = 50;

}  // namespace

LoadContext::LoadContext(std::span<const std::byte> file, std::shared_ptr<const void> bytes_owner,
                         const std::string& directory, const LoadOptions& load_options)
    : source{file, load_options.max_nesting},
      owner(std::move(bytes_owner)),
      options(load_options),
      budget(static_cast<std::int64_t>(file.size())),
      external(directory) {}

void LoadContext::drop_large(std::span<const std::byte> bytes) {
  constexpr std::size_t large_bytes = 256 << 10;
  if (bytes.size() < large_bytes) return;
  const bool follows = !dropped_.empty() && dropped_.data() < bytes.data() &&
                       dropped_.data() >= source.file.data() &&
                       bytes.data() < source.file.data() + source.file.size();
  drop_pages(follows ? std::span(dropped_.data(), bytes.data() + bytes.size()) : bytes);
  dropped_ = bytes;
}

void LoadContext::warn(std::string text) {
  if (warnings.size() < max_warnings) {
    warnings.push_back(std::move(text));
  } else {
    ++warnings_left_out_;
  }
}

std::vector<std::string> LoadContext::take_warnings() {
  if (warnings_left_out_ > 0) {
    warnings.push_back(format("{} more warnings like these", warnings_left_out_));
  }
  return std::move(warnings);
}

Error prefixed(const Error& error, std::string_view prefix, std::string_view id) {
  Error result(error.code(), format("{}: {}", prefix, error.message()), error.hint());
  // That memory is lacking says nothing about the file.
  const bool is_about_file = error.code() != ErrorCode::memory_limit;
  result.with_id(error.id().empty() && is_about_file ? std::string(id) : error.id());
  return result;
}

std::pair<std::string, std::string> read_entry(LoadContext& context, Message message,
                                               Residue& residue) {
  context.budget.take_bytes(sizeof(std::pair<std::string, std::string>), "metadata");
  std::pair<std::string, std::string> entry;
  Residue unknown;
  WireReader reader(context.source, message, entry_table);
  reader.keep_unknown(unknown);
  while (reader.next()) {
    if (reader.number() == entry_field::key) entry.first = reader.text();
    if (reader.number() == entry_field::value) entry.second = reader.text();
  }
  const FieldPresence fields = reader.present_fields();
  if (!unknown.is_empty() || !fields.has(entry_field::key) || !fields.has(entry_field::value)) {
    context.budget.take_bytes(sizeof(Residue::OddEntry), "metadata");
    residue.odd_entries.push_back({entry.first, entry.second, message.bytes});
  }
  return entry;
}

std::unique_ptr<Notes> to_pointer(LoadContext& context, Notes notes) {
  if (notes.is_empty()) return nullptr;
  context.budget.take_bytes(sizeof(Notes) + 16, "texts");
  return std::make_unique<Notes>(std::move(notes));
}

}  // namespace ortool::onnx
