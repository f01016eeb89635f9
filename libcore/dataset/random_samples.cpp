// Random samples: generates random inputs repeatedly.
#include "libcore/dataset/random_samples.hpp"

#include <utility>

#include "libcore/base/nearest.hpp"
#include "libcore/dataset/values/random_inputs.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/infer/least_sizes.hpp"

namespace ortool {
namespace {

class RandomSamples : public SampleSet {
 public:
  explicit RandomSamples(SampleContext context) : context_(std::move(context)) {}

  std::int64_t size() const override { return max_random_samples; }
  const std::vector<std::string>& class_names() const override { return no_names_; }
  Sample next() override;
  void skip(std::int64_t count) override { next_ += count; }
  /// The settings tell the rest.
  std::string identity() const override { return "random"; }
  /// The dimensions that default to 1.
  const std::vector<std::string>& guessed() const { return guessed_; }

 private:
  SampleContext context_;
  std::vector<std::string> guessed_;
  std::vector<std::string> no_names_;
  std::int64_t next_ = 0;
};

Sample RandomSamples::next() {
  Sample sample;
  sample.name = std::to_string(next_);
  const RandomInputOptions& random = context_.random;
  SymbolSizes numbers = random.sizes;
  guessed_.clear();
  for (std::size_t i = 0; i < context_.inputs.size(); ++i) {
    const Value& input = *context_.inputs[i];
    const auto range = random.ranges.find(input.name());
    RunValue value = random_value(
        input, numbers, guessed_, static_cast<std::uint64_t>(random.seed + next_),
        static_cast<std::int64_t>(i),
        range != random.ranges.end() ? std::optional<RandomRange>(range->second) : std::nullopt,
        context_.task.memory);
    sample.inputs.emplace_back(std::string(input.name()), std::move(value));
  }
  ++next_;
  return sample;
}

}  // namespace

std::vector<std::string> free_dimension_names(std::span<Value* const> inputs) {
  std::vector<std::string> names = input_symbols(inputs);
  for (const Value* input : inputs) {
    const std::size_t rank = input->type().shape ? input->type().shape->size() : 0;
    for (std::size_t i = 0; i < rank; ++i) {
      if ((*input->type().shape)[i].is_unknown()) names.push_back(free_dimension_name(*input, i));
    }
  }
  return names;
}

std::unique_ptr<SampleSet> make_random_samples(SampleContext context) {
  return std::make_unique<RandomSamples>(std::move(context));
}

std::string guessed_sizes(const SampleContext& context) {
  RandomSamples samples(context);
  static_cast<void>(samples.next());
  return samples.guessed().empty() ? std::string() : list_names(samples.guessed());
}

}  // namespace ortool
