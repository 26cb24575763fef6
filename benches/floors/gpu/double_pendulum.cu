// The midpoint rule on double pendulums, masses and lengths one, by Newton's method in the positions at the end of the step: what
// `extremal sweep gallery:double-pendulum --random θ1=2:3 --random θ2=1:2` marches.
#include "ensemble.cuh"

// What an evaluation at the middle of a step leaves: velocities, and sines and cosines of the angles and their difference.
struct Middle {
    double v1, v2, s1, c1, s2, c2, sine, cosine;

    BOTH Middle(double rate, double a, double b, double next_a, double next_b) {
        sine_cosine((a + next_a) * 0.5, s1, c1);
        sine_cosine((b + next_b) * 0.5, s2, c2);
        v1 = (next_a - a) * rate;
        v2 = (next_b - b) * rate;
        sine = fma(s1, c2, -(c1 * s2));
        cosine = fma(c1, c2, s1 * s2);
    }
};

struct DoublePendulum {
    static constexpr int WIDTH = 4;
    static constexpr double STEP = 0.01;

    static BOTH int member(uint64_t seed, uint64_t member, double h, int steps, double* end) {
        const double g = 9.81, rate = 1.0 / h, half = 0.5 * h, quarter = 0.25 * h;
        double a = drawn("θ1", 2.0, 3.0, seed, member), b = drawn("θ2", 1.0, 2.0, seed, member);
        double p = 0.0, q = 0.0, past_a[6], past_b[6];
        UNROLL for (int age = 0; age < 6; age++) past_a[age] = a, past_b[age] = b;
        int solved = 0;
        for (int step = 0; step < steps; step++) {
            // The polynomial through the last six positions, one step on.
            double x = fma(6.0, past_a[4], fma(-15.0, past_a[3], fma(20.0, past_a[2], fma(-15.0, past_a[1], 6.0 * past_a[0])))) - past_a[5];
            double y = fma(6.0, past_b[4], fma(-15.0, past_b[3], fma(20.0, past_b[2], fma(-15.0, past_b[1], 6.0 * past_b[0])))) - past_b[5];
            for (int update = 0; update < 20; update++) {
                solved++;
                const Middle at(rate, a, b, x, y);
                const double product = at.v1 * at.v2, turning = product * at.sine, bending = product * at.cosine;
                const double r1 = fma(-half, fma(2.0 * g, at.s1, turning), p) - fma(at.v2, at.cosine, at.v1 + at.v1);
                const double r2 = fma(half, fma(-g, at.s2, turning), q) - fma(at.v1, at.cosine, at.v2);
                const double cross = (at.v1 + at.v2) * at.sine * 0.5;
                const double j11 = fma(-quarter, fma(2.0 * g, at.c1, bending), -(rate + rate)), j22 = fma(-quarter, fma(g, at.c2, bending), -rate);
                const double off = fma(quarter, bending, -(at.cosine * rate)), j12 = off - cross, j21 = off + cross;
                const double inverse = 1.0 / fma(j11, j22, -(j12 * j21));
                const double dx = fma(r1, j22, -(r2 * j12)) * inverse, dy = fma(r2, j11, -(r1 * j21)) * inverse;
                x -= dx;
                y -= dy;
                // Updates of this size square to nothing.
                if (fmax(fabs(dx), fabs(dy)) <= 3e-8) break;
            }
            const Middle at(rate, a, b, x, y);
            const double turning = at.v1 * at.v2 * at.sine;
            p = fma(-half, fma(2.0 * g, at.s1, turning), fma(at.v2, at.cosine, at.v1 + at.v1));
            q = fma(half, fma(-g, at.s2, turning), fma(at.v1, at.cosine, at.v2));
            a = x;
            b = y;
            UNROLL for (int age = 5; age > 0; age--) past_a[age] = past_a[age - 1], past_b[age] = past_b[age - 1];
            past_a[0] = a;
            past_b[0] = b;
        }
        end[0] = a, end[1] = b, end[2] = p, end[3] = q;
        return solved;
    }
};

int main(int count, char** arguments) { return compare<DoublePendulum>(count, arguments); }
