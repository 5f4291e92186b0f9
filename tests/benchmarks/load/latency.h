// Which latencies were seen? A histogram in constant memory, exact to 1.6 %.

#pragma once

#include <string.h>

enum { LATENCY_STEPS = 64, LATENCY_BUCKETS = 64 * LATENCY_STEPS };

struct latency {
    long buckets[LATENCY_BUCKETS], count;
    long long longest;
};

// Bucket 64 * e + m holds [2^e * (1 + m / 64), 2^e * (1 + (m + 1) / 64)) nanoseconds.
static inline void latency_add(struct latency *seen, long long ns) {
    if (ns < LATENCY_STEPS) ns = LATENCY_STEPS;
    int exponent = 63 - __builtin_clzll(ns);
    int step = (ns >> (exponent - 6)) & (LATENCY_STEPS - 1);
    seen->buckets[exponent * LATENCY_STEPS + step]++;
    seen->count++;
    if (ns > seen->longest) seen->longest = ns;
}

// The latency in microseconds that this share of those seen stayed below.
static inline double latency_at(const struct latency *seen, double share) {
    long wanted = (long)(seen->count * share), below = 0;
    for (int i = 0; i < LATENCY_BUCKETS; i++)
        if ((below += seen->buckets[i]) > wanted)
            return (double)(1LL << i / LATENCY_STEPS) * (1 + (i % LATENCY_STEPS + 0.5) / LATENCY_STEPS) / 1e3;
    return seen->longest / 1e3;
}

static inline void latency_clear(struct latency *seen) { memset(seen, 0, sizeof *seen); }
