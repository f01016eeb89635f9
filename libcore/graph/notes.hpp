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

/// The fields that were present in a protobuf message, one bit for each field number: distinguishes
/// an absent field from an empty one. Zero for objects that were not read from a file.
struct FieldPresence {
  std::uint32_t bits = 0;

  static constexpr unsigned came_from_file = 31;
  /// The default domain was spelled "ai.onnx".
  static constexpr unsigned spelled_out_domain = 30;

  bool has(unsigned bit) const { return (bits >> bit & 1U) != 0; }
  void set(unsigned bit) { bits |= std::uint32_t{1} << bit; }

  bool operator==(const FieldPresence&) const = default;
};

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

}  // namespace ortool
