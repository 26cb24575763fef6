#section sqrt
root(x) = x < 0.0 ? NaN : sqrt(x)
#section asin
own_asin(x) = abs(x) > 1.0 ? NaN : asin(x)
#section acos
own_acos(x) = abs(x) > 1.0 ? NaN : acos(x)
#section acosh
own_acosh(x) = x < 1.0 ? NaN : acosh(x)
#section atanh
own_atanh(x) = abs(x) > 1.0 ? NaN : atanh(x)
#section sincos
own_sincos(x) = isfinite(x) ? sincos(x) : (NaN, NaN)
#section sin: sincos
own_sin(x) = own_sincos(x)[1]
#section cos: sincos
own_cos(x) = own_sincos(x)[2]
#section tan
own_tan(x) = isfinite(x) ? tan(x) : NaN
#section log
own_log(x) = x < 0.0 ? NaN : log(x)
#section pow
power(x, y) = isnan(x) || isnan(y) || -Inf < x < 0.0 && y != floor(y) ? NaN : x^y
