// Samples that are made up, each with a seed of its own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/dataset/sample_set.hpp"

namespace ortool {

/// Most samples that can be made up.
constexpr std::int64_t most_random_samples = std::int64_t{1} << 40;

/// `most_random_samples` samples as random_value() makes them: sample N with the seed of
/// `context.random` plus N; free dimensions that it gives no size are 1.
std::unique_ptr<SampleSet> make_random_samples(SampleContext context);

/// The names by which made-up samples are given sizes: symbols, and nameless dimensions by their
/// places, "x_dim_2".
std::vector<std::string> free_dimension_names(std::span<Value* const> inputs);

/// The sizes that made-up samples take as 1, since nothing says what they are: "batch, dimension 0
/// of x"; empty where there are none.
std::string guessed_sizes(const SampleContext& context);

}  // namespace ortool
