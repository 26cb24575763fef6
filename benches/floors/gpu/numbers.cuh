// Elementary functions and random numbers with the same bits on the host and on the device: IEEE operations alone, none of a library.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define BOTH __host__ __device__ __forceinline__
#else
#define BOTH inline
#endif
#ifdef __CUDA_ARCH__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

BOTH uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

BOTH double of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

// Adding and subtracting it rounds to the nearest integer, which meanwhile stands in the last bits.
#define ROUNDING 6755399441055744.0

// To about one unit in the last place, for |x| up to about 1e8; polynomials of fdlibm.
BOTH void sine_cosine(double x, double& sine, double& cosine) {
    const double turns = fma(x, 0.63661977236758134308, ROUNDING), k = ROUNDING - turns;
    const uint64_t quarter = bits_of(turns);
    const double r = fma(k, 6.123233995736766e-17, fma(k, 1.5707963267948966, x));
    const double z = r * r, z2 = z * z, z4 = z2 * z2;
    const double s = fma(fma(1.58969099521155010221e-10, z, -2.50507602534068634195e-08), z4,
                         fma(fma(2.75573137070700676789e-06, z, -1.98412698298579493134e-04), z2,
                             fma(8.33333333332248946124e-03, z, -1.66666666666666324348e-01)));
    const double c = fma(fma(-1.13596475577881948265e-11, z, 2.08757232129817482790e-09), z4,
                         fma(fma(-2.75573143513906633035e-07, z, 2.48015872894767294178e-05), z2,
                             fma(-1.38888888888741095749e-03, z, 4.16666666666666019037e-02)));
    const double near_sine = fma(r * z, s, r), near_cosine = fma(z2, c, fma(-0.5, z, 1.0));
    const bool odd = quarter & 1;
    sine = of_bits(bits_of(odd ? near_cosine : near_sine) ^ ((quarter & 2) << 62));
    cosine = of_bits(bits_of(odd ? near_sine : near_cosine) ^ (((quarter + 1) & 2) << 62));
}

// e^x to about one unit in the last place, for |x| up to 700.
BOTH double exponential(double x) {
    const double exponent = fma(x, 1.4426950408889634, ROUNDING), k = ROUNDING - exponent;
    const double r = fma(k, 2.3190468138462996e-17, fma(k, 0.6931471805599453, x));
    const double r2 = r * r, r4 = r2 * r2;
    const double low = fma(r2, fma(r, 0.008333333333326084, 0.04166666666666667), fma(r, 0.1666666666666667, 0.5));
    const double middle = fma(r2, fma(r, 2.755725517000089e-06, 2.480158732567746e-05), fma(r, 0.0001984126987500228, 0.0013888888888883711));
    const double high = fma(r2, 2.09147553258932e-09, fma(r, 2.5105312729622103e-08, 2.755727347871858e-07));
    const double mantissa = 1.0 + fma(r2, fma(r4, fma(r4, high, middle), low), r);
    return of_bits(bits_of(mantissa) + ((bits_of(exponent) - bits_of(ROUNDING)) << 52));
}

// The logarithm of a positive number that is not subnormal, to about one unit in the last place.
BOTH double logarithm(double x) {
    const uint64_t one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd, fraction = 0x000fffffffffffff;
    const uint64_t moved = bits_of(x) + (one - root_half);
    const double exponent = double(int(moved >> 52) - 1023), f = of_bits((moved & fraction) + root_half) - 1.0;
    const double s = f / (2.0 + f), z = s * s, z2 = z * z;
    const double low = fma(z2, fma(z, 0.22222222392581045, 0.28571428570799784), fma(z, 0.40000000000000885, 0.6666666666666666));
    const double high = fma(z2, fma(z, 0.13088034850927602, 0.1326863836926682), fma(z, 0.15386243737621668, 0.18181795547521137));
    const double rest = s * z * fma(z2 * z2, high, low);
    return fma(exponent, 0.6931471805598903, fma(exponent, 5.497923018708371e-14, rest) + (s + s));
}

// A number in [from, to) for one member of a sweep and one name, as `extremal sweep --random NAME=FROM:TO` draws it: Philox4x32-10, whose
// counter is the member and the name, hashed by Fowler, Noll and Vo, and whose key is the seed.
BOTH double drawn(const char* name, double from, double to, uint64_t seed, uint64_t member) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char* at = name; *at; at++) hash = (hash ^ uint8_t(*at)) * 0x100000001b3;
    uint32_t c0 = uint32_t(member), c1 = uint32_t(member >> 32), c2 = uint32_t(hash), c3 = uint32_t(hash >> 32);
    uint32_t k0 = uint32_t(seed), k1 = uint32_t(seed >> 32);
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
        const uint64_t a = uint64_t(0xD2511F53) * c0, b = uint64_t(0xCD9E8D57) * c2;
        c0 = uint32_t(b >> 32) ^ c1 ^ k0;
        c1 = uint32_t(b);
        c2 = uint32_t(a >> 32) ^ c3 ^ k1;
        c3 = uint32_t(a);
    }
    const double part = double((uint64_t(c1) << 32 | c0) >> 11) * 1.1102230246251565e-16;
    return from + (to - from) * part;
}
