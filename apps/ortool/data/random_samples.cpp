// Inputs of run --random, many times.
#include "apps/ortool/data/random_samples.hpp"

#include <utility>

#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/named_value.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/run/random_inputs.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/infer/least_sizes.hpp"

namespace ortool {
namespace {

constexpr std::int64_t most_sample_seed = std::int64_t{1} << 52;

class RandomSamples : public SampleSet {
 public:
  explicit RandomSamples(SampleContext context)
      : context_(std::move(context)),
        seed_(context_.invocation.options.integer("seed", 0, 0, most_sample_seed)),
        ranges_(read_random_ranges(context_.invocation.options, names_of(context_.inputs))),
        numbers_(read_dimension_numbers(context_.invocation.options,
                                        free_dimension_names(context_.inputs))) {}

  std::int64_t size() const override { return most_random_samples; }
  const std::vector<std::string>& class_names() const override { return no_names_; }
  Sample next() override;
  /// What is taken as 1.
  const std::vector<std::string>& guessed() const { return guessed_; }

 private:
  SampleContext context_;
  std::int64_t seed_;
  std::map<std::string, RandomRange, std::less<>> ranges_;
  SymbolNumbers numbers_;
  std::vector<std::string> guessed_;
  std::vector<std::string> no_names_;
  std::int64_t next_ = 0;
};

Sample RandomSamples::next() {
  Sample sample;
  sample.name = std::to_string(next_);
  SymbolNumbers numbers = numbers_;
  guessed_.clear();
  for (std::size_t i = 0; i < context_.inputs.size(); ++i) {
    const Value& input = *context_.inputs[i];
    const auto range = ranges_.find(input.name());
    RunValue value = random_value(
        input, numbers, guessed_, static_cast<std::uint64_t>(seed_ + next_),
        static_cast<std::int64_t>(i),
        range != ranges_.end() ? std::optional<RandomRange>(range->second) : std::nullopt,
        context_.invocation.memory);
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
