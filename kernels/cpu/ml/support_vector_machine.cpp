// Support vector machines: sums in a fixed number of partial sums, which the compiler vectorizes.
#include "kernels/cpu/ml/support_vector_machine.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/ml/score_transform.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t parts = 8;
constexpr std::int64_t task_products = 65536;

std::int64_t support_grain(std::int64_t work_a_row) {
  return std::max<std::int64_t>(1, task_products / std::max<std::int64_t>(1, work_a_row));
}

float squared_distance(const float* a, const float* b, std::int64_t count) {
  float sums[parts] = {};
  std::int64_t i = 0;
  for (; i + parts <= count; i += parts) {
    for (std::int64_t part = 0; part < parts; ++part) {
      const float difference = a[i + part] - b[i + part];
      sums[part] += difference * difference;
    }
  }
  float sum = 0;
  for (; i < count; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  for (const float part : sums) sum += part;
  return sum;
}

double weighted_sum(const float* weights, const float* values, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i)
    sum += static_cast<double>(weights[i]) * static_cast<double>(values[i]);
  return sum;
}

}  // namespace

void radial_similarities(const float* x, const float* vectors, std::int64_t rows,
                         std::int64_t vector_count, std::int64_t features, float gamma, float* out,
                         Workers& workers) {
  const std::int64_t grain = support_grain(vector_count * (features + 16));
  workers.parallel_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t i = 0; i < vector_count; ++i) {
        const float distance =
            squared_distance(x + row * features, vectors + i * features, features);
        out[row * vector_count + i] = std::exp(-gamma * distance);
      }
    }
  });
}

void score_pairs(const SupportPairs& pairs, const float* similarities, std::int64_t rows,
                 float* scores, std::int32_t* votes, std::int64_t* best, Workers& workers) {
  const std::int64_t classes = pairs.classes;
  const std::int64_t vectors = pairs.vector_count;
  const std::int64_t grain = support_grain(classes * vectors);
  workers.parallel_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const float* near = similarities + row * vectors;
      float* score = scores + row * pairs.pair_count();
      std::int32_t* row_votes = votes + row * classes;
      std::fill(row_votes, row_votes + classes, 0);
      const float* rho = pairs.rho;
      std::int64_t first_i = 0;
      for (std::int64_t i = 0; i + 1 < classes; ++i) {
        const std::int64_t count_i = pairs.vectors_per_class[i];
        std::int64_t first_j = first_i + count_i;
        for (std::int64_t j = i + 1; j < classes; ++j) {
          const std::int64_t count_j = pairs.vectors_per_class[j];
          const double sum =
              weighted_sum(pairs.coefficients + (j - 1) * vectors + first_i, near + first_i,
                           count_i) +
              weighted_sum(pairs.coefficients + i * vectors + first_j, near + first_j, count_j) +
              static_cast<double>(*rho++);
          *score++ = static_cast<float>(sum);
          ++row_votes[sum > 0 ? i : j];
          first_j += count_j;
        }
        first_i += count_i;
      }
      if (best != nullptr) best[row] = std::max_element(row_votes, row_votes + classes) - row_votes;
    }
  });
}

void couple_probabilities(std::int64_t classes, const float* scores, const float* a, const float* b,
                          float* probabilities, float* scratch) {
  float* pair = scratch;                   // pair[i, j]: probability of i, given i or j
  float* q = pair + classes * classes;     // the quadratic form to minimize
  float* product = q + classes * classes;  // q times the probabilities
  for (std::int64_t i = 0; i < classes; ++i) {
    for (std::int64_t j = i + 1; j < classes; ++j) {
      const float chance = 1 - logistic_of(*scores++ * *a++ + *b++);
      pair[i * classes + j] = std::clamp(chance, 1e-7F, 1 - 1e-7F);
      pair[j * classes + i] = 1 - pair[i * classes + j];
    }
  }
  for (std::int64_t i = 0; i < classes; ++i) {
    probabilities[i] = 1.0F / static_cast<float>(classes);
    float square = 0;
    for (std::int64_t j = 0; j < classes; ++j) {
      if (j == i) continue;
      square += pair[j * classes + i] * pair[j * classes + i];
      q[i * classes + j] = -pair[j * classes + i] * pair[i * classes + j];
    }
    q[i * classes + i] = square;
  }
  const float enough = 0.005F / static_cast<float>(classes);
  for (int round = 0; round < 100; ++round) {
    float whole = 0;
    for (std::int64_t i = 0; i < classes; ++i) {
      product[i] = 0;
      for (std::int64_t j = 0; j < classes; ++j)
        product[i] += q[i * classes + j] * probabilities[j];
      whole += probabilities[i] * product[i];
    }
    float worst = 0;
    for (std::int64_t i = 0; i < classes; ++i)
      worst = std::max(worst, std::abs(product[i] - whole));
    if (worst < enough) return;
    for (std::int64_t i = 0; i < classes; ++i) {
      const float square = q[i * classes + i];
      const float step = (whole - product[i]) / square;
      const float scale = 1 + step;
      probabilities[i] += step;
      whole = (whole + step * (step * square + 2 * product[i])) / scale / scale;
      for (std::int64_t j = 0; j < classes; ++j) {
        product[j] = (product[j] + step * q[i * classes + j]) / scale;
        probabilities[j] /= scale;
      }
    }
  }
}

}  // namespace ortool::cpu
