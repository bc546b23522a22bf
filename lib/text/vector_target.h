// The instruction sets that Google Highway compiles vector code for, and which of them this processor has.
//
// Highway's own choice at run time lives in its shared library, which measures the processor's clock whenever
// it is loaded: 2.4 ms of every start on a Zen 5. So the choice is made here, and Highway is its headers
// alone.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

// What Highway compiles for; include this before its headers. Vectors whose size is known only at run time
// (SVE) cannot stand in arrays, and every processor that has them has NEON.
#define HWY_WANT_AVX3_DL
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

namespace tokmill {

/// An instruction set that vector code was compiled for and that this processor can run.
struct VectorTarget {
  std::string_view name;  // "avx512", "avx2", "sse4", "neon"
  std::int64_t highway;   // Highway's number of it; the lower, the better
};

/// The best first; empty where there is none.
std::vector<VectorTarget> vector_targets();

/// The one of this name; none where the name is "scalar".
std::optional<VectorTarget> vector_target(std::string_view instructions);

/// A function as compiled for one of Highway's targets; nullptr if it was not.
template <class Function>
struct CompiledFunction {
  std::int64_t highway;
  Function* function;
};

/// The best of them, best first, that a processor with this target can run.
template <class Function>
Function* compiled_for(const VectorTarget& target, std::initializer_list<CompiledFunction<Function>> all) {
  for (const auto& [highway, function] : all) {
    if (function != nullptr && highway >= target.highway) return function;
  }
  return nullptr;
}

}  // namespace tokmill

/// `compiled_for` of a function in HWY_NAMESPACE; for use under HWY_ONCE.
#define TOKMILL_COMPILED_FOR(target, FUNCTION)                      \
  ::tokmill::compiled_for<decltype(HWY_STATIC_DISPATCH(FUNCTION))>( \
      target, {{HWY_AVX3_DL, HWY_CHOOSE_AVX3_DL(FUNCTION)},         \
               {HWY_AVX3, HWY_CHOOSE_AVX3(FUNCTION)},               \
               {HWY_AVX2, HWY_CHOOSE_AVX2(FUNCTION)},               \
               {HWY_SSE4, HWY_CHOOSE_SSE4(FUNCTION)},               \
               {HWY_SSSE3, HWY_CHOOSE_SSSE3(FUNCTION)},             \
               {HWY_NEON, HWY_CHOOSE_NEON(FUNCTION)}})
