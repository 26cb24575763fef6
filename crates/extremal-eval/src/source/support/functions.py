#section div
def div(a, b):
    if b != 0.0:
        return a / b
    if a == 0.0 or a != a or b != b:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)
#section sqrt
def sqrt(x):
    return math.sqrt(x) if x >= 0.0 else math.nan
#section sincos
def sincos(x):
    return (math.sin(x), math.cos(x)) if math.isfinite(x) else (math.nan, math.nan)
#section sin: sincos
def sin(x):
    return sincos(x)[0]
#section cos: sincos
def cos(x):
    return sincos(x)[1]
#section tan
def tan(x):
    return math.tan(x) if math.isfinite(x) else math.nan
#section bounded
def bounded(function, x):
    """The value of a function, or no number outside of its domain."""
    try:
        return function(x)
    except ValueError:
        return math.nan
#section exp
def exp(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf
#section sinh
def sinh(x):
    try:
        return math.sinh(x)
    except OverflowError:
        return math.copysign(math.inf, x)
#section cosh
def cosh(x):
    try:
        return math.cosh(x)
    except OverflowError:
        return math.inf
#section log
def log(x):
    return math.log(x) if x > 0.0 else -math.inf if x == 0.0 else math.nan
#section pow
def power(x, y):
    if x != x or y != y or -math.inf < x < 0.0 and math.isfinite(y) and y != math.floor(y):
        return math.nan
    negative = math.copysign(1.0, x) < 0.0 and math.isfinite(y) and y % 2.0 == 1.0
    try:
        return math.pow(x, y)
    except (OverflowError, ValueError):
        return -math.inf if negative else math.inf
#section atanh: bounded
def atanh(x):
    return math.copysign(math.inf, x) if abs(x) == 1.0 else bounded(math.atanh, x)
#section cbrt
def cbrt(x):
    if x == 0.0 or math.isinf(x) or x != x:
        return x
    y = math.copysign(abs(x) ** (1.0 / 3.0), x)
    return y - (y - x / (y * y)) / 3.0
#section sign
def sign(x):
    return x if x == 0.0 or x != x else math.copysign(1.0, x)
#section min
def least(a, b):
    return math.nan if a != a or b != b else b if b < a else a
#section max
def largest(a, b):
    return math.nan if a != a or b != b else b if a < b else a
