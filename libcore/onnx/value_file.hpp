// Reads and writes .pb files with values: TensorProto, SequenceProto, MapProto or OptionalProto.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "libcore/graph/value_type.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// A file's bytes, their owner, and the folder in which external data may be (empty: not allowed).
struct ValueFileBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  std::string directory;
};

/// Reads the message for a value of type `type`; a tensor if the type is unknown. A name in the
/// message is stored in `name` unless that is null. Tensors are views of the bytes. Throws
/// ErrorCode::invalid for damaged data or another kind of message.
RunValue read_value(const ValueFileBytes& file, const ValueType& type, std::string* name = nullptr);
/// Same from a file, with its path at the start of error messages.
RunValue load_value(const std::string& path, const ValueType& type, std::string* name = nullptr);

/// The message for a value of type `type`: an optional is written as such, anything else according
/// to what `value` holds.
std::string value_message(const std::string& name, const RunValue& value, const ValueType& type);
/// Writes it to a file atomically; large tensors are written directly from where they are.
void save_value(const std::string& path, const std::string& name, const RunValue& value,
                const ValueType& type);

}  // namespace ortool
