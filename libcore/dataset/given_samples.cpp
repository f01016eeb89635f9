// Given samples: copied as they come, and read again by position.
#include "libcore/dataset/given_samples.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/sha256.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/graph/value_names.hpp"

namespace ortool {
namespace {

/// Smaller tensors always stay in memory.
constexpr std::int64_t min_file_bytes = std::int64_t{1} << 12;

std::int64_t max_bytes_in_memory(const MemoryCap& cap) {
  constexpr std::int64_t max_bytes = std::int64_t{64} << 20;
  const std::int64_t limit = cap.limit_bytes();
  return limit > 0 ? std::min(max_bytes, limit / 32) : max_bytes;
}

Tensor copy_of(const Tensor& tensor, MemoryCap& cap) {
  if (tensor.type() == DataType::string) {
    const auto strings = tensor.strings();
    return Tensor::of_strings(tensor.shape(), {strings.begin(), strings.end()}, &cap);
  }
  Tensor copy(tensor.type(), tensor.shape(), &cap);
  if (tensor.size_bytes() > 0)
    std::memcpy(copy.mutable_bytes(), tensor.bytes(),
                static_cast<std::size_t>(tensor.size_bytes()));
  return copy;
}

struct NameTable {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const GivenSamples>, std::less<>> samples;
};

NameTable& name_table() {
  static NameTable table;
  return table;
}

class GivenSampleSet : public SampleSet {
 public:
  GivenSampleSet(std::shared_ptr<const GivenSamples> samples, std::string name,
                 SampleContext context)
      : samples_(std::move(samples)), name_(std::move(name)), context_(std::move(context)) {
    if (samples_->size() > 0) return;
    throw Error(ErrorCode::invalid, "there are no samples", "give at least one")
        .in(name_)
        .with_id("data.empty");
  }

  std::int64_t size() const override { return samples_->size(); }
  const std::vector<std::string>& class_names() const override { return no_names_; }
  Sample next() override {
    Sample sample;
    sample.name = std::to_string(next_);
    const NamedValues& inputs = samples_->inputs(next_++);
    for (const auto& [name, value] : inputs) {
      const bool is_input = std::any_of(context_.inputs.begin(), context_.inputs.end(),
                                        [&](const Value* input) { return input->name() == name; });
      if (!is_input)
        throw unknown_name("input", name, "inputs", names_of(context_.inputs)).in(place(sample));
    }
    for (const Value* input : context_.inputs) {
      const bool is_given = std::any_of(inputs.begin(), inputs.end(), [&](const auto& given) {
        return given.first == input->name();
      });
      if (is_given || input->has_default() || input->type().kind == ValueType::Kind::optional)
        continue;
      throw Error(ErrorCode::invalid, format("no data for: {}", input->name()),
                  "give each sample all inputs")
          .in(place(sample))
          .with_id("input.missing");
    }
    sample.inputs = inputs;
    return sample;
  }
  void skip(std::int64_t count) override { next_ += count; }
  std::string identity() const override;

 private:
  std::string place(const Sample& sample) const {
    return format("{}: sample {}", name_, sample.name);
  }

  std::shared_ptr<const GivenSamples> samples_;
  std::string name_;
  SampleContext context_;
  std::vector<std::string> no_names_;
  std::int64_t next_ = 0;
};

void add_text(std::string_view text, Sha256& hash) {
  hash.update(std::as_bytes(std::span(text.data(), text.size())));
}

/// The samples are here, so that their contents count.
std::string GivenSampleSet::identity() const {
  Sha256 hash;
  for (std::int64_t i = 0; i < samples_->size(); ++i) {
    for (const auto& [name, value] : samples_->inputs(i)) {
      add_text(format("{} {};", quote(name), value.describe()), hash);
      if (!value.is_tensor()) continue;
      const Tensor& tensor = value.tensor();
      if (tensor.type() == DataType::string) {
        for (const std::string& text : tensor.strings()) add_text(text + ";", hash);
      } else {
        hash.update({tensor.bytes(), static_cast<std::size_t>(tensor.size_bytes())});
      }
    }
  }
  return hash.finish();
}

}  // namespace

GivenSamples::GivenSamples(MemoryCap& cap) : cap_(cap), bytes_left_(max_bytes_in_memory(cap)) {}

void GivenSamples::add_input(const std::string& name, const RunValue& value) {
  NamedValues& inputs = samples_.back();
  const bool is_there = std::any_of(inputs.begin(), inputs.end(),
                                    [&](const auto& given) { return given.first == name; });
  if (is_there) {
    throw Error(ErrorCode::invalid,
                format("sample {} is given input {} twice", size() - 1, quote(name)),
                "give each input once")
        .with_id("input.twice");
  }
  inputs.emplace_back(name, kept(value));
}

Tensor GivenSamples::kept(const Tensor& tensor) {
  const std::int64_t bytes = tensor.size_bytes();
  const bool is_small = bytes <= bytes_left_ || bytes < min_file_bytes;
  if (!is_small && !std::exchange(is_tried_, true)) {
    std::error_code ignored;
    file_ = AnonymousFile::open(std::filesystem::temp_directory_path(ignored).string());
  }
  if (is_small || !file_) {
    bytes_left_ -= bytes;
    return copy_of(tensor, cap_);
  }
  MappedBytes mapped = file_->keep({tensor.bytes(), static_cast<std::size_t>(bytes)});
  file_bytes_ += bytes;
  return Tensor::view(tensor.type(), tensor.shape(), mapped.bytes, std::move(mapped.owner));
}

RunValue GivenSamples::kept(const RunValue& value) {
  if (value.is_tensor()) return kept(value.tensor());
  if (value.is_map())
    return RunValue::map(copy_of(value.keys(), cap_), copy_of(value.map_values(), cap_));
  if (!value.is_sequence()) return value;
  std::vector<RunValue> elements;
  for (const RunValue& element : value.elements()) elements.push_back(kept(element));
  return RunValue::sequence(std::move(elements));
}

NamedSamples::NamedSamples(std::shared_ptr<const GivenSamples> samples) {
  NameTable& table = name_table();
  const std::lock_guard lock(table.mutex);
  name_ = "samples of the program";
  for (int number = 2; table.samples.contains(name_); ++number)
    name_ = format("samples of the program ({})", number);
  table.samples.emplace(name_, std::move(samples));
}

NamedSamples::~NamedSamples() {
  NameTable& table = name_table();
  const std::lock_guard lock(table.mutex);
  table.samples.erase(name_);
}

std::shared_ptr<const GivenSamples> find_given_samples(std::string_view name) {
  NameTable& table = name_table();
  const std::lock_guard lock(table.mutex);
  const auto found = table.samples.find(name);
  return found != table.samples.end() ? found->second : nullptr;
}

std::unique_ptr<SampleSet> make_given_samples(std::shared_ptr<const GivenSamples> samples,
                                              const std::string& name, SampleContext context) {
  return std::make_unique<GivenSampleSet>(std::move(samples), name, std::move(context));
}

}  // namespace ortool
