// Information in a model file beyond its meaning, kept so that it can be written back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ortool {

/// Key and value strings in file order (metadata_props).
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// Which of several equivalent spellings a file used, such as an absent or an empty field. Set by a
/// file format's reader for its writer, opaque to everything else.
enum class SourceFormat : std::uint32_t { not_from_file = 0 };

/// The parts of a message that no member represents. The bytes are in the file, which the model
/// keeps mapped.
struct Residue {
  /// A key-value entry that two strings cannot represent; written back unchanged while an entry
  /// with this key and value exists.
  struct OddEntry {
    std::string key;
    std::string value;
    std::span<const std::byte> bytes;
  };

  std::vector<std::span<const std::byte>> unknown_fields;  ///< complete fields, including tags
  std::vector<OddEntry> odd_entries;

  bool is_empty() const { return unknown_fields.empty() && odd_entries.empty(); }
};

/// Texts and unknown fields that few nodes, values and attributes have.
struct Notes {
  std::string doc_string;
  Metadata metadata;
  Residue residue;

  bool is_empty() const { return doc_string.empty() && metadata.empty() && residue.is_empty(); }
};

/// Shared by everything that has no notes.
inline const Notes& no_notes() {
  static const Notes notes;
  return notes;
}

}  // namespace ortool
