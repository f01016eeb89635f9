// Calibration data are read sequentially; going backward reopens the data sets.
#include "libcore/quantize/calibrate/calibration_data.hpp"

#include <algorithm>
#include <tuple>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/sha256.hpp"
#include "libcore/dataset/random_samples.hpp"
#include "libcore/graph/value_names.hpp"

namespace ortool {
namespace {

constexpr std::int64_t default_random_samples = 16;

/// The memory for samples that are kept.
std::int64_t max_kept_bytes(const MemoryCap& memory) {
  constexpr std::int64_t max_bytes = std::int64_t{64} << 20;
  const std::int64_t limit = memory.limit_bytes();
  return limit > 0 ? std::min(max_bytes, limit / 32) : max_bytes;
}

std::int64_t bytes_of(const std::vector<RunValue>& outputs) {
  std::int64_t bytes = 0;
  for (const RunValue& value : outputs)
    bytes += value.is_tensor() ? value.tensor().size_bytes() : 0;
  return bytes;
}

}  // namespace

CalibrationData::CalibrationData(const TaskContext& task, const QuantizeData& source, DataRole role,
                                 std::span<Value* const> inputs, std::span<Value* const> outputs)
    : task_(task),
      source_(source),
      paths_(source.paths(role)),
      inputs_(inputs),
      outputs_(outputs),
      bytes_left_(max_kept_bytes(task.memory)) {
  is_random_ = role == DataRole::calibration && source.is_random;
  if (is_random_) paths_ = {"random inputs"};
  const bool is_sharded = source.part && role != DataRole::none;
  Sha256 identity;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    const std::unique_ptr<SampleSet> set = open(i);
    if (is_sharded) {
      const std::string text = set->identity() + ";";
      identity.update(std::as_bytes(std::span(text.data(), text.size())));
    }
    sizes_.push_back(set->size());
    size_ += sizes_.back();
    if (set->files() != nullptr) files_.emplace(paths_[i], *set->files());
  }
  if (is_random_ && !source.samples) size_ = default_random_samples;
  if (source.samples && role == DataRole::calibration) choose_samples();
  if (!is_sharded) return;
  identity_ = identity.finish();
  choose_shard();
}

void CalibrationData::choose_shard() {
  part_.emplace();
  part_->task = *source_.part;
  part_->task.data = identity_;
  part_->task.items = size_ - first_;
  const auto [first, end] = items_of(part_->task.shard, size_ - first_);
  part_->items = {first_ + first, first_ + end};
  std::tie(first_, size_) = part_->items;
}

void CalibrationData::choose_samples() {
  const auto [first, last] = *source_.samples;
  if (last > size_) {
    throw Error(ErrorCode::invalid,
                format("option {}: there are {} samples ({} requested)", setting_name("samples"),
                       size_, last),
                "give more data, or leave the option out")
        .with_id("usage.value");
  }
  first_ = first;
  size_ = last;
}

std::unique_ptr<SampleSet> CalibrationData::open(std::size_t set) const {
  SampleContext context{task_,           inputs_,        outputs_,
                        source_.recipes, source_.random, !source_.class_names.empty()};
  if (is_random_) return make_random_samples(std::move(context));
  return open_sample_set(paths_[set], std::move(context));
}

std::vector<std::string> CalibrationData::class_names() const {
  return paths_.empty() ? std::vector<std::string>() : open(0)->class_names();
}

void CalibrationData::keep(std::int64_t index, const Sample& sample) {
  std::int64_t bytes = 0;
  for (const NamedValues* values : {&sample.inputs, &sample.references}) {
    for (const auto& [name, value] : *values) {
      // Sequences are not measured.
      bytes += value.is_tensor() ? value.tensor().size_bytes() : bytes_left_ + 1;
    }
  }
  if (bytes > bytes_left_) return;
  bytes_left_ -= bytes;
  kept_.emplace(index, Kept{sample, last_read_});
}

void CalibrationData::keep_outputs_of(const Session& session) {
  if (kept_session_ == &session) return;
  for (const auto& [index, outputs] : kept_outputs_) bytes_left_ += bytes_of(outputs);
  kept_outputs_.clear();
  kept_session_ = &session;
}

void CalibrationData::keep_outputs(const Session& session, std::int64_t index,
                                   const std::vector<RunValue>& outputs) {
  // Sequences are not measured.
  const bool has_tensors_only = std::all_of(
      outputs.begin(), outputs.end(), [](const RunValue& value) { return value.is_tensor(); });
  const std::int64_t bytes = bytes_of(outputs);
  if (&session != kept_session_ || !has_tensors_only || bytes > bytes_left_) return;
  if (kept_outputs_.emplace(index, outputs).second) bytes_left_ -= bytes;
}

std::vector<RunValue> CalibrationData::outputs_of(const Session& session, std::int64_t index,
                                                  const NamedValues& inputs,
                                                  const RunOptions& options) {
  if (&session == kept_session_) {
    const auto known = kept_outputs_.find(index);
    if (known != kept_outputs_.end()) return known->second;
  }
  std::vector<RunValue> outputs = session.run(inputs, options);
  keep_outputs(session, index, outputs);
  return outputs;
}

Sample CalibrationData::sample(std::int64_t index) {
  const auto known = kept_.find(index);
  if (known != kept_.end()) {
    last_read_ = known->second.read;
    return known->second.sample;
  }
  const std::int64_t number = index;
  std::size_t set = 0;
  while (index >= sizes_[set]) index -= sizes_[set++];
  if (open_ == nullptr || open_index_ != set || index < next_) {
    open_ = open(set);
    open_index_ = set;
    next_ = 0;
  }
  open_->skip(index - next_);
  next_ = index + 1;
  last_read_ = paths_[set];
  Sample sample = open_->next();
  if (sample.name != format("{}", index)) last_read_ += ": " + sample.name;
  for (auto& [name, value] : sample.inputs) {
    if (value.is_tensor()) value = RunValue(value.tensor().aligned());
  }
  keep(number, sample);
  return sample;
}

void check_image_recipes(const TaskContext& task, const QuantizeData& source,
                         std::span<Value* const> inputs, std::span<Value* const> outputs) {
  if (source.recipes.empty()) return;
  std::vector<std::unique_ptr<SampleSet>> sets;
  for (const DataRole role : {DataRole::calibration, DataRole::validation}) {
    for (const std::string& path : source.paths(role))
      sets.push_back(open_sample_set(path, {task, inputs, outputs, source.recipes, source.random,
                                            !source.class_names.empty()}));
  }
  refuse_unused_recipes(source.recipes, sets);
}

}  // namespace ortool
