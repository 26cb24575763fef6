// A piston of mass one with friction on an ideal gas of energy U = e^S x^(-1/c), by the energy–entropy step with eight nodes: what
// `extremal sweep gallery:ideal-gas-piston --method energy-entropy --start legendre --random S0=0:2` marches. With rates (v, p', s) of
// x, p and S that are constant over the step, and means over it in ⟨ ⟩,
//
//     v = p + h p'/2        p' = ⟨U/(c x)⟩ − γ v        s ⟨U⟩ = γ v²
//
// so that p' = 2 (v − p)/h, and Newton's method looks for v and s. The product also corrects what the nodes leave of the energy identity,
// which is round-off at this step.
#include "ensemble.cuh"

struct Piston {
    static constexpr int WIDTH = 3;
    static constexpr double STEP = 0.01;

    static BOTH int member(uint64_t seed, uint64_t member, double h, int steps, double* end) {
        const double node[8] = {0.019855071751231912, 0.10166676129318664, 0.2372337950418355, 0.4082826787521751,
                                0.5917173212478248,   0.7627662049581645,  0.8983332387068134, 0.9801449282487681};
        const double weight[4] = {0.05061426814518853, 0.11119051722668721, 0.15685332293894344, 0.18134189168918083};
        const double power = 1.0 / 1.5, gamma = 0.1, twice = 2.0 / h;
        double x = 1.0, p = 0.0, entropy = drawn("S0", 0.0, 2.0, seed, member), past_v[6], past_s[6];
        UNROLL for (int age = 0; age < 6; age++) past_v[age] = 0.0, past_s[age] = 0.0;
        int solved = 0;
        for (int step = 0; step < steps; step++) {
            double v = past_v[0], s = past_s[0];
            // The polynomial through the last six rates, one step on, as soon as there are six.
            if (step > 5) {
                v = fma(6.0, past_v[4], fma(-15.0, past_v[3], fma(20.0, past_v[2], fma(-15.0, past_v[1], 6.0 * past_v[0])))) - past_v[5];
                s = fma(6.0, past_s[4], fma(-15.0, past_s[3], fma(20.0, past_s[2], fma(-15.0, past_s[1], 6.0 * past_s[0])))) - past_s[5];
            }
            for (int update = 0; update < 20; update++) {
                solved++;
                // Means of U and U/x, and with the time in the step of U, U/x and U/x²: what both equations and their slopes consist of.
                double u = 0.0, ux = 0.0, tu = 0.0, tux = 0.0, tuxx = 0.0;
                UNROLL for (int at = 0; at < 8; at++) {
                    const double time = node[at] * h, there = fma(time, v, x), inverse = 1.0 / there;
                    const double energy = weight[at < 4 ? at : 7 - at] * exponential(fma(-power, logarithm(there), fma(time, s, entropy)));
                    const double over = energy * inverse;
                    u += energy;
                    ux += over;
                    tu = fma(time, energy, tu);
                    tux = fma(time, over, tux);
                    tuxx = fma(time, over * inverse, tuxx);
                }
                const double r1 = fma(gamma, v, fma(twice, v - p, -(power * ux))), r2 = fma(s, u, -(gamma * v * v));
                const double j11 = fma(power * (power + 1.0), tuxx, twice + gamma), j12 = -(power * tux);
                const double j21 = fma(-(power * s), tux, -(2.0 * gamma * v)), j22 = fma(s, tu, u);
                const double inverse = 1.0 / fma(j11, j22, -(j12 * j21));
                const double dv = fma(r1, j22, -(r2 * j12)) * inverse, ds = fma(r2, j11, -(r1 * j21)) * inverse;
                v -= dv;
                s -= ds;
                // Updates of this size square to nothing.
                if (fmax(fabs(dv), fabs(ds)) <= 3e-8) break;
            }
            x = fma(h, v, x);
            p = fma(2.0, v - p, p);
            entropy = fma(h, s, entropy);
            UNROLL for (int age = 5; age > 0; age--) past_v[age] = past_v[age - 1], past_s[age] = past_s[age - 1];
            past_v[0] = v;
            past_s[0] = s;
        }
        end[0] = x, end[1] = p, end[2] = entropy;
        return solved;
    }
};

int main(int count, char** arguments) { return compare<Piston>(count, arguments); }
