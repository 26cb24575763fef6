// Many members, a thread each: marched, timed and compared with the host. A `System` says how wide a state is and marches one member:
//
//     static constexpr int WIDTH;
//     static constexpr double STEP;
//     static int member(uint64_t seed, uint64_t member, double h, int steps, double* end);   // how often something was solved
//
//     PROGRAM [members] [steps] [threads of a block] [seed]
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "numbers.cuh"

// At most so many members are marched on the host, on one core.
constexpr int64_t COMPARED = 20000;
constexpr int ROUNDS = 5;

struct Ensemble {
    int64_t members = 1000000;
    int steps = 1000;
    int block = 128;
    uint64_t seed = 0;
};

// The ends of some of the first members, one after the other.
inline uint64_t checksum(const std::vector<double>& ends) {
    uint64_t hash = 0xcbf29ce484222325;
    for (double end : ends) hash = (hash ^ bits_of(end)) * 0x100000001b3;
    return hash;
}

template <class System> std::vector<double> on_host(const Ensemble& asked, int64_t members) {
    std::vector<double> ends(members * System::WIDTH);
    int64_t solved = 0;
    const auto begun = std::chrono::steady_clock::now();
    for (int64_t at = 0; at < members; at++) {
        solved += System::member(asked.seed, at, System::STEP, asked.steps, &ends[at * System::WIDTH]);
    }
    const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    const double work = double(members) * asked.steps;
    printf("host, one core: %.4f ns per member and step, %.2f updates a step, checksum of %lld members %016llx\n", taken * 1e9 / work,
           solved / work, (long long)members, (unsigned long long)checksum(ends));
    for (int64_t at = 0; at < std::min<int64_t>(3, members); at++) {
        printf("  member %lld:", (long long)at);
        for (int k = 0; k < System::WIDTH; k++) printf(" %.17g", ends[at * System::WIDTH + k]);
        printf("\n");
    }
    return ends;
}

#ifdef __CUDACC__
inline void must(cudaError_t status) {
    if (status != cudaSuccess) {
        fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
        exit(1);
    }
}

// Ends lie by component, so that neighbouring threads write to neighbouring places.
template <class System> __global__ void march(Ensemble asked, double* ends, int* solved) {
    const int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= asked.members) return;
    double end[System::WIDTH];
    solved[at] = System::member(asked.seed, at, System::STEP, asked.steps, end);
    UNROLL for (int k = 0; k < System::WIDTH; k++) ends[k * asked.members + at] = end[k];
}

// The ends of the first members.
template <class System> std::vector<double> on_device(const Ensemble& asked, int64_t compared) {
    cudaFuncAttributes attributes;
    must(cudaFuncGetAttributes(&attributes, (const void*)march<System>));
    double* ends;
    int* solved;
    must(cudaMalloc(&ends, asked.members * System::WIDTH * sizeof(double)));
    must(cudaMalloc(&solved, asked.members * sizeof(int)));
    cudaEvent_t begun, ended;
    must(cudaEventCreate(&begun));
    must(cudaEventCreate(&ended));
    const unsigned blocks = unsigned((asked.members + asked.block - 1) / asked.block);
    std::vector<float> times;
    for (int round = 0; round <= ROUNDS; round++) {
        must(cudaEventRecord(begun));
        march<System><<<blocks, asked.block>>>(asked, ends, solved);
        must(cudaGetLastError());
        must(cudaEventRecord(ended));
        must(cudaEventSynchronize(ended));
        float taken;
        must(cudaEventElapsedTime(&taken, begun, ended));
        if (round > 0) times.push_back(taken);
    }
    std::sort(times.begin(), times.end());
    std::vector<double> columns(asked.members * System::WIDTH);
    std::vector<int> counts(asked.members);
    must(cudaMemcpy(columns.data(), ends, columns.size() * sizeof(double), cudaMemcpyDeviceToHost));
    must(cudaMemcpy(counts.data(), solved, counts.size() * sizeof(int), cudaMemcpyDeviceToHost));
    must(cudaFree(ends));
    must(cudaFree(solved));
    int64_t total = 0;
    for (int count : counts) total += count;
    std::vector<double> first(compared * System::WIDTH);
    for (int64_t at = 0; at < compared; at++) {
        for (int k = 0; k < System::WIDTH; k++) first[at * System::WIDTH + k] = columns[k * asked.members + at];
    }
    const double work = double(asked.members) * asked.steps;
    printf("device: %.4f ns per member and step (median of %d, %.2f ms), %.2f updates a step, %d registers, %zu bytes of local memory\n",
           times[times.size() / 2] * 1e6 / work, ROUNDS, times[times.size() / 2], total / work, attributes.numRegs,
           attributes.localSizeBytes);
    return first;
}
#endif

template <class System> int compare(int count, char** arguments) {
    Ensemble asked;
    if (count > 1) asked.members = atoll(arguments[1]);
    if (count > 2) asked.steps = atoi(arguments[2]);
    if (count > 3) asked.block = atoi(arguments[3]);
    if (count > 4) asked.seed = strtoull(arguments[4], nullptr, 10);
    if (asked.members < 1 || asked.steps < 1 || asked.block < 1) {
        fprintf(stderr, "%s [members] [steps] [threads of a block] [seed]\n", arguments[0]);
        return 2;
    }
    const int64_t compared = std::min(asked.members, COMPARED);
    printf("%lld members, %d steps of %g\n", (long long)asked.members, asked.steps, System::STEP);
#ifdef __CUDACC__
    const std::vector<double> device = on_device<System>(asked, compared);
#endif
    const std::vector<double> host = on_host<System>(asked, compared);
#ifdef __CUDACC__
    int64_t differ = 0;
    for (int64_t at = 0; at < compared; at++) {
        differ += memcmp(&host[at * System::WIDTH], &device[at * System::WIDTH], System::WIDTH * sizeof(double)) != 0;
    }
    printf("members whose bits differ: %lld of %lld\n", (long long)differ, (long long)compared);
    return differ == 0 ? 0 : 1;
#else
    return 0;
#endif
}
