// Pendulums on rods of length one in Cartesian coordinates, x downwards, by Störmer–Verlet (RATTLE): what
// `extremal sweep gallery:pendulum-rod --method trapezoidal --random phi0=0.5:2.5 --random w0=-1:1` marches. The one multiplier of a step is
// the root of a quadratic equation.
#include "ensemble.cuh"

struct Rod {
    static constexpr int WIDTH = 4;
    static constexpr double STEP = 0.01;

    static BOTH int member(uint64_t seed, uint64_t member, double h, int steps, double* end) {
        const double rate = 1.0 / h, half_kick = 0.5 * h * 9.81, along = 0.5 * h * h;
        double sine, cosine;
        sine_cosine(drawn("phi0", 0.5, 2.5, seed, member), sine, cosine);
        const double turning = drawn("w0", -1.0, 1.0, seed, member);
        double x = cosine, y = sine, u = -(turning * sine), v = turning * cosine;
        for (int step = 0; step < steps; step++) {
            const double free_x = fma(h, u + half_kick, x), free_y = fma(h, v, y), pull_x = along * x, pull_y = along * y;
            const double linear = fma(free_x, pull_x, free_y * pull_y), quadratic = fma(pull_x, pull_x, pull_y * pull_y);
            const double rest = fma(free_x, free_x, fma(free_y, free_y, -1.0));
            const double root = sqrt(fma(linear, linear, -(quadratic * rest)));
            const double tension = -(rest / (linear + root));
            const double next_x = fma(tension, pull_x, free_x), next_y = fma(tension, pull_y, free_y);
            const double moved_x = fma(next_x - x, rate, half_kick), moved_y = (next_y - y) * rate;
            const double off = -(fma(next_x, moved_x, next_y * moved_y) / fma(next_x, next_x, next_y * next_y));
            u = fma(off, next_x, moved_x);
            v = fma(off, next_y, moved_y);
            x = next_x;
            y = next_y;
        }
        end[0] = x, end[1] = y, end[2] = u, end[3] = v;
        return 0;
    }
};

int main(int count, char** arguments) { return compare<Rod>(count, arguments); }
