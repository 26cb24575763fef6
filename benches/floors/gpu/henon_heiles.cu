// Hénon and Heiles by Kahan and Li's composition of seventeen Störmer–Verlet steps, order 8: what
// `extremal sweep gallery:henon-heiles --random x=-0.1:0.1 --random y=-0.1:0.1` marches. The force at the end of a substep is that at the
// beginning of the next, and half kicks that meet are one.
#include "ensemble.cuh"

struct HenonHeiles {
    static constexpr int WIDTH = 4;
    static constexpr double STEP = 0.01;

    static BOTH int member(uint64_t seed, uint64_t member, double h, int steps, double* end) {
        const double outer[8] = {0.13020248308889008087881763,  0.56116298177510838456196441,  -0.38947496264484728640807860,
                                 0.15884190655515560089621075,  -0.39590389413323757733623154, 0.18453964097831570709183254,
                                 0.25837438768632204729397911,  0.29501172360931029887096624};
        double sum = 0.0;
        UNROLL for (int at = 0; at < 8; at++) sum += outer[at];
        double drift[17], kick[18];
        UNROLL for (int at = 0; at < 17; at++) drift[at] = h * (at == 8 ? 1.0 - 2.0 * sum : outer[at < 8 ? at : 16 - at]);
        UNROLL for (int at = 0; at < 18; at++) kick[at] = 0.5 * ((at > 0 ? drift[at - 1] : 0.0) + (at < 17 ? drift[at] : 0.0));
        double x = drawn("x", -0.1, 0.1, seed, member), y = drawn("y", -0.1, 0.1, seed, member), u = 0.0, v = 0.5;
        for (int step = 0; step < steps; step++) {
            UNROLL for (int at = 0; at < 17; at++) {
                u = fma(-kick[at], fma(2.0 * x, y, x), u);
                v = fma(-kick[at], fma(x, x, fma(-y, y, y)), v);
                x = fma(drift[at], u, x);
                y = fma(drift[at], v, y);
            }
            u = fma(-kick[17], fma(2.0 * x, y, x), u);
            v = fma(-kick[17], fma(x, x, fma(-y, y, y)), v);
        }
        end[0] = x, end[1] = y, end[2] = u, end[3] = v;
        return 0;
    }
};

int main(int count, char** arguments) { return compare<HenonHeiles>(count, arguments); }
