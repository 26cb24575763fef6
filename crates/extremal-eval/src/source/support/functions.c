#section bits
static uint64_t @bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

#section from_bits
static double @from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
#section double
/* An unevaluated sum: hi is the number rounded, lo what the rounding left over. */
typedef struct { double hi, lo; } @double;

static @double @fast_sum(double a, double b)
{
    double hi = a + b;
    @double sum = { hi, (a - hi) + b };
    return sum;
}

#section product: double
static @double @product(double a, double b)
{
    double hi = a * b;
    @double product = { hi, fma(a, b, -hi) };
    return product;
}
#section exact_sum: double
static @double @sum(double a, double b)
{
    double hi = a + b, back = hi - a;
    @double sum = { hi, (a - (hi - back)) + (b - back) };
    return sum;
}
#section over: double
static double @over(@double a, @double b)
{
    double quotient = a.hi / b.hi;
    double rest = -fma(quotient, b.hi, -a.hi) + a.lo - quotient * b.lo;
    return quotient + rest / b.hi;
}
#section four
static double @four(double x, double x2, const double *c)
{
    return fma(x2, fma(x, c[3], c[2]), fma(x, c[1], c[0]));
}
#section six: four
static double @six(double x, const double *c)
{
    double x2 = x * x;
    return fma(x2 * x2, fma(x, c[5], c[4]), @four(x, x2, c));
}
#section seven: four
static double @seven(double x, const double *c)
{
    double x2 = x * x;
    return fma(x2 * x2, fma(x2, c[6], fma(x, c[5], c[4])), @four(x, x2, c));
}
#section eight: four
static double @eight(double x, const double *c)
{
    double x2 = x * x;
    return fma(x2 * x2, @four(x, x2, c + 4), @four(x, x2, c));
}
#section eleven: eight
static double @eleven(double x, const double *c)
{
    double x2 = x * x, x4 = x2 * x2;
    return fma(x4 * x4, fma(x2, c[10], fma(x, c[9], c[8])), @eight(x, c));
}
#section angle: bits, product, exact_sum, six
/* An angle less the nearest multiple of pi/2, and which multiple, in the last two bits. */
typedef struct { @double rest; uint64_t quadrant; } @angle;

static @angle @huge_angle(double x)
{
    static const uint64_t two_over_pi[21] = {
        0, UINT64_C(0xa2f9836e4e441529), UINT64_C(0xfc2757d1f534ddc0), UINT64_C(0xdb6295993c439041),
        UINT64_C(0xfe5163abdebbc561), UINT64_C(0xb7246e3a424dd2e0), UINT64_C(0x06492eea09d1921c),
        UINT64_C(0xfe1deb1cb129a73e), UINT64_C(0xe88235f52ebb4484), UINT64_C(0xe99c7026b45f7e41),
        UINT64_C(0x3991d639835339f4), UINT64_C(0x9c845f8bbdf9283b), UINT64_C(0x1ff897ffde05980f),
        UINT64_C(0xef2f118b5a0a6d1f), UINT64_C(0x6d367ecf27cb09b7), UINT64_C(0x4f463f669e5fea2d),
        UINT64_C(0x7527bac7ebe5f17b), UINT64_C(0x3d0739f78a5292ea), UINT64_C(0x6bfb5fb11f8d5d08),
        UINT64_C(0x56033046fc7b6bab), UINT64_C(0xf0cfbc209af4361d),
    };
    __extension__ typedef unsigned __int128 wide;
    __extension__ typedef __int128 wide_signed;
    @angle angle = { { NAN, NAN }, 0 };
    uint64_t bits = @bits(x), words[3], high, quadrant;
    wide mantissa, low, middle, fraction, size;
    int exponent, start, at, up;
    double lead, rest, hi, lo, sign;
    if (!isfinite(x))
        return angle;
    mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    exponent = (int)(bits >> 52 & 0x7ff);
    start = exponent + 64 - 2 - 1075;
    for (at = 0; at < 3; at++) {
        int index = (start + 64 * at) / 64;
        wide pair = (wide)two_over_pi[index] << 64 | two_over_pi[index + 1];
        words[at] = (uint64_t)(pair >> (64 - start % 64));
    }
    low = mantissa * words[2];
    middle = mantissa * words[1] + (low >> 64);
    high = (uint64_t)(mantissa * words[0] + (middle >> 64));
    quadrant = high >> 62;
    fraction = (wide)high << 66 | (wide)(uint64_t)middle << 2 | (uint64_t)low >> 62;
    up = (int)(fraction >> 127);
    quadrant += (uint64_t)up;
    size = up ? -fraction : fraction;
    lead = (double)size;
    rest = lead >= 0x1p127 ? (double)(wide_signed)(size - ((wide)1 << 127)) : (double)(wide_signed)(size - (wide)lead);
    lead *= 0x1p-128;
    rest *= 0x1p-128;
    hi = lead * 1.5707963267948966;
    lo = fma(lead, 1.5707963267948966, -hi) + (lead * 6.123233995736766e-17 + rest * 1.5707963267948966);
    sign = (up == 1) != (x < 0.0) ? -1.0 : 1.0;
    angle.quadrant = x < 0.0 ? -quadrant : quadrant;
    angle.rest.hi = sign * hi;
    angle.rest.lo = sign * lo;
    return angle;
}

static @angle @reduced(double x)
{
    double turned, k, first;
    @double second, sum;
    @angle angle;
    if (!(fabs(x) < 1e9))
        return @huge_angle(x);
    turned = fma(x, 0.6366197723675814, 6755399441055744.0);
    k = turned - 6755399441055744.0;
    first = fma(-k, 1.5707963267948966, x);
    second = @product(k, 6.123233995736766e-17);
    sum = @sum(first, -second.hi);
    angle.rest.hi = sum.hi;
    angle.rest.lo = sum.lo - fma(k, -1.4973849048591698e-33, second.lo);
    angle.quadrant = @bits(turned);
    return angle;
}

/* Sine and cosine of what is left of an angle. Coefficients from fdlibm (Sun Microsystems, 1993). */
static void @of_rest(@double rest, @double *sine, @double *cosine)
{
    static const double of_sine[6] = {
        -1.66666666666666324348e-1, 8.33333333332248946124e-3, -1.98412698298579493134e-4,
        2.75573137070700676789e-6, -2.50507602534068634195e-8, 1.58969099521155010221e-10,
    };
    static const double of_cosine[6] = {
        4.16666666666666019037e-2, -1.38888888888741095749e-3, 2.48015872894767294178e-5,
        -2.75573143513906633035e-7, 2.08757232129817482790e-9, -1.13596475577881948265e-11,
    };
    double r = rest.hi, square = r * r, lead = fma(square, -0.5, 1.0);
    double s = fma(r * square, @six(square, of_sine), rest.lo * lead);
    double lost = fma(square, -0.5, 1.0 - lead);
    double c = fma(square * square, @six(square, of_cosine), fma(-r, rest.lo, lost));
    *sine = @fast_sum(r, s);
    if (r == 0.0)
        sine->hi = r;
    *cosine = @fast_sum(lead, c);
}
#section sincos: from_bits, angle
static void @sincos(double x, double *sine, double *cosine)
{
    @angle angle = @reduced(x);
    @double s, c;
    uint64_t q = angle.quadrant;
    @of_rest(angle.rest, &s, &c);
    *sine = @from_bits(@bits(q & 1 ? c.hi : s.hi) ^ (q & 2) << 62);
    *cosine = @from_bits(@bits(q & 1 ? s.hi : c.hi) ^ ((q + 1) & 2) << 62);
}
#section sin: sincos
static double @sin(double x)
{
    double sine, cosine;
    @sincos(x, &sine, &cosine);
    return sine;
}
#section cos: sincos
static double @cos(double x)
{
    double sine, cosine;
    @sincos(x, &sine, &cosine);
    return cosine;
}
#section tan: angle, over
static double @tan(double x)
{
    @angle angle;
    @double s, c, above;
    if (fabs(x) < 1e-8)
        return x;
    angle = @reduced(x);
    @of_rest(angle.rest, &s, &c);
    if (!(angle.quadrant & 1))
        return @over(s, c);
    above.hi = -c.hi;
    above.lo = -c.lo;
    return @over(above, s);
}
#section scaled_exp: bits, from_bits, double, eleven
/* mantissa * 2^k = e^(hi + lo), the integer k in the last bits of exponent. */
typedef struct { @double mantissa; double exponent; } @power;

static @power @scaled_exp(@double x)
{
    static const double c[11] = {
        0.5, 0.1666666666666667, 0.04166666666666667, 0.008333333333326084, 0.0013888888888883711,
        0.0001984126987500228, 2.480158732567746e-5, 2.755725517000089e-6, 2.755727347871858e-7,
        2.5105312729622103e-8, 2.09147553258932e-9,
    };
    double clamped = x.hi > 746.0 ? 746.0 : x.hi, k, rest;
    @double r, one;
    @power power;
    clamped = clamped < -746.0 ? -746.0 : clamped;
    power.exponent = fma(clamped, 1.4426950408889634, 6755399441055744.0);
    k = power.exponent - 6755399441055744.0;
    r = @fast_sum(fma(-k, 0.6931471805599453, clamped), fma(-k, 2.3190468138462996e-17, x.lo));
    rest = fma(r.hi * r.hi, @eleven(r.hi, c), r.lo);
    one = @fast_sum(1.0, r.hi);
    power.mantissa.hi = one.hi;
    power.mantissa.lo = one.lo + rest;
    return power;
}

/* x * 2^(k + shift), in two steps, of which only the last one rounds. */
static double @scale(double x, double exponent, int shift)
{
    uint64_t sum = @bits(exponent) - @bits(6755399441055744.0) + (uint64_t)(1200 + shift), half = sum >> 1;
    return x * @from_bits((half + 423) << 52) * @from_bits((sum - half + 423) << 52);
}
#section exp_of: scaled_exp
static double @exp_of(@double x)
{
    @power power = @scaled_exp(x);
    return @scale(power.mantissa.hi + power.mantissa.lo, power.exponent, 0);
}
#section exp: exp_of
static double @exp(double x)
{
    @double whole = { x, 0.0 };
    return @exp_of(whole);
}
#section sinh_cosh: scaled_exp, seven
static void @sinh_cosh(double x, @double *sinh_, @double *cosh_)
{
    static const double c[7] = {
        0.16666666666666666, 0.008333333333333333, 0.00019841269841269906, 2.7557319223837967e-6,
        2.5052108547970736e-8, 1.6058952176901628e-10, 7.67278936705963e-13,
    };
    double size = fabs(x), reciprocal, error, opposite, square;
    @double whole = { size, 0.0 }, mantissa, rising, falling, difference, sum;
    @power power = @scaled_exp(whole);
    mantissa = @fast_sum(power.mantissa.hi, power.mantissa.lo);
    rising.hi = @scale(mantissa.hi, power.exponent, -1);
    rising.lo = @scale(mantissa.lo, power.exponent, -1);
    reciprocal = 1.0 / mantissa.hi;
    error = fma(-reciprocal, mantissa.hi, 1.0) - reciprocal * mantissa.lo;
    opposite = 2.0 * 6755399441055744.0 - power.exponent;
    falling.hi = @scale(reciprocal, opposite, -1);
    falling.lo = @scale(reciprocal * error, opposite, -1);
    difference = @fast_sum(rising.hi, -falling.hi);
    sum = @fast_sum(rising.hi, falling.hi);
    cosh_->hi = sum.hi;
    cosh_->lo = sum.lo + (rising.lo + falling.lo);
    square = size * size;
    if (size < 0.5) {
        *sinh_ = @fast_sum(size, size * square * @seven(square, c));
    } else {
        sinh_->hi = difference.hi;
        sinh_->lo = difference.lo + (rising.lo - falling.lo);
    }
}
#section sinh: sinh_cosh
static double @sinh(double x)
{
    @double s, c;
    @sinh_cosh(x, &s, &c);
    return copysign(s.hi == INFINITY ? s.hi : s.hi + s.lo, x);
}
#section cosh: sinh_cosh
static double @cosh(double x)
{
    @double s, c;
    @sinh_cosh(x, &s, &c);
    return c.hi == INFINITY ? c.hi : c.hi + c.lo;
}
#section tanh: sinh_cosh, over
static double @tanh(double x)
{
    @double s, c;
    @sinh_cosh(x, &s, &c);
    return copysign(fabs(x) > 20.0 ? 1.0 : @over(s, c), x);
}
#section split: bits, from_bits
/* A positive number as 2^exponent * mantissa, mantissas from the number with the bits `least` up to its double. */
static void @split(double x, uint64_t least, double *exponent, double *mantissa)
{
    int subnormal = x < 2.2250738585072014e-308;
    double lifted = subnormal ? x * 0x1p54 : x, bias = subnormal ? 0x1p52 + 1077.0 : 0x1p52 + 1023.0;
    uint64_t moved = @bits(lifted) + (UINT64_C(0x3ff0000000000000) - least);
    *exponent = @from_bits(UINT64_C(0x4330000000000000) | moved >> 52) - bias;
    *mantissa = @from_bits((moved & ((UINT64_C(1) << 52) - 1)) + least);
}
#section near_one: eight
static const double @near_one[8] = {
    0.6666666666666666, 0.40000000000000885, 0.28571428570799784, 0.22222222392581045,
    0.18181795547521137, 0.15386244737621668, 0.1326863836926682, 0.13088034850927602,
};
#section log: split, double, near_one
static double @log(double x)
{
    double exponent, mantissa, f, reciprocal, hi, lo, square, rest;
    @double below, sum;
    if (!(x > 0.0 && x < INFINITY))
        return x == 0.0 ? -INFINITY : x == INFINITY ? INFINITY : NAN;
    @split(x, UINT64_C(0x3fe6a09e667f3bcd), &exponent, &mantissa);
    f = mantissa - 1.0;
    below = @fast_sum(2.0, f);
    reciprocal = 1.0 / below.hi;
    hi = f * reciprocal;
    lo = (fma(-hi, below.hi, f) - hi * below.lo) * reciprocal;
    square = hi * hi;
    rest = fma(hi * square, @eight(square, @near_one), lo + lo);
    sum = @fast_sum(exponent * 0.6931471805598903, hi + hi);
    return sum.hi + (sum.lo + fma(exponent, 5.497923018708371e-14, rest));
}
#section fine_log: split, product, seven
/* The logarithm of a positive finite number with 66 bits. */
static @double @fine_log(double x)
{
    static const double parts[128][3] = {
%parts%    };
    static const double c[7] = { 1.0 / 3.0, -1.0 / 4.0, 1.0 / 5.0, -1.0 / 6.0, 1.0 / 7.0, -1.0 / 8.0, 1.0 / 9.0 };
    double exponent, mantissa, r, coarse, fine, higher;
    @double square, linear, quadratic, log;
    const double *part;
    @split(x, UINT64_C(%least%), &exponent, &mantissa);
    part = parts[(@bits(mantissa) - UINT64_C(%least%)) >> 45 & 127];
    r = fma(mantissa, part[0], -1.0);
    coarse = fma(exponent, 0.6931471805598903, part[1]);
    fine = fma(exponent, 5.497923018708371e-14, part[2]);
    square = @product(r, r);
    linear = @fast_sum(coarse, r);
    quadratic = @fast_sum(linear.hi, square.hi * -0.5);
    higher = fma(r * square.hi, @seven(r, c), square.lo * -0.5);
    log.hi = quadratic.hi;
    log.lo = higher + ((linear.lo + fine) + quadratic.lo);
    return log;
}
#section pow: fine_log, exp_of
static double @ordinary_pow(double x, double y)
{
    @double log = @fine_log(x), product = @product(y, log.hi), whole;
    whole.hi = product.hi;
    whole.lo = fabs(product.hi) > 1000.0 ? 0.0 : product.lo + y * log.lo;
    return @exp_of(whole);
}

/* As IEEE 754 has it, but what is no number stays none. */
static double @pow(double x, double y)
{
    double size = fabs(x), power;
    int whole, odd;
    if (x > 0.0 && x < INFINITY && fabs(y) < INFINITY)
        return @ordinary_pow(x, y);
    if (isnan(x) || isnan(y))
        return NAN;
    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (isinf(y))
        return size == 1.0 ? 1.0 : (size > 1.0) == (y > 0.0) ? INFINITY : 0.0;
    whole = trunc(y) == y;
    odd = whole && fabs(y) < 0x1p53 && ((int64_t)y & 1) == 1;
    if (size == 0.0 || size == INFINITY)
        power = (size == 0.0) == (y > 0.0) ? 0.0 : INFINITY;
    else if (whole)
        power = @ordinary_pow(size, y);
    else
        return NAN;
    return odd && signbit(x) ? -power : power;
}
#section quotients: fine_log, near_one
static @double @number(double x)
{
    @double number = { x, 0.0 };
    return number;
}

static @double @quotient(@double a, @double b)
{
    double hi = a.hi / b.hi, rest = fma(-hi, b.hi, a.hi) + a.lo - hi * b.lo;
    return @fast_sum(hi, rest / b.hi);
}

static @double @added(@double a, @double b)
{
    @double sum = @fast_sum(a.hi, b.hi);
    return @fast_sum(sum.hi, sum.lo + a.lo + b.lo);
}

static double @log_of(@double a)
{
    @double log = @fine_log(a.hi);
    return log.hi + (log.lo + a.lo / a.hi);
}

static double @artanh_near_zero(@double s)
{
    double square = s.hi * s.hi;
    return s.hi + fma(s.hi * square * 0.5, @eight(square, @near_one), s.lo);
}
#section roots: quotients
static @double @root(@double a)
{
    double hi = sqrt(a.hi);
    return hi == 0.0 ? @number(0.0) : @fast_sum(hi, (fma(-hi, hi, a.hi) + a.lo) / (hi + hi));
}

static double @log_of_twice(double x)
{
    @double log = @fine_log(x);
    return log.hi + (log.lo + 0.6931471805599453);
}
#section asinh: roots
static double @asinh(double x)
{
    double size = fabs(x), value;
    if (!(size >= 1e-9 && size <= 1.7976931348623157e308))
        return x;
    if (size > 1e9) {
        value = @log_of_twice(size);
    } else {
        @double square = @product(size, size), hypotenuse, ratio;
        hypotenuse = @root(size < 1.0 ? @added(@number(1.0), square) : @added(square, @number(1.0)));
        ratio = @quotient(@number(size), hypotenuse);
        value = ratio.hi < 0.17 ? @artanh_near_zero(ratio) : @log_of(@added(hypotenuse, @number(size)));
    }
    return copysign(value, x);
}
#section acosh: exact_sum, roots
static double @acosh(double x)
{
    @double ratio;
    if (!(x >= 1.0 && x < INFINITY))
        return x == INFINITY ? x : NAN;
    if (x > 1e9)
        return @log_of_twice(x);
    ratio = @root(@quotient(@number(x - 1.0), @sum(x, 1.0)));
    if (ratio.hi < 0.17)
        return 2.0 * @artanh_near_zero(ratio);
    return @log_of(@added(@number(x), @root(@added(@product(x, x), @number(-1.0)))));
}
#section atanh: quotients
static double @atanh(double x)
{
    double size = fabs(x);
    if (size < 0.17)
        return copysign(@artanh_near_zero(@number(size)), x);
    if (size >= 1.0 || isnan(x))
        return size == 1.0 ? copysign(INFINITY, x) : NAN;
    return copysign(
        0.5 * @log_of(@quotient(@added(@number(1.0), @number(size)), @added(@number(1.0), @number(-size)))), x);
}
#section sign
static double @sign(double x)
{
    return x == 0.0 ? 0.0 : isnan(x) ? x : copysign(1.0, x);
}
#section min
static double @min(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : b < a ? b : a;
}
#section max
static double @max(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : a < b ? b : a;
}
#section arc: bits, from_bits
/* Inverse sine and cosine from FreeBSD's msun. Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
   Developed at SunSoft, a Sun Microsystems, Inc. business. Permission to use, copy, modify, and distribute this
   software is freely granted, provided that this notice is preserved. */
static double @arc_ratio(double z)
{
    double p = z * (1.66666666666666657415e-01 + z * (-3.25565818622400915405e-01 + z * (2.01212532134862925881e-01
        + z * (-4.00555345006794114027e-02 + z * (7.91534994289814532176e-04 + z * 3.47933107596021167570e-05)))));
    double q = 1.0 + z * (-2.40339491173441421878e+00 + z * (2.02094576023350569471e+00
        + z * (-6.88283971605453293030e-01 + z * 7.70381505559019352791e-02)));
    return p / q;
}

static double @leading(double x)
{
    return @from_bits(@bits(x) & UINT64_C(0xffffffff00000000));
}
#section asin: arc
static double @asin(double x)
{
    uint32_t high = (uint32_t)(@bits(x) >> 32) & 0x7fffffff;
    double size = fabs(x), z, s, r, f, c, value;
    if (!(size < 1.0))
        return size == 1.0 ? x * 1.57079632679489655800e+00 + 0x1p-120 : NAN;
    if (high < 0x3fe00000)
        return high >= 0x00100000 && high < 0x3e500000 ? x : x + x * @arc_ratio(x * x);
    z = (1.0 - size) * 0.5;
    s = sqrt(z);
    r = @arc_ratio(z);
    if (high >= 0x3fef3333) {
        value = 1.57079632679489655800e+00 - (2.0 * (s + s * r) - 6.12323399573676603587e-17);
    } else {
        f = @leading(s);
        c = (z - f * f) / (s + f);
        value = 0.5 * 1.57079632679489655800e+00
            - (2.0 * s * r - (6.12323399573676603587e-17 - 2.0 * c) - (0.5 * 1.57079632679489655800e+00 - 2.0 * f));
    }
    return signbit(x) ? -value : value;
}
#section acos: arc
static double @acos(double x)
{
    uint32_t high = (uint32_t)(@bits(x) >> 32) & 0x7fffffff;
    double z, s, f, c;
    if (!(fabs(x) < 1.0))
        return x == 1.0 ? 0.0 : x == -1.0 ? 2.0 * 1.57079632679489655800e+00 + 0x1p-120 : NAN;
    if (high < 0x3fe00000) {
        if (high <= 0x3c600000)
            return 1.57079632679489655800e+00 + 0x1p-120;
        return 1.57079632679489655800e+00 - (x - (6.12323399573676603587e-17 - x * @arc_ratio(x * x)));
    }
    if (signbit(x)) {
        z = (1.0 + x) * 0.5;
        s = sqrt(z);
        return 2.0 * (1.57079632679489655800e+00 - (s + (@arc_ratio(z) * s - 6.12323399573676603587e-17)));
    }
    z = (1.0 - x) * 0.5;
    s = sqrt(z);
    f = @leading(s);
    c = (z - f * f) / (s + f);
    return 2.0 * (f + (@arc_ratio(z) * s + c));
}
#section atan: bits
/* Inverse tangent from FreeBSD's msun. Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
   Developed at SunPro, a Sun Microsystems, Inc. business. Permission to use, copy, modify, and distribute this
   software is freely granted, provided that this notice is preserved. */
static double @atan(double x)
{
    static const double coarse[4] = {
        4.63647609000806093515e-01, 7.85398163397448278999e-01, 9.82793723247329054082e-01, 1.57079632679489655800e+00,
    };
    static const double fine[4] = {
        2.26987774529616870924e-17, 3.06161699786838301793e-17, 1.39033110312309984516e-17, 6.12323399573676603587e-17,
    };
    static const double c[11] = {
        3.33333333333329318027e-01, -1.99999999998764832476e-01, 1.42857142725034663711e-01,
        -1.11111104054623557880e-01, 9.09088713343650656196e-02, -7.69187620504482999495e-02,
        6.66107313738753120669e-02, -5.83357013379057348645e-02, 4.97687799461593236017e-02,
        -3.65315727442169155270e-02, 1.62858201153657823623e-02,
    };
    uint32_t high = (uint32_t)(@bits(x) >> 32) & 0x7fffffff;
    int part = -1, negative = signbit(x) != 0;
    double z, w, odd, even;
    if (isnan(x))
        return x;
    if (high >= 0x44100000)
        return negative ? -coarse[3] : coarse[3];
    if (high < 0x3e400000)
        return x;
    if (high >= 0x3fdc0000) {
        x = fabs(x);
        part = high < 0x3fe60000 ? 0 : high < 0x3ff30000 ? 1 : high < 0x40038000 ? 2 : 3;
        x = part == 0 ? (2.0 * x - 1.0) / (2.0 + x)
            : part == 1 ? (x - 1.0) / (x + 1.0) : part == 2 ? (x - 1.5) / (1.0 + 1.5 * x) : -1.0 / x;
    }
    z = x * x;
    w = z * z;
    odd = z * (c[0] + w * (c[2] + w * (c[4] + w * (c[6] + w * (c[8] + w * c[10])))));
    even = w * (c[1] + w * (c[3] + w * (c[5] + w * (c[7] + w * c[9]))));
    if (part < 0)
        return x - x * (odd + even);
    z = coarse[part] - (x * (odd + even) - fine[part] - x);
    return negative ? -z : z;
}
#section atan2: atan
static double @atan2(double y, double x)
{
    uint32_t of_x = (uint32_t)(@bits(x) >> 32) & 0x7fffffff, of_y = (uint32_t)(@bits(y) >> 32) & 0x7fffffff;
    double pi = 3.1415926535897931160e+00, z;
    if (isnan(x) || isnan(y))
        return x + y;
    if (x == 1.0)
        return @atan(y);
    if (y == 0.0)
        return signbit(x) ? copysign(pi, y) : y;
    if (x == 0.0)
        return copysign(pi / 2.0, y);
    if (isinf(x)) {
        z = isinf(y) ? (x > 0.0 ? pi / 4.0 : 3.0 * pi / 4.0) : x > 0.0 ? 0.0 : pi;
        return copysign(z, y);
    }
    if (of_x + (64 << 20) < of_y || isinf(y))
        return copysign(pi / 2.0, y);
    z = x < 0.0 && of_y + (64 << 20) < of_x ? 0.0 : @atan(fabs(y / x));
    if (x > 0.0)
        return y < 0.0 ? -z : z;
    return y < 0.0 ? (z - 1.2246467991473531772e-16) - pi : pi - (z - 1.2246467991473531772e-16);
}
#section cbrt: bits, from_bits
/* The cube root, rounded correctly: from CORE-MATH, Copyright (c) 2021-2022 Alexei Sibidanov, MIT licence. */
static double @cbrt(double x)
{
    static const double scales[3] = { 1.0, 0x1.428a2f98d728bp+0, 0x1.965fea53d6e3dp+0 };
    static const double signs[6] = { 1.0, -1.0, 0.5, -0.5, 0.25, -0.25 };
    uint64_t bits = @bits(x), mantissa = bits & ((UINT64_C(1) << 52) - 1), sign = bits >> 63, three, low, near;
    uint32_t e = (uint32_t)(bits >> 52) & 0x7ff, third, left;
    double zz, z, r, rr, y, y2, y2l, y3, y3l, h, dy, y1;
    int round;
    if (x == 0.0 || !isfinite(x))
        return x + x;
    if (e == 0) {
        e = 1;
        while (!(mantissa >> 52)) {
            mantissa <<= 1;
            e -= 1;
        }
        mantissa &= (UINT64_C(1) << 52) - 1;
    }
    e += 3072;
    third = e / 3;
    left = e % 3;
    z = @from_bits(mantissa | UINT64_C(0x3ff) << 52);
    zz = @from_bits(((mantissa | UINT64_C(0x3ff) << 52) + ((uint64_t)left << 52)) | sign << 63);
    r = 1.0 / z;
    rr = r * signs[left << 1 | (uint32_t)sign];
    y = (0x1.1b0babccfef9cp-1 + z * 0x1.2c9a3e94d1da5p-1)
        + z * z * (-0x1.4dc30b1a1ddbap-3 + z * 0x1.7a8d3e4ec9b07p-6);
    y2 = y * y;
    h = y2 * (y * r) - 1.0;
    y -= (h * y) * (0x1.5555555555555p-2 - 0x1.c71c71c71c71cp-3 * h);
    y *= sign ? -scales[left] : scales[left];
    for (round = 0;; round++) {
        double limit = round == 0 ? 0x1p-75 : 0x1p-98;
        y2 = y * y;
        y2l = fma(y, y, -y2);
        y3 = y2 * y;
        y3l = fma(y, y2, -y3) + y * y2l;
        h = ((y3 - zz) + y3l) * rr;
        dy = h * (y * 0x1.5555555555555p-2);
        y1 = y - dy;
        dy = (y - y1) - dy;
        if (!(fabs(fabs(dy) - 0x1p-53) < limit || fabs(fabs(dy) - (0x1p-52 + 0x1p-53)) < limit))
            break;
        if (round == 1) {
            if (fabs(zz) == 0x1.9b78223aa307cp+1)
                y1 = copysign(0x1.79d15d0e8d59cp+0, zz);
            if (fabs(zz) == 0x1.a202bfc89ddffp+2)
                y1 = copysign(0x1.de87aa837820fp+0, zz);
            break;
        }
        y = y1;
    }
    three = @bits(y1) + ((uint64_t)(third - 342 - 1023) << 52);
    low = three << 30;
    if ((low ^ low >> 63) <= UINT64_C(1) << 30) {
        near = (@bits(y1) + (164 << 15)) & UINT64_C(0xffffffffffff0000);
        if (fabs((@from_bits(near) - y1) - dy) < 0x1p-60 || fabs(zz) == 1.0)
            three = (three + (UINT64_C(1) << 15)) & UINT64_C(0xffffffffffff0000);
    }
    return @from_bits(three);
}
