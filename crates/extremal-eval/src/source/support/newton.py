def norm(x):
    size = 0.0
    for value in x:
        if abs(value) > size or value != value:
            size = abs(value)
    return size


def factor(n, a):
    """Factors a matrix, rows one after the other, by elimination with partial pivoting; None where it has no inverse."""
    order = []
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i * n + k]) > abs(a[pivot * n + k]):
                pivot = i
        if a[pivot * n + k] == 0.0 or not math.isfinite(a[pivot * n + k]):
            return None
        order.append(pivot)
        for j in range(n):
            a[k * n + j], a[pivot * n + j] = a[pivot * n + j], a[k * n + j]
        for i in range(k + 1, n):
            a[i * n + k] /= a[k * n + k]
            for j in range(k + 1, n):
                a[i * n + j] -= a[i * n + k] * a[k * n + j]
    return order


def substitute(n, a, order, b):
    """Replaces the right-hand side b by the solution."""
    for i in range(n):
        b[i], b[order[i]] = b[order[i]], b[i]
    for i in range(n):
        for j in range(i):
            b[i] -= a[i * n + j] * b[j]
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            b[i] -= a[i * n + j] * b[j]
        b[i] /= a[i * n + i]
#part newton


def iterate(n, first, linear, damped, equations, sizes, p, given, found):
    """Newton's method for n unknowns, from `first` on among those that are found: `equations` gives residuals and their slopes
    row by row, `sizes` residuals and the sizes of their terms. It ends where every residual is round-off of its terms, or below
    the tolerance without falling any more, or where an update is round-off of the unknowns."""
    previous = best = math.inf
    checked = [0.0] * (2 * n)
    for _ in range(40 if damped else 12):
        values = [0.0] * (n + n * n)
        equations(p, given, found, values)
        update, matrix = values[:n], values[n:]
        if not all(map(math.isfinite, update)):
            return NOT_FINITE
        order = factor(n, matrix)
        if order is None:
            return SINGULAR
        substitute(n, matrix, order, update)
        length = norm(update)
        if not math.isfinite(length):
            return SINGULAR
        before = found[first:first + n]
        # Far away an update is shortened until the next one, by the same slopes, would be smaller.
        fraction = 1.0
        while True:
            if fraction < 1.0 / 1024.0:
                return NO_CONVERGENCE
            for i in range(n):
                found[first + i] = before[i] - fraction * update[i]
            if not damped or linear or length <= 1e-8 * norm(before):
                break
            sizes(p, given, found, checked)
            step = checked[:n]
            substitute(n, matrix, order, step)
            if norm(step) <= (1.0 - 0.25 * fraction) * length:
                break
            fraction *= 0.5
        length *= fraction
        falling = length < 0.5 * previous
        previous = length
        size = norm(found[first:first + n])
        if not linear and falling and length > 1e-8 * size:
            continue
        sizes(p, given, found, checked)
        residual = norm([checked[i] / max(checked[n + i], 1e-292) for i in range(n)])
        if residual != residual:
            return NOT_FINITE
        settled = residual <= TOLERANCE and residual > 0.5 * best
        if residual <= ROUND_OFF or settled or length <= ROUND_OFF * size:
            return 0
        best = min(best, residual)
    return NO_CONVERGENCE


def newton(n, first, linear, equations, sizes, p, given, found):
    """By whole updates, or else by shortened ones."""
    begin = found[first:first + n]
    status = 0
    for damped in (False, True):
        found[first:first + n] = begin
        status = iterate(n, first, linear, damped, equations, sizes, p, given, found)
        if status == 0:
            return 0
    return status
#part slopes


def implicit_slopes(k, m, n, parts, slopes):
    """Slopes of k results by m numbers, on which n unknowns depend as well: `parts` has the slopes of the results by the
    numbers, of the results by the unknowns, of the residuals by the numbers and of the residuals by the unknowns."""
    by_unknowns, residuals, matrix = parts[k * m:], parts[k * (m + n):], parts[k * (m + n) + n * m:]
    order = factor(n, matrix)
    if order is None:
        return SINGULAR
    for j in range(m):
        column = [residuals[l * m + j] for l in range(n)]
        substitute(n, matrix, order, column)
        for i in range(k):
            slopes[i * m + j] = parts[i * m + j]
            for l in range(n):
                slopes[i * m + j] -= by_unknowns[i * n + l] * column[l]
    return 0
