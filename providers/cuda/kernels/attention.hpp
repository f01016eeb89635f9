// Attention kernels: tiles of queries, or single queries, over all keys with a running softmax.
#pragma once

#include "providers/cuda/kernels/row_partials.hpp"

namespace ortool::cuda {

/// The keys that a query may see: [begin, end).
struct SeenKeys {
  int64_t begin;
  int64_t end;
};

ORTOOL_DEVICE SeenKeys seen_keys(const AttentionParams& params, int64_t batch, int64_t query) {
  SeenKeys seen = {0, params.keys};
  int64_t position = params.past + query;
  if (params.mask != nullptr) seen.end = least_of(seen.end, params.mask_keys);
  if (params.lengths != nullptr) {
    const int64_t length =
        load<int64_t>(AnyStore(), params.lengths, params.length_type, batch) + params.length_offset;
    seen.end = least_of(seen.end, length);
    position =
        params.starts_at_zero != 0 ? least_of(query, length - 1) : length - params.queries + query;
  }
  if (params.is_causal != 0) seen.end = least_of(seen.end, position + 1);
  if (params.right_window >= 0) seen.end = least_of(seen.end, position + params.right_window + 1);
  if (params.left_window >= 0) seen.begin = greatest_of(seen.begin, position - params.left_window);
  return seen;
}

/// What masks add to the score of a key.
ORTOOL_DEVICE float attention_bias(const AttentionParams& params, int64_t batch, int64_t head,
                                   int64_t query, int64_t key) {
  float bias = 0;
  if (params.mask != nullptr) {
    const int64_t at = batch * params.mask_strides[0] + head * params.mask_strides[1] +
                       query * params.mask_strides[2] + key;
    const float mask = load<float>(AnyStore(), params.mask, params.mask_type, at);
    bias = params.mask_type != element_bool ? mask : mask != 0.0F ? 0.0F : -INFINITY;
  }
  if (params.key_mask != nullptr) {
    bias += params.key_mask[batch * params.key_mask_strides[0] +
                            query * params.key_mask_strides[1] + key];
  }
  return bias;
}

/// The score of the product of a query and a key.
ORTOOL_DEVICE float attention_score(const AttentionParams& params, float product, float bias) {
  float score = product * params.scale;
  if (params.softcap > 0) score = params.softcap * tanhf(score / params.softcap);
  return score + bias;
}

ORTOOL_DEVICE void check_length(const AttentionParams& params, int64_t batch, int thread) {
  if (params.lengths == nullptr || thread != 0) return;
  const int64_t length =
      load<int64_t>(AnyStore(), params.lengths, params.length_type, batch) + params.length_offset;
  if (length < 0 || length > params.keys) set_flag(params.status, params.status_value);
}

/// The score that starts the softmax of a head: -INFINITY for none.
ORTOOL_DEVICE float first_score(const AttentionParams& params, int64_t head) {
  if (params.sinks != nullptr) return load<float>(AnyStore(), params.sinks, params.sink_type, head);
  return params.is_smooth != 0 ? 0.0F : -INFINITY;
}

/// What sums so far are multiplied by when the greatest score rises.
ORTOOL_DEVICE float rescale_of(float before, float after) {
  return after == -INFINITY ? 1.0F : expf(before - after);
}
ORTOOL_DEVICE float weight_of(float score, float most) {
  return most == -INFINITY ? 0.0F : expf(score - most);
}

constexpr int attention_threads = 128;
constexpr int64_t max_head_size = 1024;

/// One block for each query of each head.
template <typename Storage>
ORTOOL_DEVICE void attention_row(const Block& block, const AttentionParams& params) {
  constexpr int columns = static_cast<int>(max_head_size) / attention_threads;
  struct Sums {
    float value[static_cast<unsigned>(columns)];
  };
  ORTOOL_SHARED(float, query, max_head_size);
  ORTOOL_SHARED(float, weight, attention_threads);
  ORTOOL_SHARED(float, partial, attention_threads);
  ORTOOL_SHARED(float, state, 3);  // the greatest score, the sum, the rescale
  ORTOOL_SHARED(float, seen_flags, attention_threads);
  PerThread<Sums, attention_threads> sums;
  const auto fold = [&](auto combine) {
    for (int half = attention_threads / 2; half > 0; half /= 2) {
      ORTOOL_THREADS(block, thread) {
        if (thread < half) partial[thread] = combine(partial[thread], partial[thread + half]);
      }
    }
  };
  const int64_t rows = params.batch * params.query_heads * params.queries;
  for (int64_t row = block.index(); row < rows; row += block.blocks()) {
    const int64_t number = row % params.queries;
    const int64_t head = row / params.queries % params.query_heads;
    const int64_t batch = row / params.queries / params.query_heads;
    const int64_t shared = head / (params.query_heads / params.shared_heads);
    const int64_t from = batch * params.query_strides[0] + head * params.query_strides[1] +
                         number * params.query_strides[2];
    const int64_t keys = batch * params.key_strides[0] + shared * params.key_strides[1];
    const int64_t values = batch * params.value_strides[0] + shared * params.value_strides[1];
    const SeenKeys seen = seen_keys(params, batch, number);
    ORTOOL_THREADS(block, thread) {
      for (int64_t i = thread; i < params.size; i += attention_threads)
        query[i] = load<float>(Storage(), params.query, params.type, from + i);
      for (int i = 0; i < columns; ++i) sums[thread].value[i] = 0;
      seen_flags[thread] = 0;
      check_length(params, batch, thread);
      if (thread == 0) {
        state[0] = first_score(params, head);
        state[1] = state[0] == -INFINITY ? 0.0F : 1.0F;
      }
    }
    for (int64_t first = seen.begin; first < seen.end; first += attention_threads) {
      const int64_t count = least_of<int64_t>(attention_threads, seen.end - first);
      ORTOOL_THREADS(block, thread) {
        float score = -INFINITY;
        if (thread < count) {
          const int64_t key = first + thread;
          const int64_t at = keys + key * params.key_strides[2];
          float product = 0;
          for (int64_t i = 0; i < params.size; ++i)
            product += query[i] * load<float>(Storage(), params.key, params.type, at + i);
          const float bias = attention_bias(params, batch, head, number, key);
          if (bias != -INFINITY) seen_flags[thread] = 1;
          score = attention_score(params, product, bias);
        }
        weight[thread] = score;
        partial[thread] = score;
      }
      fold([](float x, float y) { return x < y || y != y ? y : x; });
      ORTOOL_THREADS(block, thread) {
        if (thread == 0) {
          const float most =
              partial[0] > state[0] || partial[0] != partial[0] ? partial[0] : state[0];
          state[2] = rescale_of(state[0], most);
          state[0] = most;
        }
      }
      ORTOOL_THREADS(block, thread) {
        weight[thread] = thread < count ? weight_of(weight[thread], state[0]) : 0.0F;
        partial[thread] = weight[thread];
      }
      fold([](float x, float y) { return x + y; });
      ORTOOL_THREADS(block, thread) {
        if (thread == 0) state[1] = state[1] * state[2] + partial[0];
        for (int i = 0; i < columns; ++i) {
          const int64_t column = thread + static_cast<int64_t>(i) * attention_threads;
          if (column >= params.value_size) break;
          float sum = sums[thread].value[i] * state[2];
          for (int64_t key = 0; key < count; ++key) {
            sum += weight[key] *
                   load<float>(Storage(), params.value, params.type,
                               values + (first + key) * params.value_strides[2] + column);
          }
          sums[thread].value[i] = sum;
        }
      }
    }
    ORTOOL_THREADS(block, thread) {
      partial[thread] = seen_flags[thread];
    }
    fold([](float x, float y) { return x + y; });
    ORTOOL_THREADS(block, thread) {
      const bool sees_none = partial[0] == 0.0F || state[1] == 0.0F;
      const int64_t to = batch * params.output_strides[0] + head * params.output_strides[1] +
                         number * params.output_strides[2];
      for (int i = 0; i < columns; ++i) {
        const int64_t column = thread + static_cast<int64_t>(i) * attention_threads;
        if (column >= params.value_size) break;
        const float sum = sums[thread].value[i];
        store(Storage(), params.output, params.type, to + column,
              sees_none ? 0.0F : sum / state[1]);
      }
    }
  }
}

constexpr int tile_queries = 32;

/// One block for 32 queries of one head of at most `most_size` elements, which take `tile_keys`
/// keys at a time; four threads for each query.
template <typename Storage, int most_size, int tile_keys>
ORTOOL_DEVICE void attention_tile(const Block& block, const AttentionParams& params) {
  constexpr int own_keys = tile_keys / 4;
  constexpr int own_columns = most_size / 4;
  constexpr int row_size = most_size + 1;
  constexpr int weight_size = tile_keys + 1;
  struct State {
    float score[static_cast<unsigned>(own_keys)];
    float sum[static_cast<unsigned>(own_columns)];
    float most;
    float total;
    bool has_seen;
  };
  ORTOOL_SHARED(float, query, tile_queries* row_size);
  ORTOOL_SHARED(float, keys, tile_keys* row_size);
  ORTOOL_SHARED(float, values, tile_keys* most_size);
  ORTOOL_SHARED(float, weights, tile_queries* weight_size);
  ORTOOL_SHARED(float, partial, attention_threads);
  PerThread<State, attention_threads> state;
  const int64_t tiles = (params.queries + tile_queries - 1) / tile_queries;
  const int64_t count = params.batch * params.query_heads * tiles;
  const int size = static_cast<int>(params.size);
  const int value_size = static_cast<int>(params.value_size);
  for (int64_t number = block.index(); number < count; number += block.blocks()) {
    const int64_t first_query = number % tiles * tile_queries;
    const int64_t head = number / tiles % params.query_heads;
    const int64_t batch = number / tiles / params.query_heads;
    const int64_t shared = head / (params.query_heads / params.shared_heads);
    const int rows =
        static_cast<int>(least_of<int64_t>(tile_queries, params.queries - first_query));
    const int64_t first_row = batch * params.query_strides[0] + head * params.query_strides[1];
    const int64_t first_key = batch * params.key_strides[0] + shared * params.key_strides[1];
    const int64_t first_value = batch * params.value_strides[0] + shared * params.value_strides[1];
    const SeenKeys of_first = seen_keys(params, batch, first_query);
    const SeenKeys of_last = seen_keys(params, batch, first_query + rows - 1);
    ORTOOL_THREADS(block, thread) {
      for (int i = thread; i < rows * size; i += attention_threads) {
        const int64_t at =
            first_row + (first_query + i / size) * params.query_strides[2] + i % size;
        query[i / size * row_size + i % size] =
            load<float>(Storage(), params.query, params.type, at);
      }
      for (int i = 0; i < own_columns; ++i) state[thread].sum[i] = 0;
      state[thread].most = first_score(params, head);
      state[thread].total = state[thread].most == -INFINITY ? 0.0F : 1.0F;
      state[thread].has_seen = false;
      check_length(params, batch, thread);
    }
    for (int64_t begin = of_first.begin; begin < of_last.end; begin += tile_keys) {
      const int tile = static_cast<int>(least_of<int64_t>(tile_keys, of_last.end - begin));
      ORTOOL_THREADS(block, thread) {
        for (int i = thread; i < tile * size; i += attention_threads) {
          keys[i / size * row_size + i % size] =
              load<float>(Storage(), params.key, params.type,
                          first_key + (begin + i / size) * params.key_strides[2] + i % size);
        }
        for (int i = thread; i < tile * value_size; i += attention_threads) {
          values[i / value_size * most_size + i % value_size] = load<float>(
              Storage(), params.value, params.type,
              first_value + (begin + i / value_size) * params.value_strides[2] + i % value_size);
        }
      }
      ORTOOL_THREADS(block, thread) {
        State& own = state[thread];
        const int row = thread / 4;
        float most = -INFINITY;
        const SeenKeys seen =
            row < rows ? seen_keys(params, batch, first_query + row) : SeenKeys{0, 0};
        float product[static_cast<unsigned>(own_keys)] = {};
        if (row < rows) {
          for (int i = 0; i < size; ++i) {
            const float x = query[row * row_size + i];
            for (int j = 0; j < own_keys; ++j) {
              const int key = thread % 4 + 4 * j;
              if (key < tile) product[j] += x * keys[key * row_size + i];
            }
          }
        }
        for (int j = 0; j < own_keys; ++j) {
          const int64_t key = begin + thread % 4 + 4 * j;
          const bool is_seen = key < begin + tile && key >= seen.begin && key < seen.end;
          const float bias =
              is_seen ? attention_bias(params, batch, head, first_query + row, key) : -INFINITY;
          own.has_seen = own.has_seen || bias != -INFINITY;
          own.score[j] = is_seen ? attention_score(params, product[j], bias) : -INFINITY;
          if (own.score[j] > most || own.score[j] != own.score[j]) most = own.score[j];
        }
        partial[thread] = most;
      }
      ORTOOL_THREADS(block, thread) {
        State& own = state[thread];
        const int row = thread / 4;
        float most = own.most;
        for (int i = 0; i < 4; ++i) {
          const float other = partial[row * 4 + i];
          if (other > most || other != other) most = other;
        }
        const float rescale = rescale_of(own.most, most);
        own.most = most;
        own.total *= rescale;
        for (int i = 0; i < own_columns; ++i) own.sum[i] *= rescale;
        for (int j = 0; j < own_keys; ++j)
          weights[row * weight_size + thread % 4 + 4 * j] = weight_of(own.score[j], most);
      }
      ORTOOL_THREADS(block, thread) {
        State& own = state[thread];
        const int row = thread / 4;
        for (int key = 0; key < tile; ++key) {
          const float weight = weights[row * weight_size + key];
          own.total += weight;
          for (int i = 0; i < own_columns; ++i) {
            const int column = thread % 4 + 4 * i;
            if (column < value_size) own.sum[i] += weight * values[key * most_size + column];
          }
        }
      }
    }
    ORTOOL_THREADS(block, thread) {
      partial[thread] = state[thread].has_seen ? 1.0F : 0.0F;
    }
    ORTOOL_THREADS(block, thread) {
      const State& own = state[thread];
      const int row = thread / 4;
      const float seen =
          partial[row * 4] + partial[row * 4 + 1] + partial[row * 4 + 2] + partial[row * 4 + 3];
      const int64_t to = batch * params.output_strides[0] + head * params.output_strides[1] +
                         (first_query + row) * params.output_strides[2];
      for (int i = 0; i < own_columns && row < rows; ++i) {
        const int column = thread % 4 + 4 * i;
        if (column < value_size)
          store(Storage(), params.output, params.type, to + column,
                own.total == 0.0F || seen == 0.0F ? 0.0F : own.sum[i] / own.total);
      }
    }
  }
}

/// Past rows, new ones behind them, zeros to the end; one thread for each element.
ORTOOL_DEVICE void append_cache(const Block& block, const CacheParams& params) {
  const int64_t count = params.batch * params.heads * params.present_rows * params.size;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < count;
         i += block.blocks() * block.threads()) {
      const int64_t column = i % params.size;
      const int64_t row = i / params.size % params.present_rows;
      const int64_t head = i / params.size / params.present_rows % params.heads;
      const int64_t batch = i / params.size / params.present_rows / params.heads;
      const int64_t length = static_cast<const int32_t*>(params.lengths)[batch] + int64_t{1};
      if (length < params.least_length || length > params.total) {
        set_flag(params.status, params.status_value);
        continue;
      }
      const int64_t first = params.starts_at_zero != 0 ? 0 : length - params.rows;
      if (row >= first && row < first + params.rows) {
        const int64_t from = batch * params.row_strides[0] + head * params.row_strides[1] +
                             (row - first) * params.row_strides[2] + column;
        copy_bytes(params.bytes, params.now, from, params.present, i);
      } else if (row < first && row < params.past_rows) {
        const int64_t from =
            ((batch * params.heads + head) * params.past_rows + row) * params.size + column;
        copy_bytes(params.bytes, params.past, from, params.present, i);
      } else {
        const uint64_t zero = 0;
        copy_bytes(params.bytes, &zero, 0, params.present, i);
      }
    }
  }
}

/// Rotary position embedding; one thread for each element of a pair's first half, others are
/// copied.
template <typename Storage>
ORTOOL_DEVICE void rotary(const Block& block, const RotaryParams& params) {
  const int64_t pairs = params.rotated / 2;
  const int64_t units = pairs + params.size - params.rotated;
  const int64_t count = params.batch * params.length * params.heads * units;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < count;
         i += block.blocks() * block.threads()) {
      const int64_t unit = i % units;
      const int64_t head = i / units % params.heads;
      const int64_t token = i / units / params.heads % params.length;
      const int64_t batch = i / units / params.heads / params.length;
      const int64_t from =
          batch * params.in_strides[0] + token * params.in_strides[1] + head * params.in_strides[2];
      const int64_t to = batch * params.out_strides[0] + token * params.out_strides[1] +
                         head * params.out_strides[2];
      if (unit >= pairs) {
        const int64_t at = params.rotated + unit - pairs;
        store(Storage(), params.output, params.type, to + at,
              load<float>(Storage(), params.input, params.type, from + at));
        continue;
      }
      int64_t position = batch * params.batch_rows + token * params.length_rows;
      if (params.positions != nullptr) {
        const auto* positions = static_cast<const int64_t*>(params.positions);
        position = params.has_one_position != 0 ? positions[0] + token
                                                : positions[batch * params.length + token];
      } else if (params.lengths != nullptr) {
        const int64_t end = static_cast<const int32_t*>(params.lengths)[batch] + 1;
        position = params.starts_at_zero != 0 ? token : end - params.length + token;
      }
      if (params.counts_from_end != 0 && position < 0) position += params.cache_rows;
      if (position < 0 || position >= params.cache_rows) {
        set_flag(params.status, params.status_value);
        continue;
      }
      const float cosine =
          load<float>(Storage(), params.cosines, params.type, position * pairs + unit);
      const float sine = load<float>(Storage(), params.sines, params.type, position * pairs + unit);
      const int64_t first = params.interleaved != 0 ? 2 * unit : unit;
      const int64_t second = params.interleaved != 0 ? 2 * unit + 1 : unit + pairs;
      const float x = load<float>(Storage(), params.input, params.type, from + first);
      const float y = load<float>(Storage(), params.input, params.type, from + second);
      store(Storage(), params.output, params.type, to + first, x * cosine - y * sine);
      store(Storage(), params.output, params.type, to + second, x * sine + y * cosine);
    }
  }
}

}  // namespace ortool::cuda
