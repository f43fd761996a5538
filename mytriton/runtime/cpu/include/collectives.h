// Barriers, shuffles, votes and reductions over a warp. A kernel that uses none of them is compiled without them.
#ifndef MYTRITON_COLLECTIVES_H
#define MYTRITON_COLLECTIVES_H

static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

#if MYTRITON_FIBERS

static inline unsigned mytriton_count(mytriton_thread *self, bool predicate, int line, const char *kind) {
  mytriton_runtime->barrier(self, predicate, line, kind);
  return mytriton_runtime->barrier_count(self);
}
#define __syncthreads() mytriton_runtime->barrier(mytriton_self, 0, __LINE__, "__syncthreads")
#define __syncthreads_count(predicate)                                                                                \
  ((int)mytriton_count(mytriton_self, (predicate) != 0, __LINE__, "__syncthreads_count"))
#define __syncthreads_or(predicate)                                                                                   \
  ((int)(mytriton_count(mytriton_self, (predicate) != 0, __LINE__, "__syncthreads_or") != 0))
#define __syncthreads_and(predicate)                                                                                  \
  ((int)(mytriton_count(mytriton_self, (predicate) == 0, __LINE__, "__syncthreads_and") == 0))

struct mytriton_syncwarp {
  mytriton_thread *self;
  int line;
  void operator()(unsigned mask = 0xffffffff) const {
    mytriton_runtime->warp_op(self, mask, nullptr, nullptr, line, "__syncwarp");
  }
};
#define __syncwarp mytriton_syncwarp{mytriton_self, __LINE__}

template <class T> struct mytriton_shuffled {
  T value, result;
  unsigned source;
};

template <class T> static void mytriton_shuffle_lanes(void *const *lanes, unsigned mask) {
  for (unsigned rest = mask; rest; rest &= rest - 1) {
    auto *own = static_cast<mytriton_shuffled<T> *>(lanes[__builtin_ctz(rest)]);
    const bool takes_part = mask >> own->source & 1;
    own->result = takes_part ? static_cast<mytriton_shuffled<T> *>(lanes[own->source])->value : own->value;
  }
}

template <class T>
static inline T mytriton_shuffle(mytriton_thread *self, unsigned mask, T value, unsigned source, int line,
                                 const char *kind) {
  mytriton_shuffled<T> lane = {value, value, source};
  mytriton_runtime->warp_op(self, mask, mytriton_shuffle_lanes<T>, &lane, line, kind);
  return lane.result;
}

template <class T>
static inline T mytriton_shfl(mytriton_thread *self, int line, unsigned mask, T value, int source, int width = 32) {
  const unsigned first = self->index % 32 & -width;
  return mytriton_shuffle(self, mask, value, first + (source & (width - 1)), line, "__shfl_sync");
}
template <class T>
static inline T mytriton_shfl_up(mytriton_thread *self, int line, unsigned mask, T value, unsigned delta,
                                 int width = 32) {
  const unsigned lane = self->index % 32;
  const unsigned source = delta <= lane % width ? lane - delta : lane;
  return mytriton_shuffle(self, mask, value, source, line, "__shfl_up_sync");
}
template <class T>
static inline T mytriton_shfl_down(mytriton_thread *self, int line, unsigned mask, T value, unsigned delta,
                                   int width = 32) {
  const unsigned lane = self->index % 32;
  const unsigned source = delta < width - lane % width ? lane + delta : lane;
  return mytriton_shuffle(self, mask, value, source, line, "__shfl_down_sync");
}
template <class T>
static inline T mytriton_shfl_xor(mytriton_thread *self, int line, unsigned mask, T value, int lane_mask,
                                  int width = 32) {
  const unsigned lane = self->index % 32;
  const unsigned source = (lane ^ lane_mask) & 31;
  return mytriton_shuffle(self, mask, value, source <= (lane | (width - 1)) ? source : lane, line, "__shfl_xor_sync");
}
#define __shfl_sync(...) mytriton_shfl(mytriton_self, __LINE__, __VA_ARGS__)
#define __shfl_up_sync(...) mytriton_shfl_up(mytriton_self, __LINE__, __VA_ARGS__)
#define __shfl_down_sync(...) mytriton_shfl_down(mytriton_self, __LINE__, __VA_ARGS__)
#define __shfl_xor_sync(...) mytriton_shfl_xor(mytriton_self, __LINE__, __VA_ARGS__)

// A loop over masks in which each lane combines its values with those of the lane whose number differs in the mask. The
// last lane to arrive goes through all steps for all lanes.
template <class... T> struct mytriton_values {
  template <class Function, class... Passed> void pass(const Function &function, Passed &...passed) {
    function(passed...);
  }
};
template <class T, class... Others> struct mytriton_values<T, Others...> {
  T first;
  mytriton_values<Others...> others;
  template <class Function, class... Passed> void pass(const Function &function, Passed &...passed) {
    others.pass(function, passed..., first);
  }
};
template <class Combine, class... T> struct mytriton_posted {
  const Combine *combine;
  mytriton_values<T...> values;
};
// A loop that stays one: its body may be long.
#define MYTRITON_FOR_LANES _Pragma("GCC unroll 1") for (unsigned lane = 0; lane < 32; ++lane)
template <int first, int last, class Combine, class... T>
static void mytriton_butterfly_lanes(void *const *lanes, unsigned) {
  typedef mytriton_posted<Combine, T...> Posted;
  mytriton_values<T...> own[32], partner[32];
  MYTRITON_FOR_LANES own[lane] = static_cast<Posted *>(lanes[lane])->values;
  const Combine &combine = *static_cast<Posted *>(lanes[0])->combine;
  for (int mask = first;; mask = first > last ? mask / 2 : mask * 2) {
    MYTRITON_FOR_LANES partner[lane] = own[lane ^ mask];
    // A step of lanes is what may become operations on vectors.
    constexpr unsigned step = sizeof...(T) == 1 ? 8 : 1;
#pragma GCC unroll 1
    for (unsigned begin = 0; begin < 32; begin += step) {
#pragma GCC unroll 8
      for (unsigned lane = begin; lane < begin + step; ++lane)
        own[lane].pass([&](T &...values) {
          partner[lane].pass([&](T &...received) { combine(uint3{lane, 0, 0}, mask, values..., received...); });
        });
    }
    if (mask == last) break;
  }
  MYTRITON_FOR_LANES static_cast<Posted *>(lanes[lane])->values = own[lane];
}
template <int first, int last, class Combine, class... T>
static inline void mytriton_butterfly(mytriton_thread *self, int line, const Combine &combine, T &...values) {
  mytriton_posted<Combine, T...> lane = {&combine, {values...}};
  mytriton_runtime->warp_op(self, 0xffffffff, mytriton_butterfly_lanes<first, last, Combine, T...>, &lane, line,
                            "__shfl_xor_sync");
  lane.values.pass([&](T &...results) { ((values = results), ...); });
}

// Operations whose result is the same for all lanes that take part.
template <class T> struct mytriton_combined {
  T value, result;
};
template <class T, class Combine> static void mytriton_combine_lanes(void *const *lanes, unsigned mask) {
  T result = static_cast<mytriton_combined<T> *>(lanes[__builtin_ctz(mask)])->value;
  for (unsigned rest = mask & (mask - 1); rest; rest &= rest - 1)
    result = Combine::apply(result, static_cast<mytriton_combined<T> *>(lanes[__builtin_ctz(rest)])->value);
  for (unsigned rest = mask; rest; rest &= rest - 1)
    static_cast<mytriton_combined<T> *>(lanes[__builtin_ctz(rest)])->result = result;
}
template <class Combine, class T>
static inline T mytriton_combine(mytriton_thread *self, int line, const char *kind, unsigned mask, T value) {
  mytriton_combined<T> lane = {value, value};
  mytriton_runtime->warp_op(self, mask, mytriton_combine_lanes<T, Combine>, &lane, line, kind);
  return lane.result;
}

#define MYTRITON_COMBINE(name, expression)                                                                            \
  struct mytriton_combine_##name {                                                                                           \
    template <class T> static T apply(T a, T b) { return expression; }                                                \
  };
MYTRITON_COMBINE(add, (T)((unsigned)a + (unsigned)b))
MYTRITON_COMBINE(min, b < a ? b : a)
MYTRITON_COMBINE(max, a < b ? b : a)
MYTRITON_COMBINE(and, a & b)
MYTRITON_COMBINE(or, a | b)
MYTRITON_COMBINE(xor, a ^ b)
#undef MYTRITON_COMBINE

#define MYTRITON_REDUCE(name, mask, value)                                                                            \
  mytriton_combine<mytriton_combine_##name>(mytriton_self, __LINE__, "__reduce_" #name "_sync", mask, value)
#define __reduce_add_sync(mask, value) MYTRITON_REDUCE(add, mask, value)
#define __reduce_min_sync(mask, value) MYTRITON_REDUCE(min, mask, value)
#define __reduce_max_sync(mask, value) MYTRITON_REDUCE(max, mask, value)
#define __reduce_and_sync(mask, value) MYTRITON_REDUCE(and, mask, value)
#define __reduce_or_sync(mask, value) MYTRITON_REDUCE(or, mask, value)
#define __reduce_xor_sync(mask, value) MYTRITON_REDUCE(xor, mask, value)

static inline unsigned mytriton_ballot(mytriton_thread *self, int line, const char *kind, unsigned mask,
                                       bool predicate) {
  const unsigned own = predicate ? 1u << self->index % 32 : 0;
  return mytriton_combine<mytriton_combine_or>(self, line, kind, mask, own);
}
static inline int mytriton_any(mytriton_thread *self, int line, unsigned mask, bool predicate) {
  return mytriton_ballot(self, line, "__any_sync", mask, predicate) != 0;
}
static inline int mytriton_all(mytriton_thread *self, int line, unsigned mask, bool predicate) {
  return mytriton_ballot(self, line, "__all_sync", mask, !predicate) == 0;
}
#define __ballot_sync(mask, predicate) mytriton_ballot(mytriton_self, __LINE__, "__ballot_sync", mask, (predicate) != 0)
#define __any_sync(mask, predicate) mytriton_any(mytriton_self, __LINE__, mask, (predicate) != 0)
#define __all_sync(mask, predicate) mytriton_all(mytriton_self, __LINE__, mask, (predicate) != 0)

template <class T> struct mytriton_matched {
  T value;
  unsigned result;
};
template <class T> static void mytriton_match_lanes(void *const *lanes, unsigned mask) {
  for (unsigned rest = mask; rest; rest &= rest - 1) {
    auto *own = static_cast<mytriton_matched<T> *>(lanes[__builtin_ctz(rest)]);
    own->result = 0;
    for (unsigned others = mask; others; others &= others - 1) {
      const int other = __builtin_ctz(others);
      if (static_cast<mytriton_matched<T> *>(lanes[other])->value == own->value) own->result |= 1u << other;
    }
  }
}
template <class T>
static inline unsigned mytriton_match_any(mytriton_thread *self, int line, unsigned mask, T value) {
  mytriton_matched<T> lane = {value, 0};
  mytriton_runtime->warp_op(self, mask, mytriton_match_lanes<T>, &lane, line, "__match_any_sync");
  return lane.result;
}
#define __match_any_sync(mask, value) mytriton_match_any(mytriton_self, __LINE__, mask, value)

#endif
#endif
