// SPDX-License-Identifier: Apache-2.0
//
// The paper's Algorithms 1 and 2 as printed (Chan and Darwiche 2003, section 3): depth-first, with one cache of
// equivalence intervals per level. It is the baseline that Oddly is measured against, so it is written to be fast:
// 64-bit sums, an arena per cache, one descent per look-up, children stored in place. peers.py calls it through
// ctypes.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <memory_resource>
#include <vector>

namespace {

using Sum = std::int64_t;
using Index = std::uint32_t;  // a node's place within its level

// Sums stay below 2^60 in magnitude, so this remains beyond every one of them, however it is shifted.
constexpr Sum infinity = Sum{1} << 62;

struct Node {
    Sum low, high;  // its equivalence interval, [low, high)
    Index index;
};

struct Rest {
    Sum high;
    Index index;
};

using Arena = std::pmr::monotonic_buffer_resource;
using Cache = std::pmr::map<Sum, Rest>;  // nodes by the lower end of their interval

struct Level {
    std::unique_ptr<Arena> arena = std::make_unique<Arena>();  // so that a level's nodes lie side by side
    Cache cache{arena.get()};
    std::vector<Sum> weights;     // of the attribute decided here, one per value
    std::vector<Index> children;  // in the level below, one per node and value
};

class Odd {
public:
    // Algorithm 1, with threshold 0. At least one attribute.
    Odd(Sum prior, int attributes, const std::int32_t* arities, const Sum* weights) {
        for (int k = 0; k < attributes; weights += arities[k++])
            levels.emplace_back().weights.assign(weights, weights + arities[k]);
        levels.emplace_back();
        levels.back().cache.emplace(-infinity, Rest{0, 0});  // 0-SINK
        levels.back().cache.emplace(0, Rest{infinity, 1});   // 1-SINK
        build(0, prior, levels[0].cache.end());
    }

    std::uint64_t nodes() const {
        std::uint64_t total = 0;
        for (const Level& level : levels) total += level.cache.size();
        return total;
    }

    // How many instances are positive, modulo 2^64? One pass up the children.
    std::uint64_t positives() const {
        std::vector<std::uint64_t> below{0, 1};
        for (auto level = std::next(levels.rbegin()); level != levels.rend(); ++level) {
            std::vector<std::uint64_t> here(level->cache.size());
            for (std::size_t edge = 0; edge < level->children.size(); ++edge)
                here[edge / level->weights.size()] += below[level->children[edge]];
            below.swap(here);
        }
        return below[0];
    }

private:
    // Algorithm 2. `place` is where the new node belongs in its cache: the search that failed to find it ended there,
    // and the recursion only touches the levels below.
    Node build(std::size_t k, Sum v, Cache::iterator place) {
        Level& level = levels[k];
        Node node{-infinity, infinity, static_cast<Index>(level.cache.size())};
        for (const Sum w : level.weights) {
            const Node child = find_or_build(k + 1, v + w);
            level.children.push_back(child.index);
            node.low = std::max(node.low, child.low - w);  // Theorem 3.1
            node.high = std::min(node.high, child.high - w);
        }
        level.cache.emplace_hint(place, node.low, Rest{node.high, node.index});
        return node;
    }

    Node find_or_build(std::size_t k, Sum v) {
        Cache& cache = levels[k].cache;
        const auto above = cache.upper_bound(v);
        if (above != cache.begin())
            if (const auto& [low, rest] = *std::prev(above); v < rest.high) return {low, rest.high, rest.index};
        return build(k, v, above);
    }

    std::vector<Level> levels;
};

}  // namespace

struct Answer {
    std::uint64_t nodes;  // at all depths, both sinks counted
    std::uint64_t positives;
    double seconds;
};

extern "C" Answer build_odd(Sum prior, std::int32_t attributes, const std::int32_t* arities, const Sum* weights) {
    const auto start = std::chrono::steady_clock::now();
    const Odd odd(prior, attributes, arities, weights);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return {odd.nodes(), odd.positives(), elapsed.count()};
}
