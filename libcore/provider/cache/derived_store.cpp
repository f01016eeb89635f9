// Derived constants: keys of the nodes that they belong to, and where they come from.
#include "libcore/provider/cache/derived_store.hpp"

#include <cstring>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/sha256.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/provider/constant_store.hpp"
#include "libcore/provider/node_view.hpp"

namespace ortool {
namespace {

std::string shape_text(DataType type, const Shape& shape) {
  return format("{}{}", name_of(type), shape.to_string());
}

Error stale() {
  // A code that constant folding does not take for an invalid node.
  return Error(ErrorCode::no_conclusion, "it lacks a constant of this session")
      .with_id("cache.stale");
}

Error damaged() {
  return Error(ErrorCode::no_conclusion, "its content is damaged").with_id("cache.damaged");
}

}  // namespace

DerivedStore::DerivedStore(CacheFile file, ContentKeyRegistry& contents)
    : file_(std::move(file)), contents_(contents) {}

DerivedStore::DerivedStore(std::unique_ptr<CacheWriter> writer, ContentKeyRegistry& contents)
    : writer_(std::move(writer)), contents_(contents) {}

std::string DerivedStore::key_of(const Tensor& constant) {
  if (file_ && file_->holds(constant.bytes())) {
    const CacheEntry* entry = file_->find_content(constant.bytes());
    if (entry != nullptr && entry->size_bytes == constant.size_bytes())
      return entry->content.to_text();
    // A part of an entry, which was part of other memory when the file was written.
    return CacheKey::of(
               sha256_of({constant.bytes(), static_cast<std::size_t>(constant.size_bytes())}))
        .to_text();
  }
  const std::lock_guard lock(contents_mutex_);
  return CacheKey::of(contents_.key_of(constant)).to_text();
}

DerivedStore::Kernel* DerivedStore::kernel_of_thread() {
  const std::lock_guard lock(mutex_);
  const auto found = kernels_.find(std::this_thread::get_id());
  return found != kernels_.end() ? &found->second : nullptr;
}

/// Empty where something does not show in a text.
std::string DerivedStore::describe(const NodeView& view, std::string_view provider) {
  std::string text = format("kernel {}", provider);
  for (const Node* node : view.members()) {
    text += format("\n{}.{} {} (", node->domain(), node->op_type(), node->opset());
    for (std::int64_t i = 0; i < node->input_count(); ++i) {
      const Value* input = node->input(i);
      if (input == nullptr) {
        text += "-,";
        continue;
      }
      text += input->type().to_string();
      const bool is_given = input->is_constant() && view.constants()->find(*input) != nullptr;
      text += is_given ? '=' + key_of(view.original(*input)) + ',' : std::string(1, ',');
    }
    text += ") -> ";
    for (std::int64_t i = 0; i < node->output_count(); ++i)
      text += node->output(i) == nullptr ? "-," : node->output(i)->type().to_string() + ',';
    if (!append_attributes(*node, text)) return {};
  }
  for (const Layout layout : view.layouts().inputs) text += layout_name(layout);
  text += ">";
  for (const Layout layout : view.layouts().outputs) text += layout_name(layout);
  return CacheKey::of(text).to_text();
}

void DerivedStore::begin_kernel(const NodeView& view, std::string_view provider,
                                std::size_t number) {
  Kernel kernel{.text = describe(view, provider), .number = number};
  const std::lock_guard lock(mutex_);
  kernels_.insert_or_assign(std::this_thread::get_id(), std::move(kernel));
}

void DerivedStore::end_kernel() {
  const std::lock_guard lock(mutex_);
  const auto ended = kernels_.find(std::this_thread::get_id());
  ended_.insert_or_assign(ended->second.number, std::move(ended->second.entries));
  kernels_.erase(ended);
}

void DerivedStore::write_kernels() {
  for (const auto& [number, entries] : std::exchange(ended_, {})) {
    for (const Entry& entry : entries) write(entry);
  }
}

const CacheEntry& DerivedStore::find(const CacheKey& key) {
  const CacheEntry* entry = file_->find(key);
  if (entry == nullptr) throw stale();
  const std::lock_guard lock(mutex_);
  found_.push_back(entry);
  return *entry;
}

/// Writes what no kernel has derived at once.
void DerivedStore::keep(Entry entry) {
  if (Kernel* kernel = kernel_of_thread(); kernel != nullptr) {
    kernel->entries.push_back(std::move(entry));
  } else {
    write(entry);
  }
}

void DerivedStore::write(const Entry& entry) {
  if (writer_ == nullptr) return;
  try {
    const auto size = static_cast<std::size_t>(entry.bytes.size_bytes());
    writer_->add(entry.key, entry.content, {entry.bytes.data(), size});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::write_failed) throw;
    write_failure_ = error.message();
    writer_ = nullptr;
  }
}

PackedBytes DerivedStore::pack(std::int64_t bytes, std::initializer_list<std::int64_t> parameters,
                               MemoryCap* cap, FunctionRef<void(std::byte*)> pack) {
  CacheKey key;
  Kernel* const kernel = kernel_of_thread();
  const bool is_kept = kernel != nullptr && !kernel->text.empty() && bytes >= min_derived_bytes;
  if (is_kept) {
    std::string text = format("packed {} {} {}", kernel->text, kernel->packed_count++, bytes);
    for (const std::int64_t parameter : parameters) text += format(" {}", parameter);
    key = CacheKey::of(text);
  }
  if (is_kept && is_reading()) {
    const CacheEntry& entry = find(key);
    if (entry.size_bytes != bytes) throw stale();
    return PackedBytes(file_->bytes(entry).data(), bytes, file_->owner());
  }
  AlignedBuffer buffer(bytes, cap, "packed weights");
  pack(buffer.data());
  PackedBytes packed(std::move(buffer));
  if (is_kept) keep({key, {}, packed});
  return packed;
}

std::int64_t DerivedStore::number(FunctionRef<std::int64_t()> compute) {
  Kernel* const kernel = kernel_of_thread();
  if (kernel == nullptr || kernel->text.empty()) return compute();
  const CacheKey key = CacheKey::of(format("number {} {}", kernel->text, kernel->number_count++));
  std::int64_t result = 0;
  if (is_reading()) {
    const CacheEntry& entry = find(key);
    if (entry.size_bytes != sizeof result) throw stale();
    const std::span<const std::byte> bytes = file_->bytes(entry);
    // What is packed depends on it, so it is not left to the check before the first run.
    if (!file_->is_intact(entry)) throw damaged();
    std::memcpy(&result, bytes.data(), sizeof result);
    return result;
  }
  result = compute();
  AlignedBuffer bytes(sizeof result, nullptr);
  std::memcpy(bytes.data(), &result, sizeof result);
  keep({key, {}, PackedBytes(std::move(bytes))});
  return result;
}

Tensor DerivedStore::derive(const std::string& key, DataType type, const Shape& shape,
                            FunctionRef<Tensor()> compute) {
  const std::int64_t bytes = bytes_of(type, shape.element_count());
  if (type == DataType::string || bytes < min_derived_bytes) return compute();
  const CacheKey whole = CacheKey::of(format("derived {} {}", shape_text(type, shape), key));
  if (is_reading()) {
    const CacheEntry& entry = find(whole);
    if (entry.size_bytes != bytes) throw stale();
    return Tensor::view(type, shape, file_->bytes(entry), file_->owner());
  }
  Tensor result = compute();
  if (result.type() != type || result.shape() != shape) return result;
  // Later constants that depend on this one are known by the same text in later starts.
  CacheKey content;
  {
    const std::lock_guard lock(contents_mutex_);
    content = CacheKey::of(contents_.key_of(result));
  }
  keep({whole, content,
        PackedBytes(result.bytes(), result.size_bytes(), std::make_shared<const Tensor>(result))});
  return result;
}

bool DerivedStore::is_intact(Workers& workers) const {
  return !file_ || file_->is_intact(found_, workers);
}

std::string DerivedStore::commit(const StopToken* stop) {
  if (writer_ == nullptr) return write_failure_;
  try {
    if (!writer_->is_empty()) writer_->commit(stop);
    writer_ = nullptr;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::write_failed) throw;
    writer_ = nullptr;
    return error.message();
  }
  return {};
}

}  // namespace ortool
